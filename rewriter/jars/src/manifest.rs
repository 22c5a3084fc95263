//! Edits a jar's manifest and keeps all other bytes (JAR File Specification, "Manifest Specification"): lines of 72 bytes,
//! continuation lines, any line ends.

use std::ops::Range;

/// Bytes of a line without its end (JAR File Specification: "No line may be longer than 72 bytes").
const LINE: usize = 72;

/// A manifest: its raw text and the attributes in it.
#[derive(Clone, Debug)]
pub struct Manifest {
    text: Vec<u8>,
    /// The main section first, then the per-entry ones.
    sections: Vec<Vec<Attribute>>,
    /// Where a new attribute of the main section goes.
    main_end: usize,
}

#[derive(Clone, Debug)]
struct Attribute {
    name: String,
    /// With joined continuation lines. Bytes that are no UTF-8 are replaced here and kept in the text.
    value: String,
    bytes: Range<usize>,
}

impl Manifest {
    /// Reads a manifest. Lines that are no attributes are kept but ignored, as in the JDK's launcher.
    pub fn parse(text: Vec<u8>) -> Manifest {
        let mut sections = vec![Vec::new()];
        let mut main_end = None;
        for line in logical_lines(&text) {
            if text[line.clone()].iter().all(|&byte| byte == b'\r' || byte == b'\n') {
                main_end.get_or_insert(line.start);
                if sections.last().is_some_and(|section| !section.is_empty()) {
                    sections.push(Vec::new());
                }
            } else if let Some(attribute) = attribute(&text, line)
                && let Some(section) = sections.last_mut()
            {
                section.push(attribute);
            }
        }
        let main_end = main_end.unwrap_or(text.len());
        Manifest { text, sections, main_end }
    }

    /// The value of an attribute of the main section; names are case-insensitive.
    pub fn main(&self, name: &str) -> Option<&str> {
        self.main_attribute(name).map(|attribute| attribute.value.as_str())
    }

    fn main_attribute(&self, name: &str) -> Option<&Attribute> {
        self.sections[0].iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))
    }

    /// The manifest with an attribute of the main section replaced or, if there is none, appended to the section.
    #[must_use]
    pub fn with_main(&self, name: &str, value: &str) -> Manifest {
        let end = self.line_end();
        let lines = wrapped(&format!("{name}: {value}"), end);
        let mut text = self.text.clone();
        match self.main_attribute(name) {
            Some(attribute) => text.splice(attribute.bytes.clone(), lines),
            None => {
                let unfinished = self.main_end > 0 && !matches!(self.text[self.main_end - 1], b'\n' | b'\r');
                let before = if unfinished { end } else { "" };
                let lines: Vec<u8> = before.bytes().chain(lines).collect();
                text.splice(self.main_end..self.main_end, lines)
            }
        };
        Manifest::parse(text)
    }

    /// True if the section of an entry has a digest of a signed jar.
    pub fn has_digests(&self) -> bool {
        self.sections[1..].iter().flatten().any(is_digest)
    }

    /// The manifest without the digests of signed entries. Sections without other attributes are removed.
    #[must_use]
    pub fn without_digests(&self) -> Manifest {
        let mut text = Vec::with_capacity(self.text.len());
        let mut copied = 0;
        for (index, section) in self.sections.iter().enumerate().skip(1) {
            if !section.iter().any(is_digest) {
                continue;
            }
            let only_digests =
                section.iter().all(|attribute| is_digest(attribute) || attribute.name.eq_ignore_ascii_case("Name"));
            if only_digests {
                let next = self.sections.get(index + 1).and_then(|section| section.first());
                let end = next.map_or(self.text.len(), |attribute| attribute.bytes.start);
                text.extend(&self.text[copied..section[0].bytes.start]);
                copied = end;
            } else {
                for attribute in section.iter().filter(|attribute| is_digest(attribute)) {
                    text.extend(&self.text[copied..attribute.bytes.start]);
                    copied = attribute.bytes.end;
                }
            }
        }
        text.extend(&self.text[copied..]);
        Manifest::parse(text)
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.text
    }

    /// The line end that the file uses; CR LF if it has none.
    fn line_end(&self) -> &'static str {
        match self.text.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
            Some(at) if self.text[at] == b'\n' => "\n",
            Some(at) if self.text.get(at + 1) != Some(&b'\n') => "\r",
            _ => "\r\n",
        }
    }
}

/// Byte ranges of lines with their continuation lines and ends.
fn logical_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let end = match rest.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
            Some(at) if rest[at] == b'\r' && rest.get(at + 1) == Some(&b'\n') => start + at + 2,
            Some(at) => start + at + 1,
            None => text.len(),
        };
        match lines.last_mut() {
            Some(line) if text[start] == b' ' => line.end = end,
            _ => lines.push(start..end),
        }
        start = end;
    }
    lines
}

fn attribute(text: &[u8], line: Range<usize>) -> Option<Attribute> {
    let mut joined = Vec::new();
    for (index, part) in text[line.clone()].split(|&byte| byte == b'\n' || byte == b'\r').enumerate() {
        let continued = if index == 0 { part } else { part.strip_prefix(b" ").unwrap_or(part) };
        joined.extend(continued);
    }
    let joined = String::from_utf8_lossy(&joined);
    let (name, value) = joined.split_once(": ").or_else(|| joined.strip_suffix(':').map(|name| (name, "")))?;
    Some(Attribute { name: name.to_owned(), value: value.to_owned(), bytes: line })
}

fn is_digest(attribute: &Attribute) -> bool {
    // `SHA-256-Digest`, `SHA1-Digest-de`, and `Magic`, which lists algorithms needed to verify the section.
    let name = attribute.name.to_ascii_lowercase();
    name.ends_with("-digest") || name.contains("-digest-") || name == "magic"
}

/// One attribute as lines of at most 72 bytes, broken between characters.
fn wrapped(line: &str, end: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(line.len() + 8);
    let mut length = 0;
    for character in line.chars() {
        if length + character.len_utf8() > LINE {
            bytes.extend(end.as_bytes());
            bytes.push(b' ');
            length = 1;
        }
        let mut buffer = [0; 4];
        bytes.extend(character.encode_utf8(&mut buffer).as_bytes());
        length += character.len_utf8();
    }
    bytes.extend(end.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(text: &str) -> Manifest {
        Manifest::parse(text.as_bytes().to_vec())
    }

    fn text(manifest: Manifest) -> String {
        String::from_utf8(manifest.into_bytes()).unwrap()
    }

    const SIGNED: &str = "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\nName: a/B.class\r\nSHA-256-Digest: x\r\n\r\n\
                          Name: a/C.class\r\nSealed: true\r\nSHA-256-Digest: y\r\n\r\nName: b/\r\nSealed: true\r\n\r\n";

    #[test]
    fn a_new_attribute_ends_the_main_section() {
        let edited = manifest(SIGNED).with_main("Launcher-Agent-Class", "x.Agent");
        let expected = SIGNED.replacen("a.B\r\n", "a.B\r\nLauncher-Agent-Class: x.Agent\r\n", 1);
        assert_eq!(text(edited), expected);
    }

    #[test]
    fn an_attribute_is_replaced_in_its_line_whatever_its_case() {
        let edited = manifest("Manifest-Version: 1.0\nadd-opens: a/b\n  c\nX: y\n").with_main("Add-Opens", "a/b c d/e");
        assert_eq!(text(edited), "Manifest-Version: 1.0\nAdd-Opens: a/b c d/e\nX: y\n");
    }

    #[test]
    fn a_continued_value_is_joined() {
        assert_eq!(manifest("Class-Path: a.j\r\n ar b.jar\r\n").main("class-path"), Some("a.jar b.jar"));
    }

    #[test]
    fn a_file_without_a_last_line_end_gets_one_before_the_new_attribute() {
        assert_eq!(text(manifest("A: b").with_main("C", "d")), "A: b\r\nC: d\r\n");
        assert_eq!(text(manifest("").with_main("C", "d")), "C: d\r\n");
    }

    #[test]
    fn lines_break_at_72_bytes_and_never_within_a_character() {
        let lines = wrapped(&format!("Name: {}\u{e4}{}", "x".repeat(65), "y".repeat(80)), "\n");
        let lines: Vec<&str> = std::str::from_utf8(&lines).unwrap().lines().collect();
        assert_eq!(lines.iter().map(|line| line.len()).collect::<Vec<_>>(), [71, 72, 12]);
        assert!(lines[1].starts_with(" \u{e4}y"));
    }

    #[test]
    fn digests_go_and_other_attributes_of_entries_stay() {
        assert!(manifest(SIGNED).has_digests());
        let unsigned = manifest(SIGNED).without_digests();
        assert!(!unsigned.has_digests());
        assert_eq!(
            text(unsigned),
            "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\nName: a/C.class\r\nSealed: true\r\n\r\n\
             Name: b/\r\nSealed: true\r\n\r\n"
        );
    }

    #[test]
    fn any_bytes_are_read_and_kept() {
        let bytes = b"\xff\xfe\r\rno colon\n \n\n: \n".to_vec();
        assert_eq!(Manifest::parse(bytes.clone()).into_bytes(), bytes);
    }
}
