//! The readable part of a recording, byte for byte.

use std::io::{self, BufRead, Read, Write};

use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};

use crate::error::{Damage, DamageKind};

/// Copies what a [`crate::Reader`] delivers of a recording: all of it, or the members before its damage unchanged. The
/// complete lines of a cut member are packed again; of other damaged members nothing is copied. Keys and kinds of later
/// versions are kept. The outputs can be concatenated.
pub fn copy_intact(
    mut input: impl BufRead,
    damage: Option<&Damage>,
    output: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let Some(damage) = damage else { return io::copy(&mut input, output).map(drop) };
    io::copy(&mut input.by_ref().take(damage.member), output)?;
    if damage.kind != DamageKind::Cut {
        return Ok(());
    }
    let mut text = Vec::new();
    // The error at the end of the file is expected; the text before it is what was written.
    let _ = GzDecoder::new(input).take(crate::ReadLimits::default().member as u64).read_to_end(&mut text);
    let complete = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if complete > 0 {
        let mut member = GzBuilder::new().mtime(0).write(output, Compression::default());
        member.write_all(&text[..complete])?;
        member.finish()?;
    }
    Ok(())
}
