//! The secret that a TCP client must know.

use std::io::Read;
use std::path::Path;

use subtle::ConstantTimeEq;

use crate::error::{Error, Result};

/// The shortest token that is accepted, in bytes. `openssl rand -hex 16` gives 32.
const SHORTEST: usize = 16;

/// The longest token that is accepted, in bytes.
const LONGEST: u64 = 4096;

/// Reads a token from a file, without the white space around it.
///
/// # Errors
/// The file cannot be read, is not a plain file, can be opened by anybody but this user (or belongs to somebody else
/// than this user or root), or the token is shorter than 16 bytes or longer than 4 KiB.
pub fn read_token(path: &Path) -> Result<String> {
    let wrong = |why: String| Error::Unsafe { path: path.to_owned(), why };
    // Opened once: what is looked at is what is read, whatever has the path by then. A pipe is not waited for.
    let mut options = std::fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.read(true).open(path).map_err(Error::io_at_path(path))?;
    let about = file.metadata().map_err(Error::io_at_path(path))?;
    if !about.is_file() {
        return Err(wrong("the token must be in a plain file".to_owned()));
    }
    only_owner(&about).map_err(wrong)?;
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text).map_err(Error::io_at_path(path))?;
    if text.len() as u64 > LONGEST {
        return Err(wrong(format!("the token is longer than {LONGEST} bytes")));
    }
    let token = text.trim();
    if token.len() < SHORTEST {
        return Err(wrong(format!("the token is shorter than {SHORTEST} bytes")));
    }
    Ok(token.to_owned())
}

#[cfg(unix)]
fn only_owner(about: &std::fs::Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    if ![crate::endpoint::user(), 0].contains(&about.uid()) {
        return Err(format!("it belongs to the user {}", about.uid()));
    }
    match about.mode() & 0o077 {
        0 => Ok(()),
        _ => Err(format!("others can open it (mode {:03o}); it must be 600 or less", about.mode() & 0o777)),
    }
}

#[cfg(not(unix))]
fn only_owner(_: &std::fs::Metadata) -> Result<(), String> {
    Err("who can open a file is not known on this system".to_owned())
}

/// Compares in a time that depends on the lengths only.
pub(crate) fn equal(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}
