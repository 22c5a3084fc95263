//! The columns of the tables: what they show, how they sort, and which a narrow terminal shows.

use std::cmp::Ordering;

use weighbridge_reporter::trust::{Trust, TrustMarks};

use crate::cells::{NOT_MEASURED, per_minute, short_bytes, short_count};
use crate::rows::{WatchRow, WatchTable};

/// A column, in the order of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchColumn {
    /// The row's name.
    Name,
    /// The component of a class.
    Component,
    /// Bytes in the last snapshots.
    Trend,
    /// Own bytes, or else deep or shallow ones.
    Bytes,
    /// Change of the bytes a minute.
    Growth,
    /// Live objects.
    Live,
    /// Half of the 95 % interval of the live objects.
    Error,
    /// Objects constructed.
    Allocated,
    /// Objects constructed a second.
    PerSecond,
    /// Collections that half of the objects survived.
    Age,
    /// Collections that the oldest object survived.
    Oldest,
}

impl WatchColumn {
    /// All of them, from left to right.
    pub const ALL: [WatchColumn; 11] = [
        WatchColumn::Name,
        WatchColumn::Component,
        WatchColumn::Trend,
        WatchColumn::Bytes,
        WatchColumn::Growth,
        WatchColumn::Live,
        WatchColumn::Error,
        WatchColumn::Allocated,
        WatchColumn::PerSecond,
        WatchColumn::Age,
        WatchColumn::Oldest,
    ];

    /// The key that sorts by it.
    pub(crate) fn letter(self) -> Option<char> {
        match self {
            WatchColumn::Name => Some('n'),
            WatchColumn::Component => Some('c'),
            WatchColumn::Bytes => Some('b'),
            WatchColumn::Growth => Some('g'),
            WatchColumn::Live => Some('l'),
            WatchColumn::Allocated => Some('a'),
            WatchColumn::PerSecond => Some('s'),
            WatchColumn::Age => Some('m'),
            WatchColumn::Oldest => Some('o'),
            WatchColumn::Trend | WatchColumn::Error => None,
        }
    }

    /// `owned` says whether the table's bytes are own bytes.
    pub(crate) fn title(self, table: WatchTable, owned: bool) -> &'static str {
        match self {
            WatchColumn::Name => table.singular(),
            WatchColumn::Component => "Component",
            WatchColumn::Trend => "Trend",
            WatchColumn::Bytes if owned => "Own",
            WatchColumn::Bytes if table.is_walked() => "Deep",
            WatchColumn::Bytes => "Shallow",
            WatchColumn::Growth => "a minute",
            WatchColumn::Live => "Live",
            WatchColumn::Error => "±95 %",
            WatchColumn::Allocated => "Alloc.",
            WatchColumn::PerSecond => "a second",
            WatchColumn::Age => "Age",
            WatchColumn::Oldest => "Oldest",
        }
    }

    /// Its width in characters; the name gets the rest.
    pub(crate) fn width(self, wide: bool) -> u16 {
        match self {
            WatchColumn::Name => 0,
            WatchColumn::Component => 16,
            WatchColumn::Trend if wide => 24,
            WatchColumn::Trend => 8,
            WatchColumn::Bytes | WatchColumn::Growth => 10,
            WatchColumn::Live | WatchColumn::Error | WatchColumn::Allocated | WatchColumn::PerSecond => 8,
            WatchColumn::Age => 4,
            WatchColumn::Oldest => 6,
        }
    }

    /// The columns of a table that is `width` characters wide.
    pub(crate) fn select_for_table(table: WatchTable, width: u16) -> Vec<WatchColumn> {
        let wide = is_wide(width);
        let wanted = |column: &WatchColumn| match column {
            WatchColumn::Component => wide && table == WatchTable::Classes,
            WatchColumn::Error | WatchColumn::PerSecond => wide,
            WatchColumn::Age | WatchColumn::Oldest => table.is_walked(),
            _ => true,
        };
        let mut columns: Vec<WatchColumn> = WatchColumn::ALL.into_iter().filter(wanted).collect();
        // The rightmost are left out first; name, trend, bytes and growth stay.
        while columns.len() > 4 && columns.iter().map(|column| column.width(wide) + 1).sum::<u16>() + 16 > width {
            columns.pop();
        }
        columns
    }

    /// Whether its cells are numbers, which are aligned right.
    pub(crate) fn is_number(self) -> bool {
        !matches!(self, WatchColumn::Name | WatchColumn::Component | WatchColumn::Trend)
    }

    /// The order of two rows, ascending. A figure that was not measured is the least.
    pub(crate) fn compare(self, a: &WatchRow, b: &WatchRow) -> Ordering {
        let real = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        match self {
            // Names sort from A to Z when figures sort from the greatest to the least.
            WatchColumn::Name => b.name.cmp(&a.name),
            WatchColumn::Component => b.component.cmp(&a.component),
            WatchColumn::Trend | WatchColumn::Bytes => a.bytes.cmp(&b.bytes),
            WatchColumn::Growth => real(a.growth, b.growth),
            WatchColumn::Live => a.live.cmp(&b.live),
            WatchColumn::Error => real(a.live_error, b.live_error),
            WatchColumn::Allocated => a.allocated.cmp(&b.allocated),
            WatchColumn::PerSecond => real(a.per_second, b.per_second),
            WatchColumn::Age => a.age.cmp(&b.age),
            WatchColumn::Oldest => a.oldest.cmp(&b.oldest),
        }
    }

    pub(crate) fn cell(self, row: &WatchRow, wide: bool) -> String {
        let objects = |trust: Trust, n: Option<u64>| trust.marked(n, short_count, &TrustMarks::TEXT);
        let age = |age: Option<u64>| Trust::Exact.marked(age, |age| age.to_string(), &TrustMarks::TEXT);
        match self {
            WatchColumn::Name => row.name.clone(),
            WatchColumn::Component => row.component.clone().unwrap_or_default(),
            WatchColumn::Trend => row.trend.blocks(usize::from(self.width(wide))),
            WatchColumn::Bytes => row.bytes_trust.marked(row.bytes, short_bytes, &TrustMarks::TEXT),
            WatchColumn::Growth => row.growth.map_or_else(|| NOT_MEASURED.to_owned(), per_minute),
            WatchColumn::Live => objects(row.live_trust, row.live),
            WatchColumn::Error => match row.live_error {
                None => NOT_MEASURED.to_owned(),
                Some(0.0) => String::new(),
                Some(error) => format!("±{}", short_count((1.96 * error).ceil() as u64)),
            },
            WatchColumn::Allocated => objects(row.allocated_trust, row.allocated),
            WatchColumn::PerSecond => objects(row.allocated_trust, row.per_second.map(|n| n.round() as u64)),
            WatchColumn::Age => age(row.age),
            WatchColumn::Oldest => age(row.oldest),
        }
    }
}

/// Whether there is room for every column.
pub(crate) fn is_wide(width: u16) -> bool {
    width >= 120
}

impl WatchTable {
    fn singular(self) -> &'static str {
        ["Component", "Class", "Threads", "Tag"][self as usize]
    }

    /// Whether its rows have deep bytes and ages.
    fn is_walked(self) -> bool {
        matches!(self, WatchTable::Components | WatchTable::Classes)
    }
}
