//! The class rows of a snapshot: nine tenths of a recording. They are parsed here in the form that writers use: no white
//! space, known keys, each once, unsigned integers. This takes a third of the time of `serde_json`.
//!
//! `serde_json` reads a line whole if any of its rows has another form. What is parsed here has the values that
//! `serde_json` would give.

use memchr::memmem;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::holders::ClassHolders;

/// How much of the rows is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All of them.
    Whole,
    /// All but ages and holders, each of which is an allocation: they are read but not kept.
    Outline,
}

/// The class rows of a `snapshot` line, if they are in the usual form, and the line without them.
pub(crate) fn of_line(text: &[u8], detail: Detail) -> Option<(Vec<ClassRow>, Vec<u8>)> {
    const ROWS: &[u8] = b",\"classes\":[";
    let start = memmem::find(text, ROWS)? + ROWS.len();
    if !is_of_the_line_itself(&text[..start - ROWS.len()]) {
        return None;
    }
    let mut at = RowCursor { rest: &text[start..], detail, follows: std::array::from_fn(|index| index) };
    let mut rows = Vec::with_capacity(text.len() / ROW_LENGTH);
    if at.rest.first() != Some(&b']') {
        loop {
            // Filled in the vector, not copied there: a row has some hundred bytes.
            rows.push(ClassRow::default());
            at.row(rows.last_mut()?)?;
            if at.rest.first() != Some(&b',') {
                break;
            }
            at.rest = &at.rest[1..];
        }
    }
    if at.rest.first() != Some(&b']') {
        return None;
    }
    Some((rows, [&text[..start], at.rest].concat()))
}

/// Bytes of a row; most are longer.
const ROW_LENGTH: usize = 256;

/// Whether a key that follows this text belongs to the line's outermost object.
fn is_of_the_line_itself(before: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = before.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(byte) = before.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    // After an unclosed string, `at` is past the end.
    depth == 1 && at == before.len()
}

/// Why a class has objects without a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampledFor {
    /// It constructed more objects between two collections than may be registered.
    Rate,
    /// More of its objects live than its share of the references.
    Share,
    /// An object could not be registered: memory or stack ran out, or counting was switched off.
    Lost,
    /// A class without probes may have copied its objects, and nothing has counted those.
    Copies,
    /// All its objects are registered, but the walk had no memory to begin at each of them.
    Memory,
    /// A reason of a newer runtime.
    #[serde(other)]
    Other,
}

/// A key, and the function that reads its value into a row.
type Field = (QuotedKey, fn(&mut RowCursor, &mut ClassRow) -> Option<()>);

/// The row, and the keys from which it is read.
macro_rules! row {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$key:meta])* pub $field:ident: $type:ty,)* }) => {
        keys! { $(#[$about])* pub struct $name { $($(#[$key])* pub $field: $type,)* } }
        const FIELDS: &[Field] = &[$((
            QuotedKey::new(concat!("\"", stringify!($field), "\":").as_bytes()),
            |at, row| <$type as ParsedValue>::read(&mut row.$field, at),
        ),)*];
        /// The bits of the keys that every row must have.
        const REQUIRED: u32 = {
            let (each, mut bits, mut at) = ([$(<$type as ParsedValue>::REQUIRED),*], 0, 0);
            while at < each.len() {
                bits |= (each[at] as u32) << at;
                at += 1;
            }
            bits
        };
    };
}

row! {
    /// The figures of one class.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    pub struct ClassRow {
        /// Id of its `class` line.
        pub id: u64,
        /// Objects whose constructor returned normally, exact.
        pub allocated: u64,
        /// Objects that were there when the native agent came, dead ones that were not collected yet included.
        pub before: Option<u64>,
        /// Objects made without a constructor, which the native agent has found.
        pub unannounced: Option<u64>,
        /// Live objects at the snapshot's marking: exact if `live_error` is 0, else estimated without bias. In old recordings
        /// without a marking: objects that no collection has removed.
        pub live: Option<u64>,
        /// One standard error of `live`, objects.
        pub live_error: Option<f64>,
        /// Objects that no collection has removed, dead ones among them.
        pub not_collected: Option<u64>,
        /// One standard error of `not_collected`, objects.
        pub not_collected_error: Option<f64>,
        /// Whether every live object is tracked: then all figures of the row are exact.
        pub exact: Option<bool>,
        /// Whether `live` and `shallow_bytes` are the JVM's count, right after a full collection.
        pub counted: Option<bool>,
        /// Why some objects are not tracked.
        pub sampled_for: Option<SampledFor>,
        /// Weak references behind the figure.
        pub tracked: Option<u64>,
        /// Shallow bytes of the live objects.
        pub shallow_bytes: Option<u64>,
        /// Objects of the class itself that the measurement met, tracked or not.
        pub met: Option<u64>,
        /// Bytes that the objects met hold without passing an object of another class, and that no other class holds so.
        pub own_bytes: Option<u64>,
        /// Bytes that they hold so and other classes hold so too.
        pub own_shared_bytes: Option<u64>,
        /// Bytes reached from the objects met, each object once.
        pub deep_bytes: Option<u64>,
        /// Objects reached from the objects met, each once.
        pub deep_objects: Option<u64>,
        /// Part of `deep_bytes` reached from no other tracked class.
        pub exclusive_bytes: Option<u64>,
        /// The rest of `deep_bytes`.
        pub shared_bytes: Option<u64>,
        /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
        pub off_heap_bytes: Option<u64>,
        /// What holds the tracked objects, if asked for.
        pub holders: Option<ClassHolders>,
        /// Collections survived by the oldest tracked object.
        pub oldest: Option<u64>,
        /// The most full collections that a tracked object survived.
        pub oldest_full: Option<u64>,
        /// Different ages among the tracked objects.
        pub generations: Option<u64>,
        /// Live objects by collections survived; the buckets are those of the snapshot's `age_from`.
        pub ages: Option<Vec<u64>>,
        /// The same by full collections alone.
        pub full_ages: Option<Vec<u64>>,
        /// Shallow bytes of an instance of the class itself.
        pub instance_bytes: Option<u64>,
        /// Objects allocated since the last collection that was seen, exact.
        pub since_collection: Option<u64>,
        /// Objects allocated between the last two collections that were seen, exact.
        pub last_cycle: Option<u64>,
    }
}

/// The value of a key.
trait ParsedValue {
    /// Whether every row has the key.
    const REQUIRED: bool = false;

    fn read(&mut self, at: &mut RowCursor) -> Option<()>;
}

impl ParsedValue for u64 {
    const REQUIRED: bool = true;

    #[inline(always)]
    fn read(&mut self, at: &mut RowCursor) -> Option<()> {
        *self = at.count()?;
        Some(())
    }
}

/// The values that a row may lack, each type with its reader.
macro_rules! optional {
    ($($type:ty: $read:expr;)*) => {$(
        impl ParsedValue for Option<$type> {
            #[inline(always)]
            fn read(&mut self, at: &mut RowCursor) -> Option<()> {
                let read: fn(&mut RowCursor) -> Option<Option<$type>> = $read;
                *self = read(at)?;
                Some(())
            }
        }
    )*};
}

optional! {
    u64: |at| Some(Some(at.count()?));
    f64: |at| Some(Some(at.number()?));
    bool: |at| Some(Some(at.truth()?));
    Vec<u64>: |at| at.counts();
    SampledFor: |at| Some(Some(at.word()?));
    ClassHolders: |at| at.holders();
}

/// A key with its quotes and colon, as words that are compared without a loop.
struct QuotedKey {
    words: [u64; 3],
    masks: [u64; 3],
    text: &'static [u8],
}

impl QuotedKey {
    const MOST: usize = 24;

    const fn new(text: &'static [u8]) -> Self {
        let (mut words, mut masks) = ([0; 3], [0; 3]);
        let mut at = 0;
        // Longer ones do not compile.
        while at < text.len() {
            words[at / 8] |= (text[at] as u64) << (8 * (at % 8));
            masks[at / 8] |= 0xff << (8 * (at % 8));
            at += 1;
        }
        QuotedKey { words, masks, text }
    }

    #[inline(always)]
    fn starts(&self, rest: &[u8]) -> bool {
        let Some(chunk) = rest.first_chunk::<{ QuotedKey::MOST }>() else { return rest.starts_with(self.text) };
        let (words, _) = chunk.as_chunks::<8>();
        let differs = |n: usize| (u64::from_le_bytes(words[n]) ^ self.words[n]) & self.masks[n];
        differs(0) | differs(1) | differs(2) == 0
    }
}

struct RowCursor<'a> {
    rest: &'a [u8],
    detail: Detail,
    /// The key that followed each key last, and the first key of a row. A writer keeps one order in all rows.
    follows: [usize; FIELDS.len() + 1],
}

impl RowCursor<'_> {
    fn row(&mut self, row: &mut ClassRow) -> Option<()> {
        let mut seen = 0_u32;
        let mut last = 0;
        self.eat(b"{")?;
        loop {
            let index = self.key(last)?;
            if seen & 1 << index != 0 {
                return None;
            }
            seen |= 1 << index;
            last = index + 1;
            FIELDS[index].1(self, row)?;
            match self.rest.split_first()? {
                (b',', rest) => self.rest = rest,
                (b'}', rest) => {
                    self.rest = rest;
                    return (seen & REQUIRED == REQUIRED).then_some(());
                }
                _ => return None,
            }
        }
    }

    fn eat(&mut self, what: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(what)?;
        Some(())
    }

    #[inline(always)]
    fn key(&mut self, last: usize) -> Option<usize> {
        let mut index = self.follows[last];
        if !FIELDS.get(index).is_some_and(|(key, _)| key.starts(self.rest)) {
            index = FIELDS.iter().position(|(key, _)| key.starts(self.rest))?;
            self.follows[last] = index;
        }
        self.rest = &self.rest[FIELDS[index].0.text.len()..];
        Some(index)
    }

    /// An unsigned integer without leading zeros, of so few digits that it cannot overflow.
    #[inline(always)]
    fn count(&mut self) -> Option<u64> {
        const MOST_DIGITS: usize = 19;
        let (mut n, mut digits) = self.rest.first_chunk().map_or((0, 0), |chunk| leading_digits(*chunk));
        // The input is near its end, or the number is longer than a word.
        if digits == 0 || digits == size_of::<u64>() {
            for byte in &self.rest[digits..] {
                let digit = byte.wrapping_sub(b'0');
                if digit > 9 {
                    break;
                }
                n = n.wrapping_mul(10).wrapping_add(u64::from(digit));
                digits += 1;
            }
        }
        if digits == 0 || digits > MOST_DIGITS || digits > 1 && self.rest[0] == b'0' {
            return None;
        }
        self.rest = &self.rest[digits..];
        // The caller expects a comma or a bracket next: it refuses a fraction or an exponent.
        Some(n)
    }

    fn counts(&mut self) -> Option<Option<Vec<u64>>> {
        self.eat(b"[")?;
        let mut counts = (self.detail == Detail::Whole).then(|| Vec::with_capacity(8));
        loop {
            let count = self.count()?;
            if let Some(counts) = &mut counts {
                counts.push(count);
            }
            match self.rest.split_first()? {
                (b',', rest) => self.rest = rest,
                (b']', rest) => {
                    self.rest = rest;
                    return Some(counts);
                }
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<f64> {
        // Exact classes have this error, and most classes are exact.
        if self.rest.starts_with(b"0.0,") {
            self.rest = &self.rest[3..];
            return Some(0.0);
        }
        let end = self.rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        serde_json::from_slice(number).ok()
    }

    fn truth(&mut self) -> Option<bool> {
        let truth = self.rest.starts_with(b"true");
        self.eat(if truth { b"true" } else { b"false" })?;
        Some(truth)
    }

    /// Few rows have one.
    fn word<T: DeserializeOwned>(&mut self) -> Option<T> {
        let mut values = serde_json::Deserializer::from_slice(self.rest).into_iter();
        let word = values.next()?.ok()?;
        self.rest = &self.rest[values.byte_offset()..];
        Some(word)
    }

    /// Few rows have them, and they hold text.
    fn holders(&mut self) -> Option<Option<ClassHolders>> {
        let holders = self.word()?;
        Some(Some(holders).filter(|_| self.detail == Detail::Whole))
    }
}

/// The number that eight bytes start with, and its digits. A loop would end at another digit for every number, which the
/// processor predicts badly.
#[inline(always)]
fn leading_digits(bytes: [u8; 8]) -> (u64, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // Digits become 0 to 9. The sum sets the highest bit of a byte above 9; a carry only reaches later bytes.
    let values = u64::from_le_bytes(bytes) ^ (EACH * 0x30);
    let others = (values.wrapping_add(EACH * 0x76) | values) & (EACH * 0x80);
    let digits = others.trailing_zeros() / 8;
    // Shift the other bytes out, zeros in. Then join neighbours: two, four, eight digits.
    let aligned = values.checked_shl(64 - 8 * digits).unwrap_or(0);
    let pairs = (aligned & (EACH * 0x0f)).wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000 << 32 | 1) >> 32, digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::snapshot;
    use crate::snapshot::Snapshot;

    const LINE: &str = concat!(
        r#"{"kind":"snapshot","seq":1,"label":"a \"b\" {[","heap":{"used_bytes":7},"age_from":[0,1],"classes":["#,
        r#"{"id":0,"allocated":12,"instance_bytes":16,"since_collection":0,"last_cycle":3,"live":5,"live_error":0.0,"#,
        r#""exact":true,"tracked":5,"shallow_bytes":80,"deep_bytes":9999999999999999999,"deep_objects":5,"#,
        r#""exclusive_bytes":80,"shared_bytes":0,"off_heap_bytes":0,"oldest":3,"oldest_full":0,"generations":1,"#,
        r#""ages":[4,1],"full_ages":[5,0],"holders":{"examined":2,"outside":1,"others":0,"chains":[{"objects":1,"#,
        r#""steps":["a.B.\"c\"","d[]"]}]}},{"id":1,"allocated":3,"live":1,"live_error":1.5e0,"exact":false,"counted":true,"sampled_for":"rate"}],"#,
        r#""components":[{"name":"c,\"classes\":[","live":6}],"walk":{"objects":11}}"#
    );

    #[test]
    fn a_line_in_the_usual_form_is_read_as_serde_reads_it() {
        let read = snapshot(LINE.as_bytes(), Detail::Whole).expect("the usual form");
        assert_eq!(read, serde_json::from_str::<Snapshot>(LINE).unwrap());
        assert_eq!((read.classes.len(), read.components.len()), (2, 1));
    }

    /// Replaces every byte by bytes with a meaning, and cuts at every byte: the result is that of serde.
    #[test]
    fn a_line_changed_anywhere_is_read_as_serde_reads_it_or_left_to_serde() {
        let mut taken = 0;
        let mut check = |line: &[u8]| {
            let (read, outline) = (snapshot(line, Detail::Whole), snapshot(line, Detail::Outline));
            if let Some(read) = &read {
                let expected = serde_json::from_slice::<Snapshot>(line);
                let line = String::from_utf8_lossy(line);
                assert_eq!(*read, expected.unwrap_or_else(|error| panic!("{error}: {line}")), "{line}");
                taken += 1;
            }
            let without = |row| ClassRow { ages: None, full_ages: None, holders: None, ..row };
            let expected =
                read.map(|read| Snapshot { classes: read.classes.into_iter().map(without).collect(), ..read });
            assert_eq!(outline, expected, "{}", String::from_utf8_lossy(line));
        };
        for at in 0..LINE.len() {
            check(&LINE.as_bytes()[..at]);
            check(&[&LINE.as_bytes()[..at], &LINE.as_bytes()[at + 1..]].concat());
            for byte in *b"0129-.eE,:\"\\{}[] ntx\xff" {
                let mut line = LINE.as_bytes().to_vec();
                line[at] = byte;
                check(&line);
                line.insert(at, LINE.as_bytes()[at]);
                check(&line);
            }
        }
        assert!(taken > 1_000, "only {taken} of the changed lines were in the usual form");
    }

    #[test]
    fn digits_are_read_as_a_number_whatever_follows() {
        for number in ["0", "7", "10", "99", "123", "4096", "65535", "123456", "9999999", "12345678", "123456789"] {
            for behind in [",\"live\"", "}]}]}]}]", "/:/:/:/:", "\u{ff}\u{ff}\u{ff}\u{ff}", ",", "", "}00000000"] {
                let text = format!("{number}{behind}");
                let mut at = RowCursor { rest: text.as_bytes(), detail: Detail::Whole, follows: [0; FIELDS.len() + 1] };
                assert_eq!(at.count(), number.parse().ok(), "{text}");
                assert_eq!(at.rest, behind.as_bytes(), "{text}");
            }
        }
    }

    #[test]
    fn rows_that_serde_refuses_or_of_another_line_are_left_to_serde() {
        let row = r#"{"id":1,"allocated":2}"#;
        for other in [
            format!(r#"{{"seq":1,"more":{{"x":0,"classes":[{row}]}},"y":0}}"#),
            format!(r#"{{"seq":1,"classes":[{row}],"classes":[]}}"#),
            r#"{"seq":1,"classes":[{"id":1,"allocated":2,"id":1}]}"#.to_owned(),
            r#"{"seq":1,"classes":[{"id":1}]}"#.to_owned(),
            format!(r#"{{"seq":1,"classes":[{row} {row}]}}"#),
            r#"{"seq":1,"classes":[{"id":1,"allocated":2,}]}"#.to_owned(),
            r#"{"seq":1,"classes":[{"id":1,"allocated":02}]}"#.to_owned(),
            r#"{"seq":1,"classes":[{"id":1,"allocated":99999999999999999999}]}"#.to_owned(),
            r#"{"seq":1,"classes":[{"id":1,"allocated":2,"live":null}]}"#.to_owned(),
            r#"{"seq":1,"classes":[{"id":1,"allocated":2,"new":3}]}"#.to_owned(),
        ] {
            assert_eq!(snapshot(other.as_bytes(), Detail::Whole), None, "{other}");
        }
    }
}
