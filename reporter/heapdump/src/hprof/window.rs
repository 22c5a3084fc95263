//! A window on a file that slides forward. It reads by offset, so threads share one file handle.
//!
//! With a memory map, every page that was read would count as resident memory of the process.

use std::fs::File;
use std::io;

/// Bytes read at once if all are used: so few that they are still in the core's cache when they are used.
pub(crate) const WIDE: usize = 1 << 18;

/// Bytes read at once if most are skipped.
pub(crate) const NARROW: usize = 1 << 14;

/// Why bytes could not be read.
#[derive(Debug)]
pub(crate) enum Missing {
    /// They are past the end.
    Cut,
    Io(io::Error),
}

impl From<io::Error> for Missing {
    fn from(error: io::Error) -> Self {
        Missing::Io(error)
    }
}

/// The bytes of `[position, end)`; a part of them is in memory.
pub(crate) struct Window<'a> {
    file: &'a File,
    buffer: Vec<u8>,
    /// File offset of `buffer[0]`.
    base: u64,
    /// Bytes of `buffer` that are filled from the file.
    filled: usize,
    /// Next byte, as an index into `buffer`; may be past `filled` after a long skip.
    next: usize,
    end: u64,
    width: usize,
}

/// The bytes that a window has read, kept for the next one on the same file.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    base: u64,
    filled: usize,
}

impl<'a> Window<'a> {
    /// A window on the bytes of `[start, end)` that takes what was read before.
    pub(crate) fn resume(file: &'a File, width: usize, buffer: &mut Buffer, (start, end): (u64, u64)) -> Self {
        let Buffer { bytes, base, filled } = std::mem::take(buffer);
        let mut window = Window { file, buffer: bytes, base, filled, next: 0, end, width };
        match start.checked_sub(base) {
            Some(next) if next < filled as u64 => window.next = next as usize,
            _ => window.move_to(start, end),
        }
        window
    }

    /// Gives back what was read.
    pub(crate) fn leave(self, buffer: &mut Buffer) {
        *buffer = Buffer { bytes: self.buffer, base: self.base, filled: self.filled };
    }

    pub(crate) fn new(file: &'a File, width: usize) -> Self {
        Window { file, buffer: Vec::new(), base: 0, filled: 0, next: 0, end: 0, width }
    }

    /// Moves to another part of the file.
    pub(crate) fn move_to(&mut self, start: u64, end: u64) {
        (self.base, self.filled, self.next, self.end) = (start, 0, 0, end);
    }

    /// File offset of the next byte.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.base + self.next as u64
    }

    #[inline]
    pub(crate) fn remaining(&self) -> u64 {
        self.end.saturating_sub(self.position())
    }

    /// The next `n` bytes, without moving past them.
    #[inline]
    pub(crate) fn peek(&mut self, n: usize) -> Result<&[u8], Missing> {
        if self.filled.saturating_sub(self.next) < n {
            self.fill(n)?;
        }
        Ok(&self.buffer[self.next..self.next + n])
    }

    /// The next `n` bytes.
    #[inline]
    pub(crate) fn take(&mut self, n: usize) -> Result<&[u8], Missing> {
        self.peek(n)?;
        self.next += n;
        Ok(&self.buffer[self.next - n..self.next])
    }

    /// Passes over bytes without reading them.
    #[inline]
    pub(crate) fn skip(&mut self, n: u64) -> Result<(), Missing> {
        if n > self.remaining() {
            return Err(Missing::Cut);
        }
        match self.filled.checked_sub(self.next) {
            Some(rest) if n <= rest as u64 => self.next += n as usize,
            _ => (self.base, self.filled, self.next) = (self.position() + n, 0, 0),
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, n: usize) -> Result<(), Missing> {
        if n as u64 > self.remaining() {
            return Err(Missing::Cut);
        }
        let position = self.position();
        let kept = self.filled.saturating_sub(self.next);
        let wanted = self.remaining().min(n.max(self.width) as u64) as usize;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        let first = self.next.min(self.filled);
        self.buffer.copy_within(first..first + kept, 0);
        (self.base, self.next, self.filled) = (position, 0, kept);
        read_exact_at(self.file, &mut self.buffer[kept..wanted], position + kept as u64)?;
        self.filled = wanted;
        Ok(())
    }
}

/// Reads a range of a file without moving its position.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Reads a range of a file. It moves the file's position, which nothing uses.
#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => (buffer, offset) = (&mut buffer[n..], offset + n as u64),
        }
    }
    Ok(())
}
