//! Modified UTF-8 (JVMS §4.4.7): NUL as two bytes, supplementary characters as two three-byte surrogates.

use std::borrow::Cow;

/// The text of modified UTF-8 bytes; lone surrogates and broken sequences become U+FFFD.
///
/// For messages and matching only: class files are written from the bytes.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        // Both encodings agree except on NUL (0xC0), and on surrogates and supplementary characters (0xED).
        Ok(text) if !bytes.contains(&0xED) && !bytes.contains(&0xC0) => Cow::Borrowed(text),
        _ => Cow::Owned(char::decode_utf16(units(bytes)).map(|c| c.unwrap_or('\u{FFFD}')).collect()),
    }
}

/// The modified UTF-8 bytes of a text; borrowed where UTF-8 is the same.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.bytes().any(|b| b == 0 || b >= 0xF0) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len() + text.len() / 2);
    for c in text.chars() {
        push(&mut bytes, c);
    }
    Cow::Owned(bytes)
}

/// Cuts a text into pieces of at most `limit` modified UTF-8 bytes, never inside a character.
///
/// `limit` is at least 6, the bytes of a supplementary character.
pub fn encode_in_pieces(text: &str, limit: usize) -> Vec<Vec<u8>> {
    let mut pieces = vec![Vec::new()];
    let mut character = Vec::with_capacity(6);
    for c in text.chars() {
        character.clear();
        push(&mut character, c);
        match pieces.last_mut() {
            Some(piece) if piece.len() + character.len() <= limit => {
                piece.extend_from_slice(&character);
            }
            _ => pieces.push(character.clone()),
        }
    }
    pieces
}

fn push(bytes: &mut Vec<u8>, c: char) {
    let mut units = [0; 2];
    for &mut unit in c.encode_utf16(&mut units) {
        match unit {
            1..=0x7F => bytes.push(unit as u8),
            0 | 0x80..=0x7FF => {
                bytes.extend([0xC0 | (unit >> 6) as u8, 0x80 | (unit & 0x3F) as u8]);
            }
            _ => bytes.extend([0xE0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]),
        }
    }
}

/// UTF-16 code units; a byte that starts no sequence becomes U+FFFD.
fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let tail = |i: usize| match bytes.get(at + i) {
            Some(&b) if b & 0xC0 == 0x80 => Some(u16::from(b & 0x3F)),
            _ => None,
        };
        let first = u16::from(*bytes.get(at)?);
        let (unit, length) = match (first, tail(1), tail(2)) {
            (0..=0x7F, ..) => (first, 1),
            (0xC0..=0xDF, Some(low), _) => ((first & 0x1F) << 6 | low, 2),
            (0xE0..=0xEF, Some(middle), Some(low)) => ((first & 0xF) << 12 | middle << 6 | low, 3),
            _ => (0xFFFD, 1),
        };
        at += length;
        Some(unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_takes_two_bytes_and_a_supplementary_character_six() {
        assert_eq!(&*encode("a\0é\u{1F600}"), b"a\xC0\x80\xC3\xA9\xED\xA0\xBD\xED\xB8\x80");
        assert_eq!(decode(&encode("a\0é\u{1F600}€")), "a\0é\u{1F600}€");
    }

    #[test]
    fn a_lone_surrogate_or_a_broken_sequence_decodes_to_the_replacement_character() {
        assert_eq!(decode(b"x\xED\xA0\x80y"), "x\u{FFFD}y");
        assert_eq!(decode(b"\xE0\x80"), "\u{FFFD}\u{FFFD}");
        assert_eq!(decode(b"\xFF!"), "\u{FFFD}!");
    }

    #[test]
    fn pieces_end_between_characters_and_join_to_the_text() {
        let pieces = encode_in_pieces("ab\u{1F600}c", 6);
        assert_eq!(pieces, [b"ab".to_vec(), b"\xED\xA0\xBD\xED\xB8\x80".to_vec(), b"c".to_vec()]);
        assert_eq!(encode_in_pieces("", 6), [Vec::new()]);
    }
}
