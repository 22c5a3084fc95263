//! The one model of a row. Each column of a table is defined once: its key, its unit, how it adds up, how far it can be
//! trusted, and where it appears. Reports are projections of the definitions.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use weighbridge_recording::Track;

use crate::headings::Heading;
use crate::trust::{Blur, Trust};

/// The component of classes without one, in tables that name a component for each class.
pub(crate) const NO_COMPONENT: &str = "(none)";

/// The value of a row in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum RowValue {
    /// It was not measured, or is no single value.
    Unknown,
    /// A name or a word.
    Text(String),
    /// Objects, bytes or collections.
    Count(u64),
    /// A standard error.
    Real(f64),
    /// Yes or no.
    Flag(bool),
}

impl RowValue {
    /// The count, if it is one.
    pub fn count(&self) -> Option<u64> {
        match self {
            RowValue::Count(n) => Some(*n),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn real(&self) -> Option<f64> {
        match self {
            RowValue::Count(n) => Some(*n as f64),
            RowValue::Real(x) => Some(*x),
            _ => None,
        }
    }

    /// The answer, if it is one.
    pub fn flag(&self) -> Option<bool> {
        match self {
            RowValue::Flag(yes) => Some(*yes),
            _ => None,
        }
    }

    /// As a cell of a spreadsheet: empty if not known, numbers without separators.
    pub(crate) fn plain(self) -> String {
        match self {
            RowValue::Unknown => String::new(),
            RowValue::Text(text) => text,
            RowValue::Count(n) => n.to_string(),
            RowValue::Real(x) => x.to_string(),
            RowValue::Flag(yes) => yes.to_string(),
        }
    }
}

/// A row of one of the report's tables.
pub trait ReportRow: Sized + 'static {
    /// The row of a recording that it sums up.
    #[doc(hidden)]
    type Recorded: 'static;
    /// Its columns in the order of the JSON report.
    #[doc(hidden)]
    const COLUMNS: &'static [RowColumn<Self>];

    /// The row of a single row of a recording.
    fn from_recorded(row: &Self::Recorded) -> Self;

    /// Adds another row. A figure that is unknown in either is unknown in the sum.
    fn add(&mut self, other: Self);

    /// How far the figure in the column with that key can be trusted.
    fn trust(&self, key: &str, blur: &Blur) -> Trust {
        let column = Self::COLUMNS.iter().find(|column| column.key == key);
        column.map_or(Trust::Exact, |column| (column.trust)(self, blur))
    }

    /// Its value in the column with that key of the JSON report.
    fn value(&self, key: &str) -> RowValue {
        let column = Self::COLUMNS.iter().find(|column| column.key == key);
        column.map_or(RowValue::Unknown, |column| (column.value)(self))
    }
}

/// The unit of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Nothing: a name.
    Name,
    /// Nothing: lists and objects, which only JSON has.
    Nested,
    /// Yes or no.
    Flag,
    /// A standard error, objects.
    Error,
    /// Objects, or other things.
    Count,
    /// Collections survived.
    Collections,
    /// Bytes.
    Bytes,
}

/// How a metric's values behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricKind {
    Gauge,
    Counter,
}

/// The family of metrics of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) kind: MetricKind,
    pub(crate) help: &'static str,
    /// Whether the figures of several rows overlap, so that their sum means nothing.
    pub(crate) overlaps: bool,
}

/// How a column is shown in the tables for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnDisplay {
    pub(crate) heading: Heading,
    /// If a terminal has no room, columns with the highest rank are left out first; rank 0 is always shown.
    pub(crate) spare: u8,
    /// Shown only if a row has a value.
    pub(crate) if_known: bool,
    /// Shown only if its value differs in some row from that of the column with this key.
    pub(crate) if_not: Option<&'static str>,
    pub(crate) only_on_page: bool,
    /// Comes after the bytes; other counts come before them.
    pub(crate) last: bool,
}

/// A column of a table.
#[derive(Debug)]
pub struct RowColumn<R: ReportRow> {
    /// The key in JSON, and the header of CSV.
    pub(crate) key: &'static str,
    pub(crate) unit: ColumnUnit,
    pub(crate) value: fn(&R) -> RowValue,
    /// What people read instead of a number or, in the text report, instead of a name.
    pub(crate) written: Option<fn(&R) -> String>,
    pub(crate) trust: fn(&R, &Blur) -> Trust,
    /// The value of a single row of a recording.
    pub(crate) recorded: fn(&R::Recorded) -> RowValue,
    /// The name in Parquet.
    pub(crate) parquet: Option<&'static str>,
    pub(crate) in_csv: bool,
    pub(crate) metric: Option<Metric>,
    pub(crate) shown: Option<ColumnDisplay>,
}

const fn column<R: ReportRow>(unit: ColumnUnit) -> RowColumn<R> {
    RowColumn {
        key: "",
        unit,
        value: |_| RowValue::Unknown,
        written: None,
        trust: |_, _| Trust::Exact,
        recorded: |_| RowValue::Unknown,
        parquet: None,
        in_csv: true,
        metric: None,
        shown: None,
    }
}

pub(crate) const fn name<R: ReportRow>() -> RowColumn<R> {
    column(ColumnUnit::Name)
}

pub(crate) const fn flag<R: ReportRow>() -> RowColumn<R> {
    column(ColumnUnit::Flag)
}

pub(crate) const fn error<R: ReportRow>() -> RowColumn<R> {
    column(ColumnUnit::Error)
}

pub(crate) const fn objects<R: ReportRow>() -> RowColumn<R> {
    column(ColumnUnit::Count)
}

pub(crate) const fn collections<R: ReportRow>() -> RowColumn<R> {
    column(ColumnUnit::Collections)
}

pub(crate) const fn bytes<R: ReportRow>() -> RowColumn<R> {
    column(ColumnUnit::Bytes)
}

/// A column that only JSON has.
pub(crate) const fn nested<R: ReportRow>() -> RowColumn<R> {
    RowColumn { in_csv: false, ..column(ColumnUnit::Nested) }
}

impl<R: ReportRow> RowColumn<R> {
    pub(crate) const fn trusted(self, trust: fn(&R, &Blur) -> Trust) -> Self {
        RowColumn { trust, ..self }
    }

    pub(crate) const fn with_text(self, written: fn(&R) -> String) -> Self {
        RowColumn { written: Some(written), ..self }
    }

    /// In the Parquet tables, by this name.
    pub(crate) const fn parquet(self, name: &'static str) -> Self {
        RowColumn { parquet: Some(name), ..self }
    }

    pub(crate) const fn gauge(self, name: &'static str, help: &'static str) -> Self {
        RowColumn { metric: Some(Metric { name, kind: MetricKind::Gauge, help, overlaps: false }), ..self }
    }

    pub(crate) const fn counter(self, name: &'static str, help: &'static str) -> Self {
        RowColumn { metric: Some(Metric { name, kind: MetricKind::Counter, help, overlaps: false }), ..self }
    }

    /// A gauge whose rows overlap.
    pub(crate) const fn overlapping(self, name: &'static str, help: &'static str) -> Self {
        RowColumn { metric: Some(Metric { name, kind: MetricKind::Gauge, help, overlaps: true }), ..self }
    }

    /// In the tables of the text report and of the page.
    pub(crate) const fn with_heading(self, heading: Heading, spare: u8) -> Self {
        let shown = ColumnDisplay { heading, spare, if_known: false, if_not: None, only_on_page: false, last: false };
        RowColumn { shown: Some(shown), ..self }
    }

    pub(crate) const fn shown_if_known(self, heading: Heading) -> Self {
        let shown = ColumnDisplay { heading, spare: 0, if_known: true, if_not: None, only_on_page: false, last: false };
        RowColumn { shown: Some(shown), ..self }
    }

    /// Only where it tells something that another column does not.
    pub(crate) const fn shown_if_not(self, key: &'static str, heading: Heading) -> Self {
        let shown =
            ColumnDisplay { heading, spare: 0, if_known: true, if_not: Some(key), only_on_page: false, last: false };
        RowColumn { shown: Some(shown), ..self }
    }

    /// Only in the page's table: neither in the text report nor in CSV.
    pub(crate) const fn only_on_page(self, heading: Heading, last: bool) -> Self {
        let shown = ColumnDisplay { heading, spare: 0, if_known: false, if_not: None, only_on_page: true, last };
        RowColumn { shown: Some(shown), in_csv: false, ..self }
    }
}

impl ColumnDisplay {
    /// Whether these rows have something to show in the column.
    pub(crate) fn is_for<R: ReportRow>(&self, column: &RowColumn<R>, rows: &[R]) -> bool {
        let tells = |row: &R| match ((column.value)(row), self.if_not) {
            (RowValue::Unknown, _) => false,
            (value, Some(key)) => value != row.value(key),
            (_, None) => true,
        };
        !self.if_known || rows.iter().any(tells)
    }
}

/// The columns of tables for people, in their order: names and counts, then bytes.
pub(crate) fn shown_columns<R: ReportRow>() -> Vec<(&'static RowColumn<R>, ColumnDisplay)> {
    let mut columns: Vec<_> = R::COLUMNS.iter().filter_map(|column| Some((column, column.shown?))).collect();
    columns.sort_by_key(|(column, shown)| (shown.last, column.unit == ColumnUnit::Bytes));
    columns
}

/// A field that is the value of one column.
pub(crate) trait RowField {
    fn value(&self) -> RowValue {
        RowValue::Unknown
    }
}

/// Adds the values of two rows. The sum is known only if both are.
pub(crate) trait Merge {
    /// Keys of a row are the same in both.
    fn merge(&mut self, _other: Self)
    where
        Self: Sized,
    {
    }
}

/// The sum of two values.
pub(crate) fn merged<T: Merge>(mut one: T, other: T) -> T {
    one.merge(other);
    one
}

impl Merge for RowValue {
    fn merge(&mut self, other: Self) {
        *self = match (&*self, other) {
            (RowValue::Count(a), RowValue::Count(b)) => RowValue::Count(a.saturating_add(b)),
            (RowValue::Real(a), RowValue::Real(b)) => RowValue::Real(a.hypot(b)),
            _ => RowValue::Unknown,
        };
    }
}

impl RowField for String {
    fn value(&self) -> RowValue {
        RowValue::Text(self.clone())
    }
}

impl Merge for String {}

impl RowField for u64 {
    fn value(&self) -> RowValue {
        RowValue::Count(*self)
    }
}

impl Merge for u64 {
    /// Saturates: a damaged or hostile file must not end the report.
    fn merge(&mut self, other: Self) {
        *self = self.saturating_add(other);
    }
}

/// The name of a component.
impl RowField for Option<String> {
    fn value(&self) -> RowValue {
        RowValue::Text(self.as_deref().unwrap_or(NO_COMPONENT).to_owned())
    }
}

impl Merge for Option<String> {}

impl RowField for Option<u64> {
    fn value(&self) -> RowValue {
        self.map_or(RowValue::Unknown, RowValue::Count)
    }
}

impl Merge for Option<u64> {
    fn merge(&mut self, other: Self) {
        *self = self.zip(other).map(|(a, b)| a.saturating_add(b));
    }
}

impl RowField for Option<f64> {
    fn value(&self) -> RowValue {
        self.map_or(RowValue::Unknown, RowValue::Real)
    }
}

impl Merge for Option<f64> {
    /// Standard errors of independent estimates combine in quadrature.
    fn merge(&mut self, other: Self) {
        *self = self.zip(other).map(|(a, b)| a.hypot(b));
    }
}

impl RowField for Option<bool> {
    fn value(&self) -> RowValue {
        self.map_or(RowValue::Unknown, RowValue::Flag)
    }
}

impl Merge for Option<bool> {
    /// One inexact part makes the sum inexact, even if another is unknown.
    fn merge(&mut self, other: Self) {
        *self = match (*self, other) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
    }
}

impl RowField for Option<Track> {
    /// Its word in the JSON report.
    fn value(&self) -> RowValue {
        let word = self.and_then(|track| serde_json::to_value(track).ok());
        word.as_ref().and_then(|word| word.as_str()).map_or(RowValue::Unknown, |word| RowValue::Text(word.to_owned()))
    }
}

impl Merge for Option<Track> {
    fn merge(&mut self, other: Self) {
        *self = self.filter(|track| Some(*track) == other);
    }
}

impl<T> RowField for BTreeSet<T> {}

impl<T: Ord> Merge for BTreeSet<T> {
    fn merge(&mut self, other: Self) {
        self.extend(other);
    }
}

/// Declares a row. A column has a field; after `=` its value in a recording's row, if that is not the field of the same
/// name; and after `=>` its definition. Columns after `with` are computed from the same field.
macro_rules! rows {
    (
        $(#[$about:meta])*
        pub struct $name:ident of $recorded:ty {
            $(
                $(#[$doc:meta])*
                pub $field:ident: $type:ty $(= $from:expr)? => $column:expr
                $(, with { $($key:literal: $value:expr, $seen:expr => $more:expr;)* })?;
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $crate::row::ReportRow for $name {
            type Recorded = $recorded;
            const COLUMNS: &'static [$crate::row::RowColumn<Self>] = {
                // Constructors of columns of this row, so that methods can be called on them.
                rows!(@of $name: name flag error objects collections bytes nested);
                &[$(
                $crate::row::RowColumn {
                    key: stringify!($field),
                    value: |row| $crate::row::RowField::value(&row.$field),
                    recorded: |row| {
                        let from: fn(&$recorded) -> $type = rows!(@from $field $($from)?);
                        $crate::row::RowField::value(&from(row))
                    },
                    ..$column
                },
                $($($crate::row::RowColumn { key: $key, value: $value, recorded: $seen, ..$more },)*)?
                )*]
            };

            fn from_recorded(row: &$recorded) -> Self {
                $name {
                    $($field: {
                        let from: fn(&$recorded) -> $type = rows!(@from $field $($from)?);
                        from(row)
                    },)*
                }
            }

            fn add(&mut self, other: Self) {
                $($crate::row::Merge::merge(&mut self.$field, other.$field);)*
            }
        }
    };
    (@of $row:ident: $($unit:ident)*) => {
        $(
            #[allow(unused)]
            const fn $unit() -> $crate::row::RowColumn<$row> {
                $crate::row::$unit()
            }
        )*
    };
    (@from $field:ident) => { |row| Clone::clone(&row.$field) };
    (@from $field:ident $from:expr) => { $from };
}
pub(crate) use rows;

/// Adds a row to the sum with the same key.
pub(crate) fn add<K: Ord, R: ReportRow>(sums: &mut BTreeMap<K, R>, key: K, row: R) {
    match sums.entry(key) {
        Entry::Vacant(entry) => drop(entry.insert(row)),
        Entry::Occupied(mut sum) => sum.get_mut().add(row),
    }
}
