//! Files that are no recordings but inputs of another verb.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use weighbridge_ending::shell;
use weighbridge_recording::{Error, RecordingErrorKind};

/// Why a file was refused as a recording, and the verb that takes it.
pub fn explain_refusal(error: &Error) -> String {
    let file = Path::new(error.file());
    let other = matches!(error.kind(), RecordingErrorKind::NotARecording(_)).then(|| instead(file)).flatten();
    other.map_or_else(|| error.to_string(), |(what, verb)| format!("{error}, but {what}; see `{verb}`"))
}

/// What a file is by its first bytes, and the command that takes it.
fn instead(file: &Path) -> Option<(&'static str, String)> {
    let name = shell::quoted(file);
    let raw = start(File::open(file).ok()?);
    let unpacked = raw.starts_with(&[0x1f, 0x8b]).then(|| Some(start(GzDecoder::new(File::open(file).ok()?))));
    if raw.starts_with(b"PK\x03\x04") {
        Some(("an archive", format!("weighbridge instrument {name} --config FILE --dest DIR")))
    } else if unpacked.flatten().unwrap_or(raw).starts_with(b"JAVA PROFILE ") {
        Some(("a heap dump", format!("weighbridge heap dominators {name}")))
    } else {
        None
    }
}

/// The first bytes of a file.
pub fn start(from: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A file that cannot be read is not recognised.
    let _ = from.take(16).read_to_end(&mut bytes);
    bytes
}
