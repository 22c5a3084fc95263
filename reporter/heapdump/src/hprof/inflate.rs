//! Compressed dumps: inflated once to a file without a name.
//!
//! `jcmd GC.heap_dump -gz=N` (JDK 17 and later, JDK-8237354) writes a sequence of gzip members. The passes over a dump
//! read it by offset and several times, which a gzip stream does not allow.

use std::env;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::window::WIDE;
use crate::error::Warning;

/// A dump may always have so many bytes inflated.
const ALWAYS_ALLOWED: u64 = 16 << 30;
/// A longer one may have so many times the bytes that it has compressed. Dumps have 3 to 20 times as many, redacted ones
/// more, as their values are zeros; gzip can make more than a thousand of one, which would fill the disk.
const TIMES_ALLOWED: u64 = 100;

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
///
/// # Errors
/// The system's, and that it would be far longer than a dump.
pub(super) fn inflate(path: &Path, file: File) -> io::Result<(File, Option<Warning>)> {
    let limit = limit(file.metadata()?.len());
    inflate_at_most(limit, path, file)
}

/// The most bytes that a compressed dump of this length may have inflated.
fn limit(compressed: u64) -> u64 {
    compressed.saturating_mul(TIMES_ALLOWED).max(ALWAYS_ALLOWED)
}

fn inflate_at_most(limit: u64, path: &Path, file: File) -> io::Result<(File, Option<Warning>)> {
    let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (mut inflated, folder) = match tempfile::tempfile_in(beside) {
        Ok(inflated) => (inflated, beside.to_owned()),
        Err(_) => {
            let folder = env::temp_dir();
            (tempfile::tempfile_in(&folder).map_err(|error| no_room(error, &folder, 0))?, folder)
        }
    };
    let mut decoder = MultiGzDecoder::new(io::BufReader::with_capacity(WIDE, file));
    let mut buffer = vec![0; WIDE];
    let mut length = 0;
    loop {
        if length > limit {
            return Err(too_long(limit));
        }
        match decoder.read(&mut buffer) {
            Ok(0) => return Ok((inflated, None)),
            Ok(n) => {
                inflated.write_all(&buffer[..n]).map_err(|error| no_room(error, &folder, length))?;
                length += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Ok((inflated, Some(Warning::CutCompression { inflated: length, reason: error.to_string() })));
            }
        }
    }
}

fn no_room(error: io::Error, folder: &Path, written: u64) -> io::Error {
    let folder = folder.display();
    let text = format!("inflating the dump to a temporary file in {folder} failed after {written} bytes: {error}");
    io::Error::new(error.kind(), text)
}

fn too_long(limit: u64) -> io::Error {
    let text = format!(
        "it has more than {limit} bytes inflated, the most that is done here: 16 GiB, or {TIMES_ALLOWED} times its length, \
         and dumps have 3 to 20 times; if you trust it, inflate it with `gzip -d` first"
    );
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::{Read, Seek, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{ALWAYS_ALLOWED, WIDE, inflate_at_most, limit};

    #[test]
    fn what_inflates_to_far_more_than_a_dump_does_not_fill_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.hprof.gz");
        let length = 4 * WIDE;
        let mut bomb = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
        bomb.write_all(&vec![0; length]).unwrap();
        bomb.finish().unwrap();
        let inflate = |limit: usize| inflate_at_most(limit as u64, &path, File::open(&path).unwrap());
        let error = inflate(length - 1).unwrap_err().to_string();
        assert!(error.starts_with(&format!("it has more than {} bytes inflated", length - 1)), "{error}");
        assert!(inflate(WIDE).is_err());
        let (mut whole, warning) = inflate(length).unwrap();
        assert!(warning.is_none());
        let mut bytes = Vec::new();
        whole.rewind().unwrap();
        whole.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), length);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_dump_may_have_100_times_its_length_and_a_short_one_more() {
        assert_eq!(limit(20), ALWAYS_ALLOWED);
        assert_eq!(limit(1 << 30), 100 << 30);
        assert_eq!(limit(u64::MAX), u64::MAX);
    }
}
