//! Where an archive goes: memory, or a file that the kernel can copy runs into.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use rawzip::{FileReader, ReaderAt};
use tempfile::NamedTempFile;

/// A writer that may be a file.
pub trait Sink: Write + Send {
    /// The file behind it, with everything written so far in it and its position at the end of that; `None` if the
    /// bytes go somewhere else.
    ///
    /// # Errors
    /// If buffered bytes cannot be written.
    fn file(&mut self) -> io::Result<Option<&File>> {
        Ok(None)
    }

    /// Reads what was written at an offset from the start of the output.
    ///
    /// # Errors
    /// If so much was not written there, or if it cannot be read, as by default.
    fn read_back(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match self.file()? {
            Some(file) => FileReader::from(file.try_clone()?).read_exact_at(into, offset),
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl Sink for Vec<u8> {
    fn read_back(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let written = self.get(start..).and_then(|written| written.get(..into.len()));
        into.copy_from_slice(written.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

impl Sink for BufWriter<File> {
    fn file(&mut self) -> io::Result<Option<&File>> {
        self.flush()?;
        Ok(Some(self.get_ref()))
    }
}

impl Sink for BufWriter<NamedTempFile> {
    fn file(&mut self) -> io::Result<Option<&File>> {
        self.flush()?;
        Ok(Some(self.get_ref().as_file()))
    }
}

/// Copies inside the kernel (copy_file_range(2)), to the position of `to`: no byte passes through this process, and
/// a file system that can share blocks does. Gives the bytes copied; where the system cannot do it, or cannot go on,
/// that is less than `length`, and the caller copies the rest.
#[cfg(target_os = "linux")]
pub(super) fn copy_in_kernel(from: &File, offset: u64, to: &File, length: u64) -> u64 {
    let mut at = offset;
    let end = offset.saturating_add(length);
    while at < end {
        let left = usize::try_from(end - at).unwrap_or(usize::MAX);
        match rustix::fs::copy_file_range(from, Some(&mut at), to, None, left) {
            Ok(0) => break,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            // Another file system, a file system without it, or an error that a plain read or write will name.
            Err(_) => break,
        }
    }
    at - offset
}

/// Elsewhere all copying goes through memory.
#[cfg(not(target_os = "linux"))]
pub(super) fn copy_in_kernel(_from: &File, _offset: u64, _to: &File, _length: u64) -> u64 {
    0
}
