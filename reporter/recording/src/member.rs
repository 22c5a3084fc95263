//! One gzip member (RFC 1952) at a time, inflated as a whole, with its offset in the file.
//!
//! A member is delivered after its checksum was checked, because a flipped bit may inflate to plausible text. A *cut*
//! is different: what was inflated before the end of the file is what was written, so its complete lines are good.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use libdeflater::{Decompressor, crc32};
use memchr::memmem;

use crate::error::DamageKind;
use crate::limits::ReadLimits;

/// Bytes of a file that are in memory at once: enough that few members cross the end of the buffer
/// ([`Members::at_once`]).
pub(crate) const BUFFER: usize = 1 << 20;

/// What comes next in the file.
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

/// Inflates one member after the other and knows their offsets.
pub(crate) struct Members<R> {
    input: CountingReader<R>,
    /// Inflated bytes of the last member; after a cut, those before it.
    pub(crate) text: Vec<u8>,
    /// Offset in the file of the last member's first byte.
    pub(crate) start: u64,
    limits: ReadLimits,
    /// Bytes up to the last member.
    inflated: Inflated,
    inflater: Decompressor,
}

/// Bytes of the first members of a file, and of their text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Inflated {
    pub(crate) packed: u64,
    pub(crate) text: u64,
}

impl Inflated {
    /// Below this a high ratio costs nothing.
    const FREE: u64 = 16 << 20;

    /// With one more member.
    pub(crate) fn and(self, packed: u64, text: u64) -> Self {
        Inflated { packed: self.packed + packed, text: self.text + text }
    }

    fn check_limits(self, limits: &ReadLimits) -> Option<DamageKind> {
        if self.text > limits.total {
            return Some(DamageKind::TooLong(limits.total));
        }
        let most = self.packed.saturating_mul(u64::from(limits.ratio)).max(Self::FREE);
        (self.text > most).then_some(DamageKind::RatioTooHigh(limits.ratio))
    }
}

impl<R: BufRead> Members<R> {
    /// The members of `input`, before which the file has these bytes.
    pub(crate) fn new(input: R, limits: ReadLimits, inflated: Inflated) -> Self {
        let input = CountingReader { inner: input, consumed: 0, failed: false };
        Members { input, text: Vec::new(), start: 0, limits, inflated, inflater: Decompressor::new() }
    }

    /// Bytes of the file consumed so far.
    pub(crate) fn position(&self) -> u64 {
        self.input.consumed
    }

    /// Reads the next member into `text`. Errors are those of the file itself.
    pub(crate) fn next(&mut self) -> io::Result<Member> {
        let member = self.inflate()?;
        if matches!(member, Member::Whole | Member::Cut) {
            self.inflated = self.inflated.and(self.input.consumed - self.start, self.text.len() as u64);
            if let Some(kind) = self.inflated.check_limits(&self.limits) {
                self.text = Vec::new();
                return Ok(Member::Damaged(kind));
            }
        }
        Ok(member)
    }

    fn inflate(&mut self) -> io::Result<Member> {
        self.text.clear();
        self.start = self.input.consumed;
        match self.input.fill_buf()?.first() {
            None => return Ok(Member::End),
            Some(0x1f) => {}
            Some(_) => return Ok(Member::Damaged(DamageKind::Foreign)),
        }
        if self.at_once()? {
            return Ok(Member::Whole);
        }
        // One more byte distinguishes "exactly the limit" from "longer".
        let limit = self.limits.member as u64 + 1;
        let inflated = GzDecoder::new(&mut self.input).take(limit).read_to_end(&mut self.text);
        if self.text.len() > self.limits.member {
            self.text = Vec::new();
            return Ok(Member::Damaged(DamageKind::MemberTooLong(self.limits.member)));
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

    /// Inflates a member that is whole in the buffer, in a third of the time of a stream. False, with nothing consumed,
    /// if none is found: the caller then streams.
    ///
    /// A member is guessed to end where the next one starts, or at the end of the buffer. The length and checksum before
    /// that offset confirm the guess.
    fn at_once(&mut self) -> io::Result<bool> {
        let buffer = self.input.fill_buf()?;
        if !buffer.starts_with(&USUAL) {
            return Ok(false);
        }
        let next = memmem::find(&buffer[USUAL.len()..], &USUAL).map(|at| at + USUAL.len());
        let end = next.unwrap_or(buffer.len());
        let Some((deflated, &[c0, c1, c2, c3, l0, l1, l2, l3])) =
            buffer[..end].get(HEADER..).and_then(<[u8]>::split_last_chunk::<TRAILER>)
        else {
            return Ok(false);
        };
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if length > self.limits.member || length > deflated.len().saturating_mul(MOST_INFLATED) {
            return Ok(false);
        }
        self.text.resize(length, 0);
        let whole = self.inflater.deflate_decompress(deflated, &mut self.text) == Ok(length)
            && crc32(&self.text) == u32::from_le_bytes([c0, c1, c2, c3]);
        if whole {
            self.input.consume(end);
        } else {
            self.text.clear();
        }
        Ok(whole)
    }
}

/// The start of a member without optional fields, as writers make them, and the length of its header.
const USUAL: [u8; 4] = [0x1f, 0x8b, 8, 0];
const HEADER: usize = 10;
/// Bytes of the checksum and the length at the end of a member.
const TRAILER: usize = 8;
/// Most bytes that a deflated byte can make: 258 from two bits, rounded up. A member with a greater length is invalid.
const MOST_INFLATED: usize = 1_040;

/// Counts what is consumed, and distinguishes errors of the file from those of the decoder.
struct CountingReader<R> {
    inner: R,
    consumed: u64,
    failed: bool,
}

impl<R: BufRead> Read for CountingReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf).inspect_err(|_| self.failed = true)?;
        self.consumed += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for CountingReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let failed = &mut self.failed;
        self.inner.fill_buf().inspect_err(|_| *failed = true)
    }

    fn consume(&mut self, amount: usize) {
        self.consumed += amount as u64;
        self.inner.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};

    use super::*;

    fn member(text: &[u8], level: u32, builder: GzBuilder) -> Vec<u8> {
        let mut member = builder.write(Vec::new(), Compression::new(level));
        member.write_all(text).unwrap();
        member.finish().unwrap()
    }

    /// Texts and offsets up to the end or up to an incomplete member.
    fn all(mut members: Members<impl BufRead>) -> (Vec<(u64, Vec<u8>)>, u64) {
        let mut texts = Vec::new();
        while let Member::Whole = members.next().unwrap() {
            texts.push((members.start, std::mem::take(&mut members.text)));
        }
        (texts, members.position())
    }

    #[test]
    fn members_are_the_same_whether_the_buffer_holds_them_or_cuts_them() {
        let long: Vec<u8> = (0..40_000_u32).flat_map(|n| (n * n % 977).to_string().into_bytes()).collect();
        // Not compressed, so that bytes like a member's start are in the middle of it.
        let disguised = [&long[..50], &USUAL, &long[..50]].concat();
        let file = [
            member(&long, 6, GzBuilder::new()),
            member(b"", 6, GzBuilder::new()),
            member(&disguised, 0, GzBuilder::new()),
            member(b"named", 6, GzBuilder::new().filename("a.txt").extra(b"more")),
            member(&[b'x'; 100_000], 9, GzBuilder::new()),
            member(b"the last", 1, GzBuilder::new()),
        ]
        .concat();
        let (texts, end) = all(Members::new(file.as_slice(), ReadLimits::default(), Inflated::default()));
        assert_eq!(end, file.len() as u64);
        let expected = [&long[..], b"", &disguised, b"named", &[b'x'; 100_000], b"the last"];
        assert_eq!(texts.iter().map(|(_, text)| &text[..]).collect::<Vec<_>>(), expected);
        for capacity in [1, 7, 30, 600, 5_000, 40_000, file.len(), file.len() + 1] {
            let input = io::BufReader::with_capacity(capacity, file.as_slice());
            assert_eq!(
                all(Members::new(input, ReadLimits::default(), Inflated::default())),
                (texts.clone(), end),
                "{capacity} bytes at once"
            );
        }
    }

    #[test]
    fn a_length_that_no_member_can_have_allocates_nothing() {
        let mut file = member(b"short", 6, GzBuilder::new());
        let length = file.len() - 4;
        file[length..].copy_from_slice(&(60_u32 << 20).to_le_bytes());
        let mut members = Members::new(file.as_slice(), ReadLimits::default(), Inflated::default());
        assert!(matches!(members.next(), Ok(Member::Damaged(DamageKind::Corrupt(_)))));
        assert!(members.text.capacity() < 1 << 20, "{} bytes", members.text.capacity());
    }
}
