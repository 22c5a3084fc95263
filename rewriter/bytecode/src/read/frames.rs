//! The `StackMapTable` (JVMS §4.7.4) and its ancestor, CLDC's `StackMap`.

use super::cursor::ClassCursor;
use super::pool::CpIndex;
use crate::{Error, Result};

/// A verification type (JVMS §4.10.1.2). Long and Double take two local variables, and two entries of the stack.
#[allow(missing_docs, reason = "the names are the JVMS's")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationType {
    Top,
    Integer,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    /// An initialised object of a class.
    Object(CpIndex),
    /// The object that the `new` at this pc creates.
    Uninitialized(u16),
}

impl VerificationType {
    /// Reads one `verification_type_info`.
    #[inline]
    pub fn read(cursor: &mut ClassCursor<'_>) -> Result<Self> {
        let at = cursor.position();
        Ok(match cursor.u1()? {
            0 => Self::Top,
            1 => Self::Integer,
            2 => Self::Float,
            3 => Self::Double,
            4 => Self::Long,
            5 => Self::Null,
            6 => Self::UninitializedThis,
            7 => Self::Object(CpIndex(cursor.u2()?)),
            8 => Self::Uninitialized(cursor.u2()?),
            tag => {
                let message = format!("unknown verification type {tag}");
                return Err(Error::class_format(message, at));
            }
        })
    }

    /// The tag that it is written with.
    pub fn tag(self) -> u8 {
        match self {
            Self::Top => 0,
            Self::Integer => 1,
            Self::Float => 2,
            Self::Double => 3,
            Self::Long => 4,
            Self::Null => 5,
            Self::UninitializedThis => 6,
            Self::Object(_) => 7,
            Self::Uninitialized(_) => 8,
        }
    }

    /// Slots it takes in the locals or on the stack.
    pub fn slots(self) -> u16 {
        if matches!(self, Self::Long | Self::Double) { 2 } else { 1 }
    }
}

/// The kinds of `stack_map_frame`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackMapFrameKind {
    /// Locals as before, empty stack (`same_frame`, `same_frame_extended`).
    Same,
    /// Locals as before, one stack entry.
    SameLocals1StackItem,
    /// This many locals fewer, empty stack.
    Chop(u8),
    /// This many locals more, empty stack.
    Append(u8),
    /// All locals and all stack entries.
    Full,
}

/// One stack map frame.
#[derive(Clone, Copy, Debug)]
pub struct StackMapFrame<'a> {
    /// The pc that it describes; at most 65,535 in a readable table.
    pub pc: u32,
    /// `offset_delta`.
    pub offset_delta: u16,
    /// Its kind.
    pub kind: StackMapFrameKind,
    /// How many locals and how many stack entries the frame lists.
    pub counts: (u16, u16),
    /// All its bytes, `frame_type` first.
    pub bytes: &'a [u8],
    /// Its locals, then its stack entries, for [`VerificationType::read`]. In [`StackMapFrameKind::Full`] a count precedes
    /// the stack entries.
    pub types: ClassCursor<'a>,
}

impl<'a> StackMapFrame<'a> {
    /// The locals that the frame lists.
    pub fn locals(&self) -> Types<'a> {
        Types { cursor: self.types, left: self.counts.0 }
    }

    /// The stack entries that the frame lists.
    pub fn stack(&self) -> Result<Types<'a>> {
        let mut cursor = self.types;
        for _ in 0..self.counts.0 {
            VerificationType::read(&mut cursor)?;
        }
        if self.kind == StackMapFrameKind::Full {
            cursor.skip(2)?;
        }
        Ok(Types { cursor, left: self.counts.1 })
    }
}

/// Verification types of a frame, in order.
#[derive(Clone, Debug)]
pub struct Types<'a> {
    cursor: ClassCursor<'a>,
    left: u16,
}

impl Iterator for Types<'_> {
    type Item = Result<VerificationType>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(VerificationType::read(&mut self.cursor))
    }
}

/// The frames of a `StackMapTable`, in order of their pcs; ends after its first error.
#[derive(Clone, Debug)]
pub struct StackMapFrames<'a> {
    cursor: ClassCursor<'a>,
    left: u16,
    previous: Option<u32>,
}

impl<'a> StackMapFrames<'a> {
    /// Starts at the attribute's `number_of_entries`.
    pub fn new(mut info: ClassCursor<'a>) -> Result<Self> {
        let left = info.u2()?;
        Ok(StackMapFrames { cursor: info, left, previous: None })
    }

    /// How many are left.
    pub fn remaining(&self) -> u16 {
        self.left
    }

    fn read(&mut self) -> Result<StackMapFrame<'a>> {
        let start = self.cursor;
        let frame_type = self.cursor.u1()?;
        let (offset_delta, kind) = match frame_type {
            0..=63 => (u16::from(frame_type), StackMapFrameKind::Same),
            64..=127 => (u16::from(frame_type - 64), StackMapFrameKind::SameLocals1StackItem),
            247 => (self.cursor.u2()?, StackMapFrameKind::SameLocals1StackItem),
            248..=250 => (self.cursor.u2()?, StackMapFrameKind::Chop(251 - frame_type)),
            251 => (self.cursor.u2()?, StackMapFrameKind::Same),
            252..=254 => (self.cursor.u2()?, StackMapFrameKind::Append(frame_type - 251)),
            255 => (self.cursor.u2()?, StackMapFrameKind::Full),
            _ => {
                let message = format!("unknown frame_type {frame_type}");
                return Err(Error::class_format(message, start.position()));
            }
        };
        let pc = match self.previous {
            None => u32::from(offset_delta),
            Some(previous) => previous + u32::from(offset_delta) + 1,
        };
        let locals = match kind {
            StackMapFrameKind::Append(locals) => u16::from(locals),
            StackMapFrameKind::Full => self.cursor.u2()?,
            _ => 0,
        };
        let types = self.cursor;
        for _ in 0..locals {
            VerificationType::read(&mut self.cursor)?;
        }
        let stack = match kind {
            StackMapFrameKind::SameLocals1StackItem => 1,
            StackMapFrameKind::Full => self.cursor.u2()?,
            _ => 0,
        };
        for _ in 0..stack {
            VerificationType::read(&mut self.cursor)?;
        }
        self.previous = Some(pc);
        let bytes = &start.rest()[..self.cursor.position() - start.position()];
        Ok(StackMapFrame { pc, offset_delta, kind, counts: (locals, stack), bytes, types })
    }
}

impl<'a> Iterator for StackMapFrames<'a> {
    type Item = Result<StackMapFrame<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.read().inspect_err(|_| self.left = 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = (u32, StackMapFrameKind, (u16, u16));

    fn read(table: &[u8]) -> Result<Vec<Read>> {
        StackMapFrames::new(ClassCursor::new(table, 0))?.map(|f| f.map(|f| (f.pc, f.kind, f.counts))).collect()
    }

    #[test]
    fn the_first_delta_is_the_pc_and_each_later_one_counts_from_the_next() {
        let table = [0, 4, 0, 64 + 3, 7, 0, 9, 252, 0, 1, 1, 255, 0, 0, 0, 1, 8, 0, 2, 0, 1, 3];
        assert_eq!(
            read(&table).unwrap(),
            [
                (0, StackMapFrameKind::Same, (0, 0)),
                (4, StackMapFrameKind::SameLocals1StackItem, (0, 1)),
                (6, StackMapFrameKind::Append(1), (1, 0)),
                (7, StackMapFrameKind::Full, (1, 1)),
            ]
        );
        let full = StackMapFrames::new(ClassCursor::new(&table, 0)).unwrap().last().unwrap().unwrap();
        assert_eq!(full.locals().next().unwrap().unwrap(), VerificationType::Uninitialized(2));
        assert_eq!(full.stack().unwrap().next().unwrap().unwrap(), VerificationType::Double);
    }

    #[test]
    fn reserved_kinds_and_types_are_errors() {
        let message = |table: &[u8]| read(table).unwrap_err().to_string();
        assert_eq!(message(&[0, 1, 200]), "unknown frame_type 200 (at offset 2)");
        assert_eq!(message(&[0, 1, 64, 9]), "unknown verification type 9 (at offset 3)");
        assert_eq!(message(&[0, 1, 255, 0, 0, 255, 255]), "1 bytes are needed and 0 are left (at offset 7)");
    }
}
