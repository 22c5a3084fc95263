//! The numbers in the content of a block, from its start to its end.

/// What is wrong with the content of a block, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The offset in the content.
    pub(crate) at: usize,
    pub(crate) reason: &'static str,
}

/// A content that is read.
#[derive(Debug, Default)]
pub(crate) struct Content {
    bytes: Vec<u8>,
    at: usize,
}

impl Content {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Content { bytes, at: 0 }
    }

    /// How many bytes it holds in memory.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Reads other bytes from now on.
    pub(crate) fn replace(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }

    /// What is wrong at the number that was read last, or will be read next.
    pub(crate) fn wrong(&self, reason: &'static str) -> Wrong {
        Wrong { at: self.at, reason }
    }

    /// The next byte, which stays.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next byte.
    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Wrong> {
        let byte = self.peek().ok_or_else(|| self.wrong("the block ends inside of an event"))?;
        self.at += 1;
        Ok(byte)
    }

    /// An unsigned LEB128 number of at most 64 bits.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Wrong> {
        let first = self.byte()?;
        if first < 0x80 { Ok(first.into()) } else { self.long_varint(first) }
    }

    fn long_varint(&mut self, first: u8) -> Result<u64, Wrong> {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.wrong("a number of more than 64 bits"))
    }

    /// A number of at most 32 bits.
    #[inline]
    pub(crate) fn small(&mut self) -> Result<u32, Wrong> {
        let number = self.varint()?;
        u32::try_from(number).map_err(|_| self.wrong("a number of more than 32 bits"))
    }

    /// A signed number, as 0, -1, 1, -2 are 0, 1, 2, 3.
    #[inline]
    pub(crate) fn zigzag(&mut self) -> Result<i64, Wrong> {
        let number = self.varint()?;
        Ok((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }
}

/// Writes an unsigned LEB128 number.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a signed number.
pub(crate) fn put_zigzag(out: &mut Vec<u8>, number: i64) {
    put_varint(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}
