//! Where in the text something is wrong, and what was meant.

use std::ops::Range;

use crate::{ConfigErrorKind, Error};

/// A name that is at least this similar may be what was meant.
const SIMILAR: f64 = 0.7;

/// A configuration error at a byte range of `text`; the message starts with line and column, both from 1.
pub(super) fn fault(text: &str, span: Range<usize>, kind: ConfigErrorKind, message: &str) -> Error {
    let (line, column) = line_and_column(text, span.start);
    Error::new(kind, format!("line {line}, column {column}: {message}"))
}

/// Line and column in characters, from 1, of a byte offset.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The byte offsets at which lines start.
pub(super) fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1)).collect()
}

/// Turns an error of the TOML reader into ours, with the nearest known key for an unknown one.
pub(super) fn from_toml(text: &str, error: &toml::de::Error) -> Error {
    let message = error.message().trim().replace('\n', ", ");
    let span = error.span().unwrap_or(0..0);
    let message = match unknown_field(&message) {
        Some((key, known)) => unknown_key(key, &known),
        None => message,
    };
    fault(text, span, ConfigErrorKind::Config, &message)
}

/// The known name that is most similar to a wrong one, if one is similar enough to be meant.
pub(super) fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similar = known.into_iter().map(|name| (strsim::jaro_winkler(wrong, name), name));
    similar.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(similarity, _)| *similarity >= SIMILAR).map(|(_, name)| name)
}

/// Splits serde's text for a refused key: "unknown field `x`, expected one of `a`, `b`". A test below checks that text.
fn unknown_field(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (key, rest) = rest.split_once('`')?;
    Some((key, rest.split('`').skip(1).step_by(2).collect()))
}

fn unknown_key(key: &str, known: &[&str]) -> String {
    match nearest(key, known.iter().copied()) {
        Some(nearest) => format!("unknown key `{key}`; did you mean `{nearest}`?"),
        None => format!("unknown key `{key}`; known here: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let text = "a = 1\n\u{e4}\u{f6} = 2\n";
        assert_eq!(line_and_column(text, 0), (1, 1));
        assert_eq!(line_and_column(text, text.find('2').unwrap()), (2, 6));
        assert_eq!(line_and_column(text, text.len()), (3, 1));
    }

    #[test]
    fn the_nearest_key_is_named_or_else_all_are() {
        assert_eq!(unknown_key("inculde", &["include", "exclude"]), "unknown key `inculde`; did you mean `include`?");
        assert_eq!(unknown_key("zzz", &["include", "exclude"]), "unknown key `zzz`; known here: include, exclude");
    }

    #[test]
    fn the_message_of_the_toml_reader_about_unknown_fields_is_parsed() {
        let one = "unknown field `a`, expected `b`";
        assert_eq!(unknown_field(one), Some(("a", vec!["b"])));
        let many = "unknown field `a`, expected one of `b`, `c`, `d`";
        assert_eq!(unknown_field(many), Some(("a", vec!["b", "c", "d"])));
        assert_eq!(unknown_field("invalid type"), None);
    }
}
