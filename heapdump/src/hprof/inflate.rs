//! Compressed dumps: inflated once to a file without a name.
//!
//! `jcmd GC.heap_dump -gz=N` (JDK 17 and later, JDK-8237354) writes a sequence of gzip members. The passes over a dump
//! read it by offset and several times, which a gzip stream does not allow.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::window::WIDE;
use crate::error::Warning;

/// First bytes of a gzip member (RFC 1952, 2.3.1).
const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// Whether a file is compressed by gzip. The file is then at its start.
pub(super) fn is_compressed(file: &mut File) -> io::Result<bool> {
    let mut first = Vec::new();
    file.rewind()?;
    file.take(2).read_to_end(&mut first)?;
    file.rewind()?;
    Ok(first == MAGIC)
}

/// Inflates a dump into a temporary file beside it, or in the system's temporary directory if that folder cannot be
/// written. The file disappears when its handle is closed. If the stream breaks, the file has the bytes before that.
pub(super) fn inflate(path: &Path, file: File) -> io::Result<(File, Option<Warning>)> {
    let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut inflated = tempfile::tempfile_in(beside).or_else(|_| tempfile::tempfile())?;
    let mut decoder = MultiGzDecoder::new(io::BufReader::with_capacity(WIDE, file));
    let mut buffer = vec![0; WIDE];
    let mut length = 0;
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => return Ok((inflated, None)),
            Ok(n) => {
                inflated.write_all(&buffer[..n]).map_err(|error| no_room(error, length))?;
                length += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Ok((inflated, Some(Warning::CutCompression { inflated: length, reason: error.to_string() })));
            }
        }
    }
}

fn no_room(error: io::Error, written: u64) -> io::Error {
    let text = format!("inflating the dump to a temporary file failed after {written} bytes: {error}");
    io::Error::new(error.kind(), text)
}
