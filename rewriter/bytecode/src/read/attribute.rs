//! Attributes (JVMS §4.7), read lazily.

use super::cursor::ClassCursor;
use super::pool::{CpIndex, Pool};
use crate::Result;

/// Attributes (JVMS §4.7), in order; ends after its first error.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    cursor: ClassCursor<'a>,
    pool: Pool<'a>,
    left: u16,
}

impl<'a> Attributes<'a> {
    /// The attributes whose `attributes_count` the cursor is at.
    pub(super) fn new(mut cursor: ClassCursor<'a>, pool: Pool<'a>) -> Result<Self> {
        let left = cursor.u2()?;
        Ok(Attributes { cursor, pool, left })
    }

    /// How many are left.
    pub fn remaining(&self) -> u16 {
        self.left
    }

    /// The position of the next attribute, or after the last one.
    pub(super) fn cursor(&self) -> &ClassCursor<'a> {
        &self.cursor
    }

    #[inline]
    fn read(&mut self) -> Result<Attribute<'a>> {
        let offset = self.cursor.position();
        let name = CpIndex(self.cursor.u2()?);
        let length = self.cursor.u4()? as usize;
        Ok(Attribute { offset, name, info: self.cursor.window(length)?, pool: self.pool })
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.read().inspect_err(|_| self.left = 0))
    }
}

/// One attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Absolute offset of its `attribute_name_index`.
    pub offset: usize,
    /// `attribute_name_index`, a Utf8.
    pub name: CpIndex,
    /// Its `info`, not read yet.
    pub info: ClassCursor<'a>,
    pool: Pool<'a>,
}

impl<'a> Attribute<'a> {
    /// The bytes of its name.
    #[inline]
    pub fn name(&self) -> Result<&'a [u8]> {
        self.pool.utf8(self.name)
    }

    /// Whether it has this name.
    #[inline]
    pub fn is_named(&self, name: &[u8]) -> Result<bool> {
        Ok(self.name()? == name)
    }

    /// Absolute offset of the first byte after it.
    pub fn end(&self) -> usize {
        self.info.position() + self.info.remaining()
    }
}
