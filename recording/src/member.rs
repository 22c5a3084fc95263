//! One gzip member (RFC 1952) at a time, inflated as a whole, with its place in the file.
//!
//! A member is held back until its checksum is seen, because a flipped bit inflates to plausible
//! text for a while before it shows. A *cut* is different: what was inflated before the end of the
//! file is what was written, so its complete lines are good.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use crate::error::DamageKind;

/// What stood at the reader's place in the file.
pub(crate) enum Member {
    /// A whole member; its checksum holds.
    Whole,
    /// A member that the end of the file cuts.
    Cut,
    /// Something that cannot be used.
    Damaged(DamageKind),
    /// The end of the file.
    End,
}

/// Inflates member after member and knows each one's offset.
pub(crate) struct Members<R> {
    input: Counted<R>,
    /// Inflated bytes of the last member; after a cut, those before it.
    pub(crate) text: Vec<u8>,
    /// Offset in the file of the last member's first byte.
    pub(crate) start: u64,
    limit: usize,
}

impl<R: BufRead> Members<R> {
    pub(crate) fn new(input: R, limit: usize) -> Self {
        Members { input: Counted { inner: input, consumed: 0, failed: false }, text: Vec::new(), start: 0, limit }
    }

    /// Bytes of the file consumed so far.
    pub(crate) fn position(&self) -> u64 {
        self.input.consumed
    }

    /// Reads the next member into `text`. Errors are those of the file itself.
    pub(crate) fn next(&mut self) -> io::Result<Member> {
        self.text.clear();
        self.start = self.input.consumed;
        match self.input.fill_buf()?.first() {
            None => return Ok(Member::End),
            Some(0x1f) => {}
            Some(_) => return Ok(Member::Damaged(DamageKind::Foreign)),
        }
        // One byte more than the limit tells "exactly the limit" from "longer".
        let limit = self.limit as u64 + 1;
        let inflated = GzDecoder::new(&mut self.input).take(limit).read_to_end(&mut self.text);
        if self.text.len() > self.limit {
            self.text = Vec::new();
            return Ok(Member::Damaged(DamageKind::MemberTooLong(self.limit)));
        }
        match inflated {
            Ok(_) => Ok(Member::Whole),
            Err(e) if self.input.failed => Err(e),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(Member::Cut),
            Err(_) if self.text.is_empty() && self.input.consumed <= self.start + 10 => {
                Ok(Member::Damaged(DamageKind::Foreign))
            }
            Err(e) => Ok(Member::Damaged(DamageKind::Corrupt(e.to_string()))),
        }
    }
}

/// Counts what is consumed, and keeps the file's own errors apart from those of the decoder.
struct Counted<R> {
    inner: R,
    consumed: u64,
    failed: bool,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf).inspect_err(|_| self.failed = true)?;
        self.consumed += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let failed = &mut self.failed;
        self.inner.fill_buf().inspect_err(|_| *failed = true)
    }

    fn consume(&mut self, amount: usize) {
        self.consumed += amount as u64;
        self.inner.consume(amount);
    }
}
