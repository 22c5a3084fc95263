//! Where an archive is written: to memory, or to a file into which the kernel can copy.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use rawzip::{FileReader, ReaderAt};
use tempfile::NamedTempFile;

/// A writer that may be a file.
pub trait Sink: Write + Send {
    /// The file, after flushing, with its position at the end of what was written; `None` if it writes to no file.
    ///
    /// # Errors
    /// If buffered bytes cannot be written.
    fn file(&mut self) -> io::Result<Option<&File>> {
        Ok(None)
    }

    /// Reads what was written at an offset from the start of the output.
    ///
    /// # Errors
    /// If less was written there, or if the output cannot be read.
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

/// Copies in the kernel (copy_file_range(2)) to the position of `to`; some file systems share the blocks. Returns how many
/// bytes it copied. That is less than `length` if the system cannot copy or stops early; the caller copies the rest.
#[cfg(target_os = "linux")]
pub(super) fn copy_in_kernel(from: &File, offset: u64, to: &File, length: u64) -> u64 {
    let mut at = offset;
    let end = offset.saturating_add(length);
    while at < end {
        let left = usize::try_from(end - at).unwrap_or(usize::MAX);
        match rustix::fs::copy_file_range(from, Some(&mut at), to, None, left) {
            Ok(0) => break,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            // Another file system, one without support, or an error that a plain read or write will report.
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
