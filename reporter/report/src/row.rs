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
pub enum Value {
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

impl Value {
    /// The count, if it is one.
    pub fn count(&self) -> Option<u64> {
        match self {
            Value::Count(n) => Some(*n),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn real(&self) -> Option<f64> {
        match self {
            Value::Count(n) => Some(*n as f64),
            Value::Real(x) => Some(*x),
            _ => None,
        }
    }

    /// The answer, if it is one.
    pub fn flag(&self) -> Option<bool> {
        match self {
            Value::Flag(yes) => Some(*yes),
            _ => None,
        }
    }

    /// As a cell of a spreadsheet: empty if not known, numbers without separators.
    pub(crate) fn plain(self) -> String {
        match self {
            Value::Unknown => String::new(),
            Value::Text(text) => text,
            Value::Count(n) => n.to_string(),
            Value::Real(x) => x.to_string(),
            Value::Flag(yes) => yes.to_string(),
        }
    }
}

/// A row of one of the report's tables.
pub trait Row: Sized + 'static {
    /// The row of a recording that it sums up.
    #[doc(hidden)]
    type Recorded: 'static;
    /// Its columns in the order of the JSON report.
    #[doc(hidden)]
    const COLUMNS: &'static [Column<Self>];

    /// The row of a single row of a recording.
    fn of(row: &Self::Recorded) -> Self;

    /// Adds another row. A figure that is unknown in either is unknown in the sum.
    fn add(&mut self, other: Self);

    /// How far the figure in the column with that key can be trusted.
    fn trust(&self, key: &str, blur: &Blur) -> Trust {
        let column = Self::COLUMNS.iter().find(|column| column.key == key);
        column.map_or(Trust::Exact, |column| (column.trust)(self, blur))
    }

    /// Its value in the column with that key of the JSON report.
    fn value(&self, key: &str) -> Value {
        let column = Self::COLUMNS.iter().find(|column| column.key == key);
        column.map_or(Value::Unknown, |column| (column.value)(self))
    }
}

/// The unit of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
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
pub(crate) enum Kind {
    Gauge,
    Counter,
}

/// The family of metrics of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) help: &'static str,
    /// Whether the figures of several rows overlap, so that their sum means nothing.
    pub(crate) overlaps: bool,
}

/// How a column is shown in the tables for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
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
pub struct Column<R: Row> {
    /// The key in JSON, and the header of CSV.
    pub(crate) key: &'static str,
    pub(crate) unit: Unit,
    pub(crate) value: fn(&R) -> Value,
    /// What people read instead of a number or, in the text report, instead of a name.
    pub(crate) written: Option<fn(&R) -> String>,
    pub(crate) trust: fn(&R, &Blur) -> Trust,
    /// The value of a single row of a recording.
    pub(crate) recorded: fn(&R::Recorded) -> Value,
    /// The name in Parquet.
    pub(crate) parquet: Option<&'static str>,
    pub(crate) in_csv: bool,
    pub(crate) metric: Option<Metric>,
    pub(crate) shown: Option<Shown>,
}

const fn column<R: Row>(unit: Unit) -> Column<R> {
    Column {
        key: "",
        unit,
        value: |_| Value::Unknown,
        written: None,
        trust: |_, _| Trust::Exact,
        recorded: |_| Value::Unknown,
        parquet: None,
        in_csv: true,
        metric: None,
        shown: None,
    }
}

pub(crate) const fn name<R: Row>() -> Column<R> {
    column(Unit::Name)
}

pub(crate) const fn flag<R: Row>() -> Column<R> {
    column(Unit::Flag)
}

pub(crate) const fn error<R: Row>() -> Column<R> {
    column(Unit::Error)
}

pub(crate) const fn objects<R: Row>() -> Column<R> {
    column(Unit::Count)
}

pub(crate) const fn collections<R: Row>() -> Column<R> {
    column(Unit::Collections)
}

pub(crate) const fn bytes<R: Row>() -> Column<R> {
    column(Unit::Bytes)
}

/// A column that only JSON has.
pub(crate) const fn nested<R: Row>() -> Column<R> {
    Column { in_csv: false, ..column(Unit::Nested) }
}

impl<R: Row> Column<R> {
    pub(crate) const fn trusted(self, trust: fn(&R, &Blur) -> Trust) -> Self {
        Column { trust, ..self }
    }

    pub(crate) const fn written(self, written: fn(&R) -> String) -> Self {
        Column { written: Some(written), ..self }
    }

    /// In the Parquet tables, by this name.
    pub(crate) const fn parquet(self, name: &'static str) -> Self {
        Column { parquet: Some(name), ..self }
    }

    pub(crate) const fn gauge(self, name: &'static str, help: &'static str) -> Self {
        Column { metric: Some(Metric { name, kind: Kind::Gauge, help, overlaps: false }), ..self }
    }

    pub(crate) const fn counter(self, name: &'static str, help: &'static str) -> Self {
        Column { metric: Some(Metric { name, kind: Kind::Counter, help, overlaps: false }), ..self }
    }

    /// A gauge whose rows overlap.
    pub(crate) const fn overlapping(self, name: &'static str, help: &'static str) -> Self {
        Column { metric: Some(Metric { name, kind: Kind::Gauge, help, overlaps: true }), ..self }
    }

    /// In the tables of the text report and of the page.
    pub(crate) const fn shown(self, heading: Heading, spare: u8) -> Self {
        let shown = Shown { heading, spare, if_known: false, if_not: None, only_on_page: false, last: false };
        Column { shown: Some(shown), ..self }
    }

    pub(crate) const fn shown_if_known(self, heading: Heading) -> Self {
        let shown = Shown { heading, spare: 0, if_known: true, if_not: None, only_on_page: false, last: false };
        Column { shown: Some(shown), ..self }
    }

    /// Only where it tells something that another column does not.
    pub(crate) const fn shown_if_not(self, key: &'static str, heading: Heading) -> Self {
        let shown = Shown { heading, spare: 0, if_known: true, if_not: Some(key), only_on_page: false, last: false };
        Column { shown: Some(shown), ..self }
    }

    /// Only in the page's table: neither in the text report nor in CSV.
    pub(crate) const fn only_on_page(self, heading: Heading, last: bool) -> Self {
        let shown = Shown { heading, spare: 0, if_known: false, if_not: None, only_on_page: true, last };
        Column { shown: Some(shown), in_csv: false, ..self }
    }
}

impl Shown {
    /// Whether these rows have something to show in the column.
    pub(crate) fn is_for<R: Row>(&self, column: &Column<R>, rows: &[R]) -> bool {
        let tells = |row: &R| match ((column.value)(row), self.if_not) {
            (Value::Unknown, _) => false,
            (value, Some(key)) => value != row.value(key),
            (_, None) => true,
        };
        !self.if_known || rows.iter().any(tells)
    }
}

/// The columns of tables for people, in their order: names and counts, then bytes.
pub(crate) fn shown<R: Row>() -> Vec<(&'static Column<R>, Shown)> {
    let mut columns: Vec<_> = R::COLUMNS.iter().filter_map(|column| Some((column, column.shown?))).collect();
    columns.sort_by_key(|(column, shown)| (shown.last, column.unit == Unit::Bytes));
    columns
}

/// A field that is the value of one column.
pub(crate) trait Cell {
    fn value(&self) -> Value {
        Value::Unknown
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

impl Merge for Value {
    fn merge(&mut self, other: Self) {
        *self = match (&*self, other) {
            (Value::Count(a), Value::Count(b)) => Value::Count(a.saturating_add(b)),
            (Value::Real(a), Value::Real(b)) => Value::Real(a.hypot(b)),
            _ => Value::Unknown,
        };
    }
}

impl Cell for String {
    fn value(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl Merge for String {}

impl Cell for u64 {
    fn value(&self) -> Value {
        Value::Count(*self)
    }
}

impl Merge for u64 {
    /// Saturates: a damaged or hostile file must not end the report.
    fn merge(&mut self, other: Self) {
        *self = self.saturating_add(other);
    }
}

/// The name of a component.
impl Cell for Option<String> {
    fn value(&self) -> Value {
        Value::Text(self.as_deref().unwrap_or(NO_COMPONENT).to_owned())
    }
}

impl Merge for Option<String> {}

impl Cell for Option<u64> {
    fn value(&self) -> Value {
        self.map_or(Value::Unknown, Value::Count)
    }
}

impl Merge for Option<u64> {
    fn merge(&mut self, other: Self) {
        *self = self.zip(other).map(|(a, b)| a.saturating_add(b));
    }
}

impl Cell for Option<f64> {
    fn value(&self) -> Value {
        self.map_or(Value::Unknown, Value::Real)
    }
}

impl Merge for Option<f64> {
    /// Standard errors of independent estimates combine in quadrature.
    fn merge(&mut self, other: Self) {
        *self = self.zip(other).map(|(a, b)| a.hypot(b));
    }
}

impl Cell for Option<bool> {
    fn value(&self) -> Value {
        self.map_or(Value::Unknown, Value::Flag)
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

impl Cell for Option<Track> {
    /// Its word in the JSON report.
    fn value(&self) -> Value {
        let word = self.and_then(|track| serde_json::to_value(track).ok());
        word.as_ref().and_then(|word| word.as_str()).map_or(Value::Unknown, |word| Value::Text(word.to_owned()))
    }
}

impl Merge for Option<Track> {
    fn merge(&mut self, other: Self) {
        *self = self.filter(|track| Some(*track) == other);
    }
}

impl<T> Cell for BTreeSet<T> {}

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

        impl $crate::row::Row for $name {
            type Recorded = $recorded;
            const COLUMNS: &'static [$crate::row::Column<Self>] = {
                // Constructors of columns of this row, so that methods can be called on them.
                rows!(@of $name: name flag error objects collections bytes nested);
                &[$(
                $crate::row::Column {
                    key: stringify!($field),
                    value: |row| $crate::row::Cell::value(&row.$field),
                    recorded: |row| {
                        let from: fn(&$recorded) -> $type = rows!(@from $field $($from)?);
                        $crate::row::Cell::value(&from(row))
                    },
                    ..$column
                },
                $($($crate::row::Column { key: $key, value: $value, recorded: $seen, ..$more },)*)?
                )*]
            };

            fn of(row: &$recorded) -> Self {
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
            const fn $unit() -> $crate::row::Column<$row> {
                $crate::row::$unit()
            }
        )*
    };
    (@from $field:ident) => { |row| Clone::clone(&row.$field) };
    (@from $field:ident $from:expr) => { $from };
}
pub(crate) use rows;

/// Adds a row to the sum with the same key.
pub(crate) fn add<K: Ord, R: Row>(sums: &mut BTreeMap<K, R>, key: K, row: R) {
    match sums.entry(key) {
        Entry::Vacant(entry) => drop(entry.insert(row)),
        Entry::Occupied(mut sum) => sum.get_mut().add(row),
    }
}
