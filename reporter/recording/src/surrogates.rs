//! Names with an unpaired surrogate. Runtimes up to 0.1 wrote it as the escape `\ud83d`, which JSON parsers refuse (RFC
//! 8259, 8.2). Such a line is read with the escape as six characters of text, as runtimes write it now.

/// The line with every unpaired surrogate as text; `None` if it has none.
pub(crate) fn as_text(line: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(backslash) = memchr::memchr(b'\\', &line[at..]).map(|found| at + found) {
        let high = unit(&line[backslash..]).filter(|unit| (0xd800..0xdc00).contains(unit));
        at = match (unit(&line[backslash..]), high) {
            (_, Some(_)) if unit(&line[backslash + ESCAPE..]).is_some_and(is_low) => backslash + 2 * ESCAPE,
            (Some(unit), high) if high.is_some() || is_low(unit) => {
                text.extend([&line[copied..backslash], b"\\"].concat());
                copied = backslash;
                backslash + ESCAPE
            }
            // Another escape.
            _ => (backslash + 2).min(line.len()),
        };
    }
    (copied > 0).then(|| [&text, &line[copied..]].concat())
}

/// Bytes of an escaped UTF-16 unit.
const ESCAPE: usize = r"\ud83d".len();

/// The UTF-16 unit of an escape at the start of the text.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unpaired_surrogates_become_text() {
        for (line, read) in [
            (r#""\ud83d""#, r"\ud83d"),
            (r#""a\uDE00b\ud83d""#, r"a\uDE00b\ud83d"),
            (r#""\ud83d\ud83d\ude00\ude00""#, "\\ud83d\u{1f600}\\ude00"),
            (r#""\ud83d\n""#, "\\ud83d\n"),
            (r#""\\\ud83dx""#, r"\\ud83dx"),
        ] {
            let mended = as_text(line.as_bytes()).expect(line);
            assert_eq!(serde_json::from_slice::<String>(&mended).expect(line), read, "{line}");
        }
        for line in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\u001b\"\\""#, r#""\ud8"#, r"\", "", r#""plain""#] {
            assert_eq!(as_text(line.as_bytes()), None, "{line}");
        }
    }
}
