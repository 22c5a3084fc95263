//! Annotations and type annotations (JVMS §4.7.16, §4.7.20). Their values are skipped.

use super::cursor::ClassCursor;
use super::pool::{CpIndex, Pool};
use crate::{Error, Result};

/// How deep annotations and arrays may nest in element values: far more than javac writes.
const MAX_DEPTH: u32 = 64;

/// The type descriptors (`Lcom/acme/Weighed;`) of a `Runtime(In)VisibleAnnotations` attribute.
#[derive(Clone, Debug)]
pub struct AnnotationTypes<'a> {
    cursor: ClassCursor<'a>,
    pool: Pool<'a>,
    left: u16,
}

impl<'a> AnnotationTypes<'a> {
    /// Starts at the attribute's `num_annotations`.
    pub fn new(mut info: ClassCursor<'a>, pool: Pool<'a>) -> Result<Self> {
        let left = info.u2()?;
        Ok(AnnotationTypes { cursor: info, pool, left })
    }

    fn read(&mut self) -> Result<&'a [u8]> {
        let type_index = pass_annotation(&mut self.cursor, MAX_DEPTH)?;
        self.pool.utf8(type_index)
    }
}

impl<'a> Iterator for AnnotationTypes<'a> {
    type Item = Result<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.read().inspect_err(|_| self.left = 0))
    }
}

/// Skips one `annotation` and returns its `type_index`.
fn pass_annotation(cursor: &mut ClassCursor<'_>, depth: u32) -> Result<CpIndex> {
    let type_index = CpIndex(cursor.u2()?);
    for _ in 0..cursor.u2()? {
        cursor.skip(2)?;
        pass_element_value(cursor, depth)?;
    }
    Ok(type_index)
}

fn pass_element_value(cursor: &mut ClassCursor<'_>, depth: u32) -> Result<()> {
    let at = cursor.position();
    let Some(depth) = depth.checked_sub(1) else {
        let message = format!("element values nest deeper than {MAX_DEPTH}");
        return Err(Error::class_format(message, at));
    };
    match cursor.u1()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => cursor.skip(2),
        b'e' => cursor.skip(4),
        b'@' => pass_annotation(cursor, depth).map(drop),
        b'[' => {
            for _ in 0..cursor.u2()? {
                pass_element_value(cursor, depth)?;
            }
            Ok(())
        }
        tag => Err(Error::class_format(format!("unknown element_value tag {tag}"), at)),
    }
}

/// The target of a type annotation inside `Code` (JVMS table 4.7.20-B), with the absolute offset of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeTarget {
    /// `localvar_target`: entries of `start_pc`, `length` and `index`.
    LocalVariable {
        /// Absolute offset of the first entry.
        at: usize,
        /// How many entries.
        count: u16,
    },
    /// `catch_target`: an index into the exception table, not a pc.
    Catch,
    /// `offset_target` and `type_argument_target`: the pc of an instruction.
    Offset {
        /// Absolute offset of the pc.
        at: usize,
    },
    /// A target of a declaration, which holds no pc. A few old compilers write such targets into `Code`.
    Declaration,
}

/// The targets of a `Runtime(In)VisibleTypeAnnotations` attribute, in order. Paths and values are skipped.
#[derive(Clone, Debug)]
pub struct TypeAnnotationTargets<'a> {
    cursor: ClassCursor<'a>,
    left: u16,
}

impl<'a> TypeAnnotationTargets<'a> {
    /// Starts at the attribute's `num_annotations`.
    pub fn new(mut info: ClassCursor<'a>) -> Result<Self> {
        let left = info.u2()?;
        Ok(TypeAnnotationTargets { cursor: info, left })
    }

    fn read(&mut self) -> Result<CodeTarget> {
        let cursor = &mut self.cursor;
        let at = cursor.position();
        let target = match cursor.u1()? {
            0x00 | 0x01 | 0x16 => {
                cursor.skip(1)?;
                CodeTarget::Declaration
            }
            0x10..=0x12 | 0x17 => {
                cursor.skip(2)?;
                CodeTarget::Declaration
            }
            0x13..=0x15 => CodeTarget::Declaration,
            0x40 | 0x41 => {
                let count = cursor.u2()?;
                let at = cursor.position();
                cursor.skip(6 * usize::from(count))?;
                CodeTarget::LocalVariable { at, count }
            }
            0x42 => {
                cursor.skip(2)?;
                CodeTarget::Catch
            }
            0x43..=0x46 => {
                let at = cursor.position();
                cursor.skip(2)?;
                CodeTarget::Offset { at }
            }
            0x47..=0x4B => {
                let at = cursor.position();
                cursor.skip(3)?;
                CodeTarget::Offset { at }
            }
            target_type => {
                let message = format!("unknown type annotation target {target_type:#04x}");
                return Err(Error::class_format(message, at));
            }
        };
        let path_length = usize::from(cursor.u1()?);
        cursor.skip(2 * path_length)?;
        pass_annotation(cursor, MAX_DEPTH)?;
        Ok(target)
    }
}

impl Iterator for TypeAnnotationTargets<'_> {
    type Item = Result<CodeTarget>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.read().inspect_err(|_| self.left = 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_values_of_unbounded_depth_are_refused() {
        // Type 1, one pair named 1: an array of one array of one array ...
        let mut info = vec![0, 1, 0, 1, 0, 1, 0, 1];
        for _ in 0..20_000 {
            info.extend([b'[', 0, 1]);
        }
        let error = pass_annotation(&mut ClassCursor::new(&info, 2), MAX_DEPTH).unwrap_err();
        assert_eq!(error.to_string(), "element values nest deeper than 64 (at offset 200)");
    }

    #[test]
    fn each_target_inside_code_is_read_with_the_offset_of_its_operand() {
        let path_and_type = [1, 3, 0, 0, 1, 0, 0];
        let mut info = vec![0, 4, 0x40, 0, 1, 0, 2, 0, 3, 0, 1];
        info.extend(path_and_type);
        info.extend([0x42, 0, 7]);
        info.extend(path_and_type);
        info.extend([0x44, 0, 9]);
        info.extend(path_and_type);
        info.extend([0x47, 0, 9, 1]);
        info.extend(path_and_type);
        let targets = TypeAnnotationTargets::new(ClassCursor::new(&info, 0)).unwrap();
        assert_eq!(
            targets.collect::<Result<Vec<_>>>().unwrap(),
            [
                CodeTarget::LocalVariable { at: 5, count: 1 },
                CodeTarget::Catch,
                CodeTarget::Offset { at: 29 },
                CodeTarget::Offset { at: 39 },
            ]
        );
    }
}
