//! Bytes that any thread can read at any offset: a file, memory, or a window of either.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rawzip::{FileReader, ReaderAt};

use super::sink::{Sink, copy_in_kernel};
use super::temporary;
use crate::error::{Error, JarErrorKind, Result};
use crate::file_kind::FileKind;

/// Bytes that are copied at once through memory.
const BLOCK: u64 = 256 << 10;
/// Shorter runs are copied faster through the buffer of the output.
const KERNEL_COPY: u64 = 128 << 10;

/// A window of a file or memory. Reads by position (`pread`), so threads share it without a lock. Files are not mapped into
/// memory.
#[derive(Clone, Debug)]
pub struct ByteSource {
    backing: Arc<Backing>,
    start: u64,
    length: u64,
}

#[derive(Debug)]
enum Backing {
    /// A reader by position, and the file for copies in the kernel.
    File {
        reader: FileReader,
        file: File,
    },
    Memory(Vec<u8>),
}

impl ByteSource {
    /// A whole file.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if it cannot be opened; [`ErrorKind::Archive`] if it is no regular file.
    pub fn open(path: &Path) -> Result<ByteSource> {
        let unreadable = |error| Error::new(JarErrorKind::Io, "cannot be opened").because(error);
        let kind = FileKind::find(path);
        if kind.is_pipe() {
            return Err(Error::new(JarErrorKind::Archive, format!("is {}, no regular file", kind.name())));
        }
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(Error::new(JarErrorKind::Archive, "is no regular file"));
        }
        let reader = file.try_clone().map_err(unreadable)?.into();
        Ok(ByteSource { backing: Arc::new(Backing::File { reader, file }), start: 0, length: metadata.len() })
    }

    /// A file that still grows: windows of what was written can be read.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the handle cannot be duplicated.
    pub fn growing(file: File) -> Result<ByteSource> {
        let reader = file.try_clone().map_err(unreadable(0))?.into();
        Ok(ByteSource { backing: Arc::new(Backing::File { reader, file }), start: 0, length: u64::MAX })
    }

    /// All bytes, if this is no window and no file.
    pub(crate) fn own_memory(&self) -> Option<&[u8]> {
        match &*self.backing {
            Backing::Memory(bytes) if bytes.len() as u64 == self.length => Some(bytes),
            _ => None,
        }
    }

    /// Bytes in memory.
    pub fn memory(bytes: Vec<u8>) -> ByteSource {
        let length = bytes.len() as u64;
        ByteSource { backing: Arc::new(Backing::Memory(bytes)), start: 0, length }
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A part of this source; offsets in it count from the start of `range`.
    ///
    /// # Errors
    /// [`ErrorKind::Archive`] if the range leaves this source.
    pub fn window(&self, range: Range<u64>) -> Result<ByteSource> {
        if range.start > range.end || range.end > self.length {
            return Err(beyond_the_end(range.start));
        }
        Ok(ByteSource {
            backing: Arc::clone(&self.backing),
            start: self.start + range.start,
            length: range.end - range.start,
        })
    }

    /// Reads a range into memory.
    ///
    /// # Errors
    /// [`ErrorKind::Archive`] if the range leaves this source, [`ErrorKind::Io`] if reading fails.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        // Check before the allocation: the range may come from a damaged file.
        let window = self.window(range.clone())?;
        let length = usize::try_from(window.length).map_err(|_| beyond_the_end(range.start))?;
        let mut bytes = vec![0; length];
        window.read_exact_at(&mut bytes, 0).map_err(unreadable(range.start))?;
        Ok(bytes)
    }

    /// Reads from the start.
    pub(super) fn reader(self) -> impl io::Read {
        Reader { source: self, position: 0 }
    }

    /// Copies a range: in the kernel from file to file if possible, else in blocks.
    ///
    /// # Errors
    /// As [`Source::read`]; [`ErrorKind::Io`] if writing fails.
    pub fn copy(&self, range: Range<u64>, out: &mut dyn Sink) -> Result<()> {
        self.copy_or(range, out, unwritable)
    }

    /// The same, all of it into a temporary file, which an error of writing names.
    pub(crate) fn copy_to_temporary(&self, out: &mut dyn Sink) -> Result<()> {
        self.copy_or(0..self.length, out, temporary::unwritable)
    }

    fn copy_or(&self, range: Range<u64>, out: &mut dyn Sink, unwritable: fn(io::Error) -> Error) -> Result<()> {
        let window = self.window(range.clone())?;
        let mut position = 0;
        if window.length >= KERNEL_COPY
            && let Backing::File { file, .. } = &*self.backing
            && let Some(to) = out.file().map_err(unwritable)?
        {
            position = copy_in_kernel(file, window.start, to, window.length);
        }
        let mut block = vec![0; (window.length - position).min(BLOCK) as usize];
        while position < window.length {
            let length = (window.length - position).min(BLOCK) as usize;
            window.read_exact_at(&mut block[..length], position).map_err(unreadable(range.start + position))?;
            out.write_all(&block[..length]).map_err(unwritable)?;
            position += length as u64;
        }
        Ok(())
    }
}

struct Reader {
    source: ByteSource,
    position: u64,
}

impl io::Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read_at(buffer, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl ReaderAt for ByteSource {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.length.saturating_sub(offset);
        let length = (buffer.len() as u64).min(left) as usize;
        let buffer = &mut buffer[..length];
        match &*self.backing {
            Backing::File { reader, .. } => reader.read_at(buffer, self.start.saturating_add(offset)),
            Backing::Memory(bytes) => bytes.read_at(buffer, self.start.saturating_add(offset)),
        }
    }
}

fn beyond_the_end(offset: u64) -> Error {
    Error::new(JarErrorKind::Archive, "is cut off: something lies beyond its end").at_offset(offset)
}

fn unreadable(offset: u64) -> impl Fn(io::Error) -> Error {
    move |error| Error::new(JarErrorKind::Io, "cannot be read").at_offset(offset).because(error)
}

/// An error of writing the output.
pub(crate) fn unwritable(error: io::Error) -> Error {
    Error::new(JarErrorKind::Io, "the output cannot be written").because(error)
}
