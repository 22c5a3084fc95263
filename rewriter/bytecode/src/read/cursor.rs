//! Checked big-endian reads at absolute offsets.

use crate::{Error, Result};

/// A reading position in a class file; every offset it reports counts from the start of the file.
#[derive(Clone, Copy, Debug)]
pub struct ClassCursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> ClassCursor<'a> {
    /// Starts reading at `position`. `bytes` is the file, perhaps cut off after the structure to read.
    pub fn new(bytes: &'a [u8], position: usize) -> Self {
        let position = position.min(bytes.len());
        ClassCursor { bytes, position }
    }

    /// The absolute offset of the next byte.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Whether all bytes are read.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.position == self.bytes.len()
    }

    /// How many bytes are left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// Reads the next `length` bytes.
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        match self.bytes[self.position..].get(..length) {
            Some(taken) => {
                self.position += length;
                Ok(taken)
            }
            None => Err(self.truncated(length)),
        }
    }

    /// Skips `length` bytes.
    #[inline]
    pub fn skip(&mut self, length: usize) -> Result<()> {
        self.take(length).map(drop)
    }

    /// Reads a `u1`.
    #[inline]
    pub fn u1(&mut self) -> Result<u8> {
        self.take(1).map(|b| b[0])
    }

    /// Reads a `u2`.
    #[inline]
    pub fn u2(&mut self) -> Result<u16> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    /// Reads a `u4`.
    #[inline]
    pub fn u4(&mut self) -> Result<u32> {
        self.take(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// A cursor over the next `length` bytes only; this one moves past them.
    #[inline]
    pub fn window(&mut self, length: usize) -> Result<ClassCursor<'a>> {
        let start = self.position;
        self.skip(length)?;
        Ok(ClassCursor { bytes: &self.bytes[..self.position], position: start })
    }

    /// The bytes not yet read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    #[cold]
    fn truncated(&self, wanted: usize) -> Error {
        let left = self.remaining();
        Error::class_format(format!("{wanted} bytes are needed and {left} are left"), self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_past_the_end_names_the_absolute_offset() {
        let mut cursor = ClassCursor::new(&[1, 2, 3, 4, 5], 1);
        assert_eq!(cursor.u2().unwrap(), 0x0203);
        let mut window = cursor.window(1).unwrap();
        assert_eq!(window.u2().unwrap_err().to_string(), "2 bytes are needed and 1 are left (at offset 3)");
        assert_eq!(cursor.u1().unwrap(), 5);
        assert!(cursor.is_at_end());
    }

    #[test]
    fn a_huge_length_is_an_error_and_no_overflow() {
        let mut cursor = ClassCursor::new(&[0; 8], 4);
        assert!(cursor.skip(usize::MAX).is_err());
        assert_eq!(cursor.position(), 4);
    }
}
