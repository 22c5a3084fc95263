//! Text from outside, made safe to print.

use std::borrow::Cow;

/// Escapes the invisible characters of a text, so that it is one line and shows what it has. Names of classes, threads, tags
/// and files come from outside.
///
/// Control characters (Unicode's Cc: C0, DEL, C1) would move the cursor or end a message. Those of bidirectional text (UAX
/// 9) change the order of the text on the screen (CVE-2021-42574), and separators of lines and paragraphs may break a line.
/// They are written as in a Rust literal: `\u{1b}`, `\n`. A backslash is not escaped.
pub fn printable(text: &str) -> String {
    if !text.contains(acts) {
        return text.to_owned();
    }
    let mut printable = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if acts(c) { printable.extend(c.escape_default()) } else { printable.push(c) }
    }
    printable
}

/// The same for JSON text of one value: what acts is written as an escape of JSON (RFC 8259, section 7), so the value stays
/// what it is.
///
/// JSON has characters from U+007F on as they are in strings only, and below U+0020 only line ends and tabs between its
/// parts: those stay.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    let acts = |c: char| acts(c) && c >= '\u{7f}';
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut printable = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match acts(c) {
            // All of them are of the basic plane, so one escape is enough.
            true => printable.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => printable.push(c),
        }
    }
    Cow::Owned(printable)
}

/// Whether a character acts on the output instead of being visible.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_visible_ones_stay() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n\t\u{7f}\u{9b}31m"), r"a\u{1b}[2Jb\r\n\t\u{7f}\u{9b}31m");
        assert_eq!(
            printable("user\u{202e}nimda\u{2066}\u{200f}\u{2029}"),
            r"user\u{202e}nimda\u{2066}\u{200f}\u{2029}"
        );
        let shows = "com.acme.Caf\u{e9}$1 \u{1f600} \\n \u{5e9}\u{5dc} '";
        assert_eq!(printable(shows), shows);
    }

    #[test]
    fn json_with_characters_that_act_escaped_is_the_same_value() {
        let text = "{\n  \"a\u{202e}\": \"\u{9b}31m\u{7f}\u{2028} \\u001b\u{e9}\u{1f600}\"\n}";
        let escaped = "{\n  \"a\\u202e\": \"\\u009b31m\\u007f\\u2028 \\u001b\u{e9}\u{1f600}\"\n}";
        assert_eq!(printable_json(text), escaped);
        assert_eq!(printable_json("[1,\n2]"), "[1,\n2]");
    }
}
