//! The format of `java.util.Properties.store`: the answer to the command `properties`.

use std::collections::BTreeMap;

/// Reads the properties. The bytes are ISO 8859-1; other characters are written `\uXXXX`.
pub(super) fn parse(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    // `store` writes a line for each property: it never continues one on the next.
    for line in bytes.split(|&byte| byte == b'\n' || byte == b'\r') {
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let mut units: [Vec<u16>; 2] = Default::default();
        let mut part = 0;
        let mut rest = line.iter().copied();
        while let Some(byte) = rest.next() {
            let unit = match byte {
                b'=' if part == 0 => {
                    part = 1;
                    continue;
                }
                b'\\' => match rest.next() {
                    Some(b'u') => rest.by_ref().take(4).fold(0, |unit, digit| unit << 4 | hexadecimal(digit)),
                    Some(b'n') => b'\n'.into(),
                    Some(b'r') => b'\r'.into(),
                    Some(b't') => b'\t'.into(),
                    Some(b'f') => 0x0c,
                    Some(other) => other.into(),
                    None => continue,
                },
                other => other.into(),
            };
            units[part].push(unit);
        }
        let [key, value] = units.map(|units| String::from_utf16_lossy(&units));
        properties.insert(key, value);
    }
    properties
}

fn hexadecimal(digit: u8) -> u16 {
    char::from(digit).to_digit(16).unwrap_or(0) as u16
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn escapes_are_undone() {
        let bytes = b"#Sat Jan 01\nline.separator=\\n\npath=C\\:\\\\a\\=b\\ c=d\n\\#k\\ \\=\\:=\\u20AC \\uD83D\\uDE00 \xe9\\t\\f\\!\nempty=\n";
        let properties = parse(bytes);
        assert_eq!(properties["line.separator"], "\n");
        assert_eq!(properties["path"], "C:\\a=b c=d");
        assert_eq!(properties["#k =:"], "€ 😀 é\t\u{c}!");
        assert_eq!(properties["empty"], "");
        assert_eq!(properties.len(), 4);
    }

    #[test]
    fn a_broken_end_is_no_error() {
        assert_eq!(parse(b"a=\\u20\nb=\\")["b"], "");
    }
}
