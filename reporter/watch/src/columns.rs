//! The columns of the tables: what they show, how they sort, and which a narrow terminal shows.

use std::cmp::Ordering;

use weighbridge_reporter::trust::{Marks, Trust};

use crate::cells::{NOT_MEASURED, per_minute, short_bytes, short_count};
use crate::rows::{Row, Table};

/// A column, in the order of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
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

impl Column {
    /// All of them, from left to right.
    pub const ALL: [Column; 11] = [
        Column::Name,
        Column::Component,
        Column::Trend,
        Column::Bytes,
        Column::Growth,
        Column::Live,
        Column::Error,
        Column::Allocated,
        Column::PerSecond,
        Column::Age,
        Column::Oldest,
    ];

    /// The key that sorts by it.
    pub(crate) fn letter(self) -> Option<char> {
        match self {
            Column::Name => Some('n'),
            Column::Component => Some('c'),
            Column::Bytes => Some('b'),
            Column::Growth => Some('g'),
            Column::Live => Some('l'),
            Column::Allocated => Some('a'),
            Column::PerSecond => Some('s'),
            Column::Age => Some('m'),
            Column::Oldest => Some('o'),
            Column::Trend | Column::Error => None,
        }
    }

    /// `owned` says whether the table's bytes are own bytes.
    pub(crate) fn title(self, table: Table, owned: bool) -> &'static str {
        match self {
            Column::Name => table.singular(),
            Column::Component => "Component",
            Column::Trend => "Trend",
            Column::Bytes if owned => "Own",
            Column::Bytes if table.is_walked() => "Deep",
            Column::Bytes => "Shallow",
            Column::Growth => "a minute",
            Column::Live => "Live",
            Column::Error => "±95 %",
            Column::Allocated => "Alloc.",
            Column::PerSecond => "a second",
            Column::Age => "Age",
            Column::Oldest => "Oldest",
        }
    }

    /// Its width in characters; the name gets the rest.
    pub(crate) fn width(self, wide: bool) -> u16 {
        match self {
            Column::Name => 0,
            Column::Component => 16,
            Column::Trend if wide => 24,
            Column::Trend => 8,
            Column::Bytes | Column::Growth => 10,
            Column::Live | Column::Error | Column::Allocated | Column::PerSecond => 8,
            Column::Age => 4,
            Column::Oldest => 6,
        }
    }

    /// The columns of a table that is `width` characters wide.
    pub(crate) fn of(table: Table, width: u16) -> Vec<Column> {
        let wide = is_wide(width);
        let wanted = |column: &Column| match column {
            Column::Component => wide && table == Table::Classes,
            Column::Error | Column::PerSecond => wide,
            Column::Age | Column::Oldest => table.is_walked(),
            _ => true,
        };
        let mut columns: Vec<Column> = Column::ALL.into_iter().filter(wanted).collect();
        // The rightmost are left out first; name, trend, bytes and growth stay.
        while columns.len() > 4 && columns.iter().map(|column| column.width(wide) + 1).sum::<u16>() + 16 > width {
            columns.pop();
        }
        columns
    }

    /// Whether its cells are numbers, which are aligned right.
    pub(crate) fn is_number(self) -> bool {
        !matches!(self, Column::Name | Column::Component | Column::Trend)
    }

    /// The order of two rows, ascending. A figure that was not measured is the least.
    pub(crate) fn compare(self, a: &Row, b: &Row) -> Ordering {
        let real = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        match self {
            // Names sort from A to Z when figures sort from the greatest to the least.
            Column::Name => b.name.cmp(&a.name),
            Column::Component => b.component.cmp(&a.component),
            Column::Trend | Column::Bytes => a.bytes.cmp(&b.bytes),
            Column::Growth => real(a.growth, b.growth),
            Column::Live => a.live.cmp(&b.live),
            Column::Error => real(a.live_error, b.live_error),
            Column::Allocated => a.allocated.cmp(&b.allocated),
            Column::PerSecond => real(a.per_second, b.per_second),
            Column::Age => a.age.cmp(&b.age),
            Column::Oldest => a.oldest.cmp(&b.oldest),
        }
    }

    pub(crate) fn cell(self, row: &Row, wide: bool) -> String {
        let objects = |trust: Trust, n: Option<u64>| trust.marked(n, short_count, &Marks::TEXT);
        let age = |age: Option<u64>| Trust::Exact.marked(age, |age| age.to_string(), &Marks::TEXT);
        match self {
            Column::Name => row.name.clone(),
            Column::Component => row.component.clone().unwrap_or_default(),
            Column::Trend => row.trend.blocks(usize::from(self.width(wide))),
            Column::Bytes => row.bytes_trust.marked(row.bytes, short_bytes, &Marks::TEXT),
            Column::Growth => row.growth.map_or_else(|| NOT_MEASURED.to_owned(), per_minute),
            Column::Live => objects(row.live_trust, row.live),
            Column::Error => match row.live_error {
                None => NOT_MEASURED.to_owned(),
                Some(0.0) => String::new(),
                Some(error) => format!("±{}", short_count((1.96 * error).ceil() as u64)),
            },
            Column::Allocated => objects(row.allocated_trust, row.allocated),
            Column::PerSecond => objects(row.allocated_trust, row.per_second.map(|n| n.round() as u64)),
            Column::Age => age(row.age),
            Column::Oldest => age(row.oldest),
        }
    }
}

/// Whether there is room for every column.
pub(crate) fn is_wide(width: u16) -> bool {
    width >= 120
}

impl Table {
    fn singular(self) -> &'static str {
        ["Component", "Class", "Threads", "Tag"][self as usize]
    }

    /// Whether its rows have deep bytes and ages.
    fn is_walked(self) -> bool {
        matches!(self, Table::Components | Table::Classes)
    }
}
