//! Numbers and texts of a chunk.

use std::borrow::Cow;

use crate::error::{Flaw, Found};

/// The bytes of a chunk, and the offset at which is read next.
#[derive(Clone, Copy)]
pub(crate) struct ChunkCursor<'c> {
    bytes: &'c [u8],
    pub(crate) at: usize,
    /// Whole numbers of more than a byte have a variable length.
    compressed: bool,
}

/// A text as it is stored.
pub(crate) enum Text<'c> {
    Null,
    /// The key of a constant of `java.lang.String`.
    Constant(i64),
    Of(Cow<'c, str>),
}

impl<'c> ChunkCursor<'c> {
    pub(crate) fn new(bytes: &'c [u8], at: usize, compressed: bool) -> Self {
        ChunkCursor { bytes, at, compressed }
    }

    pub(crate) fn flaw(&self, what: &'static str) -> Flaw {
        Flaw { at: self.at, what }
    }

    /// Bytes that are left.
    pub(crate) fn remaining_bytes(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Nothing is read beyond this byte.
    pub(crate) fn end_at(&mut self, end: usize) {
        self.bytes = &self.bytes[..end.min(self.bytes.len())];
    }

    pub(crate) fn take(&mut self, length: usize) -> Found<&'c [u8]> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(self.flaw("a value goes beyond the end of its chunk"))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Found<[u8; N]> {
        let flaw = self.flaw("a value goes beyond the end of its chunk");
        self.take(N)?.try_into().map_err(|_| flaw)
    }

    pub(crate) fn byte(&mut self) -> Found<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn variable(&mut self) -> Found<i64> {
        let mut value = 0u64;
        for shift in (0..56).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value.cast_signed());
            }
        }
        Ok((value | u64::from(self.byte()?) << 56).cast_signed())
    }

    /// A `short` or, without sign, a `char`.
    pub(crate) fn short(&mut self) -> Found<i64> {
        if self.compressed { self.variable() } else { self.array().map(|bytes| i16::from_be_bytes(bytes).into()) }
    }

    pub(crate) fn int(&mut self) -> Found<i64> {
        if self.compressed { self.variable() } else { self.array().map(|bytes| i32::from_be_bytes(bytes).into()) }
    }

    pub(crate) fn long(&mut self) -> Found<i64> {
        if self.compressed { self.variable() } else { self.array().map(i64::from_be_bytes) }
    }

    pub(crate) fn float(&mut self) -> Found<f32> {
        self.array().map(f32::from_be_bytes)
    }

    pub(crate) fn double(&mut self) -> Found<f64> {
        self.array().map(f64::from_be_bytes)
    }

    /// How many of something follow. Each takes a byte or more.
    pub(crate) fn count(&mut self) -> Found<usize> {
        let flaw = self.flaw("there are more of something than the chunk has bytes");
        let count = self.int()?;
        usize::try_from(count).ok().filter(|count| *count <= self.remaining_bytes()).ok_or(flaw)
    }

    pub(crate) fn text(&mut self) -> Found<Text<'c>> {
        let flaw = self.flaw("a text of unknown encoding");
        Ok(match self.byte()? {
            0 => Text::Null,
            1 => Text::Of(Cow::Borrowed("")),
            2 => Text::Constant(self.long()?),
            3 => {
                let length = self.count()?;
                Text::Of(String::from_utf8_lossy(self.take(length)?))
            }
            4 => {
                let length = self.count()?;
                let units: Vec<u16> =
                    (0..length).map(|_| self.short().map(|unit| unit as u16)).collect::<Found<_>>()?;
                Text::Of(Cow::Owned(String::from_utf16_lossy(&units)))
            }
            5 => {
                let length = self.count()?;
                Text::Of(latin1(self.take(length)?))
            }
            _ => return Err(flaw),
        })
    }

    /// Goes over a text without reading it.
    pub(crate) fn skip_text(&mut self) -> Found<()> {
        let flaw = self.flaw("a text of unknown encoding");
        match self.byte()? {
            0 | 1 => {}
            2 => drop(self.long()?),
            3 | 5 => {
                let length = self.count()?;
                self.take(length)?;
            }
            4 => {
                for _ in 0..self.count()? {
                    self.short()?;
                }
            }
            _ => return Err(flaw),
        }
        Ok(())
    }
}

fn latin1(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes).ok().filter(|_| bytes.is_ascii()) {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_variable_length_have_up_to_nine_bytes() {
        for (bytes, value) in [
            (&[0x00][..], 0),
            (&[0x7f], 127),
            (&[0x80, 0x01], 128),
            (&[0xff, 0xff, 0xff, 0xff, 0x0f], 0xffff_ffff),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], -1),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80], i64::MIN),
        ] {
            let mut cursor = ChunkCursor::new(bytes, 0, true);
            assert_eq!((cursor.long(), cursor.at), (Ok(value), bytes.len()));
        }
        let mut cut = ChunkCursor::new(&[0x80, 0x80], 0, true);
        assert_eq!(cut.long().map_err(|flaw| flaw.at), Err(2));
    }

    #[test]
    fn texts_come_in_six_encodings_and_are_skipped_as_they_are_read() {
        let cases: [(&[u8], Option<&str>); 7] = [
            (&[0], None),
            (&[1], Some("")),
            (&[2, 5], None),
            (&[3, 3, b'a', 0xc3, 0xa9], Some("a\u{e9}")),
            (&[3, 1, 0xff], Some("\u{fffd}")),
            (&[4, 2, b'a', 0xe9, 0x01], Some("a\u{e9}")),
            (&[5, 2, b'a', 0xe9], Some("a\u{e9}")),
        ];
        for (bytes, expected) in cases {
            let (mut read, mut skipped) = (ChunkCursor::new(bytes, 0, true), ChunkCursor::new(bytes, 0, true));
            let text = match read.text() {
                Ok(Text::Of(text)) => Some(text),
                Ok(Text::Null | Text::Constant(5)) => None,
                _ => panic!("{bytes:?}"),
            };
            assert_eq!(text.as_deref(), expected);
            assert_eq!((skipped.skip_text(), skipped.at, read.at), (Ok(()), bytes.len(), bytes.len()));
        }
        for wrong in [&[6][..], &[3, 9, b'a'], &[5, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], &[]] {
            assert!(
                ChunkCursor::new(wrong, 0, true).text().is_err()
                    && ChunkCursor::new(wrong, 0, true).skip_text().is_err()
            );
        }
    }
}
