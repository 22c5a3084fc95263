//! The `Code` attribute (JVMS §4.7.3).

use super::attribute::{Attribute, Attributes};
use super::cursor::ClassCursor;
use super::instruction::Instructions;
use super::pool::{CpIndex, Pool};
use crate::{Error, Result};

/// The largest `code_length` (JVMS §4.7.3: less than 65,536).
pub const MAX_CODE_LENGTH: usize = 65_535;

/// A method's code with its tables.
#[derive(Clone, Debug)]
pub struct CodeAttribute<'a> {
    /// Absolute offset of the attribute's `attribute_name_index`.
    pub offset: usize,
    /// Absolute offset of the first byte after the attribute.
    pub end: usize,
    /// `max_stack`, in slots.
    pub max_stack: u16,
    /// `max_locals`, in slots.
    pub max_locals: u16,
    /// The instructions.
    pub code: &'a [u8],
    /// Absolute offset of the instructions.
    pub code_offset: usize,
    /// `LineNumberTable`, `StackMapTable` and so on.
    pub attributes: Attributes<'a>,
    handlers: &'a [u8],
    stack_map_table: Option<ClassCursor<'a>>,
}

/// An entry of the exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First protected pc.
    pub start_pc: u16,
    /// The pc after the last protected instruction.
    pub end_pc: u16,
    /// Where control goes.
    pub handler_pc: u16,
    /// The caught class; 0 catches all.
    pub catch_type: CpIndex,
}

impl<'a> CodeAttribute<'a> {
    /// Reads an attribute named `Code`.
    ///
    /// # Errors
    /// `ClassFormat` when it is cut off, has more bytes than its parts, or has no code or too much.
    pub fn read(attribute: &Attribute<'a>, pool: Pool<'a>) -> Result<Self> {
        let mut cursor = attribute.info;
        let (max_stack, max_locals) = (cursor.u2()?, cursor.u2()?);
        let length_offset = cursor.position();
        let code_length = cursor.u4()? as usize;
        if !(1..=MAX_CODE_LENGTH).contains(&code_length) {
            let message = format!("code_length is {code_length}, not 1 to {MAX_CODE_LENGTH}");
            return Err(Error::class_format(message, length_offset));
        }
        let code_offset = cursor.position();
        let code = cursor.take(code_length)?;
        let handlers = usize::from(cursor.u2()?);
        let handlers = cursor.take(8 * handlers)?;
        let attributes = Attributes::new(cursor, pool)?;
        let mut rest: Attributes<'_> = attributes.clone();
        let mut stack_map_table = None;
        for attribute in rest.by_ref() {
            let attribute = attribute?;
            // Only readers of all names report a name that is no Utf8.
            if stack_map_table.is_none() && attribute.is_named(b"StackMapTable").unwrap_or(false) {
                stack_map_table = Some(attribute.info);
            }
        }
        if !rest.cursor().is_at_end() {
            let message = format!("the Code attribute has {} bytes after its parts", rest.cursor().remaining());
            return Err(Error::class_format(message, rest.cursor().position()));
        }
        Ok(CodeAttribute {
            offset: attribute.offset,
            end: attribute.end(),
            max_stack,
            max_locals,
            code,
            code_offset,
            attributes,
            handlers,
            stack_map_table,
        })
    }

    /// The instructions, from pc 0.
    #[inline]
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions::new(self.code, self.code_offset)
    }

    /// `code_length`, at most 65,535.
    #[inline]
    pub fn length(&self) -> u32 {
        self.code.len() as u32
    }

    /// The exception table, in order.
    pub fn handlers(&self) -> impl ExactSizeIterator<Item = Handler> + use<'a> {
        self.handlers.chunks_exact(8).map(|entry| {
            let u2 = |i: usize| u16::from_be_bytes([entry[i], entry[i + 1]]);
            Handler { start_pc: u2(0), end_pc: u2(2), handler_pc: u2(4), catch_type: CpIndex(u2(6)) }
        })
    }

    /// The first attribute of the code with this name.
    pub fn attribute(&self, name: &[u8]) -> Result<Option<ClassCursor<'a>>> {
        for attribute in self.attributes.clone() {
            let attribute = attribute?;
            if attribute.name()? == name {
                return Ok(Some(attribute.info));
            }
        }
        Ok(None)
    }

    /// Reads the entries of all `LineNumberTable`s: the pc where a line begins, and the line (JVMS §4.7.12). In no certain order.
    pub fn lines(&self, lines: &mut Vec<(u32, u16)>) -> Result<()> {
        lines.clear();
        for attribute in self.attributes.clone() {
            let attribute = attribute?;
            if attribute.name()? == b"LineNumberTable" {
                let mut info = attribute.info;
                for _ in 0..info.u2()? {
                    lines.push((u32::from(info.u2()?), info.u2()?));
                }
            }
        }
        Ok(())
    }

    /// The info of the first `StackMapTable`. [`CodeAttribute::read`] found it, so this costs nothing.
    pub fn stack_map_table(&self) -> Option<ClassCursor<'a>> {
        self.stack_map_table
    }
}
