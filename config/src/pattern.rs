//! One class-name pattern: what it may look like, and which names it matches.
//!
//! Names are matched in internal form (JVMS §4.2.1, `com/acme/Cache$Node`) and in modified UTF-8 (JVMS §4.4.7), as class files
//! have them: no name is converted. Paths in jars are the same, unless a character is above U+FFFF.

use std::borrow::Cow;

use crate::{ConfigErrorKind, Error, Result};

/// A pattern on dotted binary names: `*` within a segment, `**` across segments, `?` one character.
///
/// A `$` is an ordinary character: `com.acme.*` matches `com.acme.A$B`, `com.acme.A` does not.
/// `**` as a whole segment also matches no segment: `**.Cache` matches `Cache`, `com.**.Cache` matches `com.Cache`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    /// Leading segments without wildcards; never the last segment.
    packages: Vec<Box<[u8]>>,
    rest: Vec<Token>,
    /// Its line in the configuration, from 1.
    line: Option<usize>,
}

/// A part of a pattern; together they match the whole rest of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// These bytes.
    Bytes(Box<[u8]>),
    /// `?`: one character that is no separator.
    Character,
    /// `*`: any characters but separators, or none.
    Within,
    /// `**`: any characters, or none.
    Across,
    /// `**.`: any number of whole segments, each with its separator.
    Segments,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`] naming what cannot be part of a class name.
    pub fn parse(text: &str) -> Result<Pattern> {
        check(text)
            .map_err(|fault| Error::new(ConfigErrorKind::Pattern, format!("bad pattern \"{text}\": {fault}")))?;
        let segments: Vec<&str> = text.split('.').collect();
        let last = segments.len() - 1;
        let literal = segments[..last].iter().take_while(|segment| !segment.contains(['*', '?'])).count();
        let mut rest = Vec::new();
        for (index, segment) in segments.iter().enumerate().skip(literal) {
            if *segment == "**" {
                rest.push(if index == last { Token::Across } else { Token::Segments });
                continue;
            }
            push_segment(&mut rest, segment);
            if index != last {
                push_bytes(&mut rest, b"/");
            }
        }
        let packages = segments[..literal].iter().map(|segment| modified_utf8(segment).into()).collect();
        Ok(Pattern { text: text.to_owned(), packages, rest, line: None })
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The pattern with its line in the configuration, from 1.
    #[must_use]
    pub(super) fn in_line(self, line: usize) -> Pattern {
        Pattern { line: Some(line), ..self }
    }

    /// Its line in the configuration, from 1; `None` for a pattern of another origin.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The packages that a name must start with. [`Pattern::matches_rest`] tests what follows them.
    pub(super) fn packages(&self) -> &[Box<[u8]>] {
        &self.packages
    }

    /// The part of the only matching name after [`Pattern::packages`], of a pattern without wildcards.
    pub(super) fn exact_rest(&self) -> Option<&[u8]> {
        match self.rest.as_slice() {
            [Token::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// True if the part of an internal name after [`Pattern::packages`] matches. Linear in the length of `rest`.
    pub(super) fn matches_rest(&self, rest: &[u8]) -> bool {
        match self.rest.as_slice() {
            [Token::Across] => true,
            [Token::Within] => !rest.contains(&b'/'),
            [Token::Bytes(bytes)] => rest == &**bytes,
            tokens => matches_tokens(tokens, rest),
        }
    }

    /// True if the pattern matches the class of a dotted name.
    pub fn matches_class(&self, name: &str) -> bool {
        self.matches(&modified_utf8(&name.replace('.', "/")))
    }

    /// True if the pattern matches an internal name, in modified UTF-8.
    pub fn matches(&self, name: &[u8]) -> bool {
        let mut rest = name;
        for package in &self.packages {
            match rest.strip_prefix(&**package).and_then(|rest| rest.strip_prefix(b"/")) {
                Some(inner) => rest = inner,
                None => return false,
            }
        }
        self.matches_rest(rest)
    }
}

fn check(text: &str) -> std::result::Result<(), String> {
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.contains('/') {
        return Err(format!("names are dotted: write {}", text.replace('/', ".")));
    }
    if text.split('.').any(str::is_empty) {
        return Err("a dot needs a name on both sides".to_owned());
    }
    if text.contains("***") {
        return Err("`***` is no wildcard, `**` already crosses packages".to_owned());
    }
    let wrong = |c: &char| c.is_control() || c.is_whitespace() || "\\;,:|()[]{}<>^\"'!".contains(*c);
    match text.chars().find(wrong) {
        Some(c) => Err(format!("`{}` is no part of a class name (`?` stands for any one character)", c.escape_debug())),
        None => Ok(()),
    }
}

fn push_segment(tokens: &mut Vec<Token>, mut segment: &str) {
    while !segment.is_empty() {
        let (token, length) = if segment.starts_with("**") {
            (Token::Across, 2)
        } else if segment.starts_with('*') {
            (Token::Within, 1)
        } else if segment.starts_with('?') {
            (Token::Character, 1)
        } else {
            let length = segment.find(['*', '?']).unwrap_or(segment.len());
            push_bytes(tokens, &modified_utf8(&segment[..length]));
            segment = &segment[length..];
            continue;
        };
        tokens.push(token);
        segment = &segment[length..];
    }
}

/// Appends literal bytes, joined to a literal before them.
fn push_bytes(tokens: &mut Vec<Token>, bytes: &[u8]) {
    match tokens.last_mut() {
        Some(Token::Bytes(before)) => *before = [&**before, bytes].concat().into(),
        _ => tokens.push(Token::Bytes(bytes.into())),
    }
}

/// Keeps the set of offsets at which the tokens so far can end. There is no backtracking, so no pattern is slow.
fn matches_tokens(tokens: &[Token], name: &[u8]) -> bool {
    let mut ends = vec![false; name.len() + 1];
    ends[0] = true;
    for token in tokens {
        let mut next = vec![false; name.len() + 1];
        match token {
            Token::Bytes(bytes) => {
                for start in offsets(&ends) {
                    if name[start..].starts_with(bytes) {
                        next[start + bytes.len()] = true;
                    }
                }
            }
            Token::Character => {
                for start in offsets(&ends) {
                    if name.get(start).is_some_and(|&byte| byte != b'/') {
                        next[end_of_character(name, start)] = true;
                    }
                }
            }
            Token::Within => spread(&ends, &mut next, |end| name[end - 1] != b'/'),
            Token::Across => spread(&ends, &mut next, |_| true),
            Token::Segments => {
                if let Some(first) = offsets(&ends).next() {
                    next.clone_from(&ends);
                    for end in first + 1..=name.len() {
                        next[end] |= name[end - 1] == b'/';
                    }
                }
            }
        }
        ends = next;
    }
    ends[name.len()]
}

fn offsets(set: &[bool]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().filter_map(|(offset, &in_set)| in_set.then_some(offset))
}

/// Extends each offset of `ends` over the characters after it while `may_pass(end)` holds.
fn spread(ends: &[bool], next: &mut [bool], may_pass: impl Fn(usize) -> bool) {
    let mut running = false;
    for end in 0..ends.len() {
        running = ends[end] || (running && may_pass(end));
        next[end] = running;
    }
}

/// A text as class files have it (JVMS §4.4.7): a character above U+FFFF is two surrogates of three bytes each. Patterns have no
/// NUL, the other difference to UTF-8.
pub(super) fn modified_utf8(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(|c| c > '\u{FFFF}') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len() * 2);
    for c in text.chars() {
        match c.encode_utf16(&mut [0; 2]) {
            [high, low] => {
                for unit in [*high, *low] {
                    bytes.extend([
                        0xE0 | (unit >> 12) as u8,
                        0x80 | (unit >> 6 & 0x3F) as u8,
                        0x80 | (unit & 0x3F) as u8,
                    ]);
                }
            }
            _ => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// Continuation bytes belong to the character before them, and a low surrogate to the high one before it.
fn end_of_character(name: &[u8], start: usize) -> usize {
    let end = |start: usize| start + 1 + name[start + 1..].iter().take_while(|&&byte| byte & 0xC0 == 0x80).count();
    let is_surrogate =
        |start: usize, half: u8| matches!(name.get(start..start + 2), Some(&[0xED, second]) if second & 0xF0 == half);
    let first = end(start);
    if is_surrogate(start, HIGH_SURROGATE) && is_surrogate(first, LOW_SURROGATE) { end(first) } else { first }
}

/// The four high bits of the second byte of a surrogate; the first one is 0xED.
const HIGH_SURROGATE: u8 = 0xA0;
const LOW_SURROGATE: u8 = 0xB0;

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, dotted: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches_class(dotted)
    }

    #[test]
    fn a_star_stays_within_a_segment() {
        assert!(matches("com.acme.*", "com.acme.Cache"));
        assert!(!matches("com.acme.*", "com.acme.cache.Node"));
        assert!(!matches("com.acme.*", "com.acmeX"));
        assert!(matches("com.*.Cache", "com.acme.Cache"));
        assert!(!matches("com.*.Cache", "com.acme.lru.Cache"));
        assert!(matches("com.acme.*Cache*", "com.acme.LruCacheNode"));
    }

    #[test]
    fn two_stars_match_any_number_of_segments_and_none() {
        assert!(matches("com.acme.**", "com.acme.a.b.C"));
        assert!(matches("**", "Main"));
        assert!(matches("**.Cache", "Cache"));
        assert!(matches("**.Cache", "com.acme.Cache"));
        assert!(!matches("**.Cache", "com.acme.LruCache"));
        assert!(matches("com.**.Cache", "com.Cache"));
        assert!(matches("com.**.Cache", "com.a.b.Cache"));
        assert!(matches("com.acme.Foo**", "com.acme.Foo"));
        assert!(matches("com.acme.Foo**", "com.acme.Foo.bar.Baz"));
        assert!(!matches("com.acme.**", "com.acmeX.C"));
    }

    #[test]
    fn a_question_mark_is_one_character_of_any_length_in_bytes() {
        assert!(matches("com.acme.?ode", "com.acme.Node"));
        assert!(matches("com.acme.?ode", "com.acme.\u{d6}ode"));
        assert!(matches("com.acme.?ode", "com.acme.\u{1D4A9}ode"));
        assert!(!matches("com.acme.??ode", "com.acme.\u{1D4A9}ode"));
        assert!(!matches("com.acme.?ode", "com.acme.ode"));
        assert!(!matches("com?acme", "com.acme"));
    }

    #[test]
    fn a_character_above_u_ffff_matches_as_class_files_have_it() {
        let pattern = Pattern::parse("\u{1D4B2}.\u{1D4B2}*").unwrap();
        assert!(pattern.matches(b"\xED\xA0\xB5\xED\xB2\xB2/\xED\xA0\xB5\xED\xB2\xB2x"));
        assert!(matches("\u{1D4B2}.\u{1D4B2}*", "\u{1D4B2}.\u{1D4B2}x"));
    }

    #[test]
    fn a_dollar_is_part_of_its_segment() {
        assert!(matches("com.acme.*", "com.acme.A$B"));
        assert!(matches("com.acme.A$*", "com.acme.A$B"));
        assert!(!matches("com.acme.A", "com.acme.A$B"));
    }

    #[test]
    fn a_pattern_without_wildcards_matches_one_name() {
        assert!(matches("com.acme.A", "com.acme.A"));
        assert!(!matches("com.acme.A", "com.acme.AB"));
        assert!(!matches("com.acme.A", "org.com.acme.A"));
    }

    #[test]
    fn many_wildcards_stay_linear() {
        let pattern = format!("{}b", "*a".repeat(40));
        assert!(!matches(&pattern, &"a".repeat(2000)));
    }

    #[test]
    fn characters_that_no_class_name_has_are_refused_by_name() {
        let faults: Vec<String> = ["", "com/acme/**", "com..acme", ".com", "com.***", "com.acme.Foo Bar", "com\\.acme"]
            .iter()
            .map(|text| Pattern::parse(text).unwrap_err().to_string())
            .collect();
        insta::assert_snapshot!(faults.join("\n"));
    }
}
