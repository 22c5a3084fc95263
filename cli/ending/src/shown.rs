//! A filter for all output to a terminal.

use std::io::{self, Write};

use weighbridge_outside::printable;

/// Writes lines with acting characters escaped ([`printable`]), so that foreign names cannot move the cursor.
struct EscapingWriter<W> {
    output: W,
    /// The line so far.
    line: Vec<u8>,
    /// Whether codes for colour and weight pass unchanged (ECMA-48, 8.3.117). Reports escape foreign names before they add
    /// such codes.
    colour: bool,
}

impl<W: Write> EscapingWriter<W> {
    fn new(output: W, colour: bool) -> Self {
        EscapingWriter { output, line: Vec::new(), colour }
    }

    /// Writes a last line that has no line end.
    fn finish(mut self) -> io::Result<()> {
        self.write_line()?;
        self.output.flush()
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let mut rest = &*String::from_utf8_lossy(&line);
        while let Some((before, code, after)) = self.colour.then(|| code(rest)).flatten() {
            self.output.write_all(printable(before).as_bytes())?;
            self.output.write_all(code.as_bytes())?;
            rest = after;
        }
        self.output.write_all(printable(rest).as_bytes())
    }
}

/// Writes a report for people, with acting characters escaped but for codes of colour and weight if it has such: whatever it
/// forgets to escape must not act where its file is looked at later either.
pub fn write_text(
    output: &mut dyn Write,
    colour: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut shown = EscapingWriter::new(output, colour);
    write(&mut shown).and_then(|()| shown.finish())
}

/// The first code for colour or weight: the text before it, the code, the text after it.
fn code(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices("\x1b[").find_map(|(start, introducer)| {
        let parameters = start + introducer.len();
        let end = parameters + text[parameters..].find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
        text[end..].starts_with('m').then(|| (&text[..start], &text[start..=end], &text[end + 1..]))
    })
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
            self.line.extend(text);
            if ended {
                self.write_line()?;
                self.output.write_all(b"\n")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, colour: bool) -> String {
        let mut bytes = Vec::new();
        let mut shown = EscapingWriter::new(&mut bytes, colour);
        // Byte by byte, because a character may arrive in parts.
        text.bytes().for_each(|byte| shown.write_all(&[byte]).unwrap());
        shown.finish().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn only_our_own_colour_codes_reach_the_terminal() {
        let text = "\x1b[1;31mname\x1b[0m \x1b[2J\u{9b}31m \x1b]0;title\x07\r\n\u{202e}last";
        assert_eq!(
            shown(text, true),
            "\x1b[1;31mname\x1b[0m \\u{1b}[2J\\u{9b}31m \\u{1b}]0;title\\u{7}\\r\n\\u{202e}last"
        );
        assert!(!shown(text, false).contains('\x1b'));
        assert_eq!(shown("\x1b[1", true), "\\u{1b}[1", "a code that is not complete");
    }
}
