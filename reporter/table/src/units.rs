//! Numbers for people: thousands, bytes, times.

/// Bytes in a KiB.
const KIB: f64 = 1024.0;

/// A count with thousands separated: `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string().into_bytes();
    let groups: Vec<&str> = digits.rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// A difference: `+1,234`, `-5`, `0`.
pub fn signed(n: i128, format: impl Fn(u64) -> String) -> String {
    let sign = match n.signum() {
        1 => "+",
        -1 => "-",
        _ => "",
    };
    format!("{sign}{}", format(u64::try_from(n.unsigned_abs()).unwrap_or(u64::MAX)))
}

/// A number and its noun: `1 class`, `2 classes`.
pub fn count_with_noun(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Bytes in a sentence, in the unit that fits: `812 bytes`, `2.3 MiB`.
pub fn bytes(n: u64) -> String {
    let mut value = n as f64;
    if value < KIB {
        return count_with_noun(n, "byte", "bytes");
    }
    for unit in ["KiB", "MiB", "GiB"] {
        value /= KIB;
        // 1,023.95 would be rounded to 1024.0.
        if value < KIB - 0.05 {
            return format!("{value:.1} {unit}");
        }
    }
    format!("{:.1} TiB", value / KIB)
}

/// The unit of a column of bytes: one for all its cells, so that they are easy to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteUnit {
    /// Bytes.
    Bytes,
    /// 1,024 bytes.
    Kib,
    /// 1,048,576 bytes.
    Mib,
}

impl ByteUnit {
    /// MiB once a cell would need seven digits in KiB.
    pub fn from_cells(cells: impl Iterator<Item = Option<u64>>) -> Self {
        match cells.flatten().max() {
            Some(max) if max >= 1_000_000 * 1024 => ByteUnit::Mib,
            _ => ByteUnit::Kib,
        }
    }

    /// Bytes if all are few.
    pub fn or_bytes(cells: impl Iterator<Item = Option<u64>> + Clone) -> Self {
        match cells.clone().flatten().max() {
            Some(max) if max < 10_000 => ByteUnit::Bytes,
            _ => Self::from_cells(cells),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ByteUnit::Bytes => "bytes",
            ByteUnit::Kib => "KiB",
            ByteUnit::Mib => "MiB",
        }
    }

    /// A cell, with one decimal; `<0.1` for a little, `0` for nothing.
    pub fn cell(self, n: u64) -> String {
        let divisor = match self {
            ByteUnit::Bytes => return count(n),
            ByteUnit::Kib => 1024,
            ByteUnit::Mib => 1024 * 1024,
        };
        // Rounds half up in integers: floats lose bytes beyond 2^53.
        let tenths = (u128::from(n) * 10 + divisor / 2) / divisor;
        match (n, tenths) {
            (0, _) => "0".to_owned(),
            (_, 0) => "<0.1".to_owned(),
            _ => format!("{}.{}", count((tenths / 10) as u64), tenths % 10),
        }
    }
}

/// A part of a whole: `13.9 %`; `None` if the whole is 0.
pub fn percent(part: u64, whole: u64) -> Option<String> {
    (whole > 0).then(|| format!("{:.1} %", part as f64 * 100.0 / whole as f64))
}

/// Elapsed time: `350 ms`, `30.1 s`, `2 min 05 s`, `26 h 03 min`.
pub fn elapsed(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{}.{} s", seconds, ms % 1000 / 100),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A moment, given in milliseconds since 1970: `2026-11-26 08:01:12 UTC`.
pub fn moment(at_ms: u64) -> String {
    let seconds = at_ms / 1000;
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// The Gregorian date of a day since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
pub fn civil(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let era = z / 146_097;
    let of_era = z % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_in_utc() {
        assert_eq!(moment(1_795_219_199_999), "2026-11-20 23:59:59 UTC");
        assert_eq!(moment(951_782_400_000), "2000-02-29 00:00:00 UTC");
    }

    #[test]
    fn thousands_are_separated_by_commas() {
        let counts = [0, 999, 1_000, 12_345, 1_234_567].map(count);
        assert_eq!(counts, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn bytes_in_sentences_take_the_unit_that_fits() {
        let texts = [0, 1, 1023, 1024, 1_048_575, 1 << 20, 5 << 30, 3 << 40].map(bytes);
        let expected = ["0 bytes", "1 byte", "1,023 bytes", "1.0 KiB", "1.0 MiB", "1.0 MiB", "5.0 GiB", "3.0 TiB"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_column_has_one_unit_and_a_small_number_is_not_0() {
        assert_eq!(ByteUnit::from_cells([Some(3), None].into_iter()), ByteUnit::Kib);
        assert_eq!(ByteUnit::from_cells([Some(3), Some(1 << 40)].into_iter()), ByteUnit::Mib);
        let cells = [0, 1, 51, 52, 1024, 1_234_567].map(|n| ByteUnit::Kib.cell(n));
        assert_eq!(cells, ["0", "<0.1", "<0.1", "0.1", "1.0", "1,205.6"]);
        assert_eq!(ByteUnit::Mib.cell(u64::MAX), "17,592,186,044,416.0");
    }

    #[test]
    fn times_take_the_unit_that_fits() {
        let texts = [0, 350, 30_150, 125_000, 93_780_000].map(elapsed);
        assert_eq!(texts, ["0 ms", "350 ms", "30.1 s", "2 min 05 s", "26 h 03 min"]);
    }
}
