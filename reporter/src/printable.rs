//! Text from outside, made safe to print.

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
}
