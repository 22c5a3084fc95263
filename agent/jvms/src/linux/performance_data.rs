//! The file `hsperfdata_USER/PID`, which HotSpot maps and other processes read.
//!
//! Source: `PerfDataPrologue` and `PerfDataEntry` of HotSpot's `perfMemory.hpp`, version 2.0.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Safepoints;

/// A JVM's performance data, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PerformanceData {
    texts: BTreeMap<String, String>,
    numbers: BTreeMap<String, u64>,
}

impl PerformanceData {
    /// Reads texts and numbers; `None` if this is not such a file, or the JVM has not filled it yet.
    pub(super) fn parse(bytes: &[u8]) -> Option<PerformanceData> {
        // Byte order, major version, minor version, accessible.
        let &[little, 2, _, 1..=u8::MAX] = bytes.strip_prefix(&[0xca, 0xfe, 0xc0, 0xc0])?.first_chunk::<4>()? else {
            return None;
        };
        let int = |offset: usize| {
            let bytes = *bytes.get(offset..)?.first_chunk::<4>()?;
            usize::try_from(if little == 1 { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) }).ok()
        };
        let long = |offset: usize| {
            let bytes = *bytes.get(offset..)?.first_chunk::<8>()?;
            u64::try_from(if little == 1 { i64::from_le_bytes(bytes) } else { i64::from_be_bytes(bytes) }).ok()
        };
        let text = |offset: usize, limit: usize| {
            let from = bytes.get(offset..)?;
            let text = from[..from.len().min(limit)].split(|&byte| byte == 0).next()?;
            Some(String::from_utf8_lossy(text).into_owned())
        };
        let (mut texts, mut numbers) = (BTreeMap::new(), BTreeMap::new());
        let mut entry = int(24)?;
        for _ in 0..int(28)? {
            // A damaged entry ends the list: the next one would be found by its length.
            let (Some(length @ 1..), Some(name), Some(vector)) = (int(entry), int(entry + 4), int(entry + 8)) else {
                break;
            };
            let name = text(entry + name, usize::MAX);
            match (bytes.get(entry + 12), int(entry + 16)) {
                // A vector of bytes is a text, with zeros at its end.
                (Some(b'B'), Some(value)) if vector > 0 => texts.extend(name.zip(text(entry + value, vector))),
                (Some(b'J'), Some(value)) if vector == 0 => numbers.extend(name.zip(long(entry + value))),
                _ => {}
            }
            entry += length;
        }
        Some(PerformanceData { texts, numbers })
    }

    /// The arguments of the launcher: main class, jar or `module/class`, then the program's arguments.
    pub(super) fn command(&self) -> Option<&str> {
        self.get("sun.rt.javaCommand")
    }

    /// The version of Java, or else that of the virtual machine.
    pub(super) fn version(&self) -> Option<&str> {
        self.get("java.property.java.version").or_else(|| self.get("java.property.java.vm.version"))
    }

    /// Whether one can attach, as the JVM itself says: it knows options from files and variables too.
    pub(super) fn lets_attach(&self) -> Option<bool> {
        Some(self.get("sun.rt.jvmCapabilities")?.starts_with('1'))
    }

    /// How often and for how long the program was stopped so far. `RuntimeService::record_safepoint_end` of HotSpot adds the
    /// time from the request to stop until the threads may go on.
    pub(super) fn safepoints(&self) -> Option<Safepoints> {
        let number = |name: &str| self.numbers.get(name).copied();
        let (ticks, per_second) = (number("sun.rt.safepointTime")?, number("sun.os.hrt.frequency")?);
        let nanoseconds = (u128::from(ticks) * 1_000_000_000).checked_div(per_second.into())?;
        let time = Duration::from_nanos(u64::try_from(nanoseconds).ok()?);
        Some(Safepoints { count: number("sun.rt.safepoints")?, time })
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::PerformanceData;
    use crate::Safepoints;

    /// A file of texts, and before each a number of the same name: its length.
    fn file(texts: &[(&str, &str)], int: fn(i32) -> [u8; 4], order: u8) -> Vec<u8> {
        let mut entries = Vec::new();
        for (name, value) in texts {
            for (kind, vector) in [(b'J', 0), (b'B', value.len() + 1)] {
                let data = 20 + name.len() + 1;
                let length = data + vector.max(8);
                for number in [length, 20, vector] {
                    entries.extend(int(number as i32));
                }
                entries.extend([kind, 0, 5, 1]);
                entries.extend(int(data as i32));
                entries.extend(name.bytes().chain([0]));
                // The halves of a long are in the order of its bytes.
                let halves = if order == 1 { [value.len() as i32, 0] } else { [0, value.len() as i32] };
                let mut bytes = if vector == 0 { halves.map(int).concat() } else { value.as_bytes().to_vec() };
                bytes.resize(length - data, 0);
                entries.extend(bytes);
            }
        }
        let mut file = vec![0xca, 0xfe, 0xc0, 0xc0, order, 2, 0, 1];
        file.extend(int(32 + entries.len() as i32));
        file.extend([0; 12]);
        file.extend(int(32));
        file.extend(int(texts.len() as i32 * 2));
        file.extend(entries);
        file
    }

    const TEXTS: [(&str, &str); 3] = [
        ("java.property.java.version", "21.0.8"),
        ("sun.rt.jvmCapabilities", "0100"),
        ("sun.rt.javaCommand", "com.acme.Main --port 80"),
    ];

    #[test]
    fn texts_are_read_in_both_byte_orders() {
        for file in [file(&TEXTS, i32::to_le_bytes, 1), file(&TEXTS, i32::to_be_bytes, 0)] {
            let data = PerformanceData::parse(&file).unwrap();
            assert_eq!(data.version(), Some("21.0.8"));
            assert_eq!(data.command(), Some("com.acme.Main --port 80"));
            assert_eq!(data.lets_attach(), Some(false));
        }
    }

    #[test]
    fn the_time_of_safepoints_is_in_ticks_of_a_stated_frequency() {
        let numbers =
            [("sun.rt.safepoints", "12"), ("sun.rt.safepointTime", "1234567"), ("sun.os.hrt.frequency", "1234")];
        let expected = Safepoints { count: 2, time: Duration::from_millis(1750) };
        for file in [file(&numbers, i32::to_le_bytes, 1), file(&numbers, i32::to_be_bytes, 0)] {
            assert_eq!(PerformanceData::parse(&file).unwrap().safepoints(), Some(expected));
        }
        let file = file(&numbers[..2], i32::to_le_bytes, 1);
        assert_eq!(PerformanceData::parse(&file).unwrap().safepoints(), None);
    }

    #[test]
    fn a_jvm_that_has_not_filled_its_file_has_none() {
        let mut file = file(&TEXTS, i32::to_le_bytes, 1);
        file[7] = 0;
        assert_eq!(PerformanceData::parse(&file), None);
        assert_eq!(PerformanceData::parse(b"something else entirely, and long"), None);
    }

    #[test]
    fn a_damaged_file_gives_what_is_left_of_it() {
        let whole = file(&TEXTS, i32::to_le_bytes, 1);
        for length in 0..whole.len() {
            let data = PerformanceData::parse(&whole[..length]);
            assert!(data.is_none_or(|data| data.lets_attach() != Some(true)));
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            let _ = PerformanceData::parse(&damaged);
        }
    }
}
