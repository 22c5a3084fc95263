//! Figures in the few columns of a live table.

use weighbridge_reporter::printable;
use weighbridge_reporter::units::count;

/// The sign for a figure that was not measured.
pub(crate) const NOT_MEASURED: &str = "-";

/// A count, of seven columns below a thousand trillions: `1,234`, `999,999`, `1.2 M`, `34.5 G`.
pub(crate) fn short_count(n: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M")];
    match UNITS.iter().find(|(unit, _)| n >= *unit) {
        None => count(n),
        Some((unit, name)) => format!("{:.1} {name}", n as f64 / *unit as f64),
    }
}

/// Bytes of at most ten columns: `812 B`, `2.3 MiB`.
pub(crate) fn short_bytes(n: u64) -> String {
    match n {
        0..1024 => format!("{n} B"),
        _ => weighbridge_reporter::units::bytes(n),
    }
}

/// A change in a minute, with its sign; `0` for less than a byte.
pub(crate) fn per_minute(bytes: f64) -> String {
    let size = bytes.abs().round() as u64;
    match size {
        0 => "0".to_owned(),
        _ => format!("{}{}", if bytes < 0.0 { '-' } else { '+' }, short_bytes(size)),
    }
}

/// Foreign text in `width` columns. A longer text keeps its end, where class names differ.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let printable = printable(text);
    match printable.chars().count() {
        length if length <= width => printable,
        length => std::iter::once('…').chain(printable.chars().skip(length - width.saturating_sub(1))).collect(),
    }
}

/// Text in `width` columns. A longer text keeps its beginning.
pub(crate) fn fitted_start(text: &str, width: u16) -> String {
    match text.chars().count() <= usize::from(width) {
        true => text.to_owned(),
        false => text.chars().take(usize::from(width.saturating_sub(1))).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_bytes_keep_to_their_columns() {
        let counts = [0, 999_999, 1_000_000, 12_345_678_901, u64::MAX].map(short_count);
        assert_eq!(counts, ["0", "999,999", "1.0 M", "12.3 G", "18446744.1 T"]);
        assert_eq!([0, 1023, 1024, 5 << 30].map(short_bytes), ["0 B", "1023 B", "1.0 KiB", "5.0 GiB"]);
        assert_eq!([0.4, 3.0, -2048.0].map(per_minute), ["0", "+3 B", "-2.0 KiB"]);
    }

    #[test]
    fn a_long_name_loses_its_beginning_and_control_characters_never_reach_the_terminal() {
        assert_eq!(fitted("com.acme.Cache", 14), "com.acme.Cache");
        assert_eq!(fitted("com.acme.Cache", 6), "…Cache");
        assert_eq!(fitted("a\u{1b}[2Jb", 12), r"a\u{1b}[2Jb");
        assert_eq!(fitted("abc", 0), "…");
    }
}
