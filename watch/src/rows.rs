//! The rows of the four tables, of one snapshot.

use std::collections::BTreeMap;

use weighbridge_recording::{ClassLine, ClassRow, OriginRow, Snapshot};
use weighbridge_reporter::trust::{Blur, Trust};

use crate::trend::Trend;

/// What a table lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Components.
    Components,
    /// Classes.
    Classes,
    /// Groups of threads.
    Threads,
    /// Tags.
    Tags,
}

impl Table {
    /// All of them, in the order of their tabs.
    pub const ALL: [Table; 4] = [Table::Components, Table::Classes, Table::Threads, Table::Tags];

    pub(crate) fn title(self) -> &'static str {
        ["Components", "Classes", "Threads", "Tags"][self as usize]
    }
}

/// One row. What was not measured is `None`.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// What the row is about.
    pub name: String,
    /// The component of a class.
    pub component: Option<String>,
    /// Own bytes; those that the live objects reach where a recording has no own ones; without a walk, and of threads:
    /// their shallow bytes.
    pub bytes: Option<u64>,
    pub(crate) bytes_trust: Trust,
    /// Whether `bytes` are own bytes.
    pub(crate) owned: bool,
    /// Live objects.
    pub live: Option<u64>,
    /// One standard error of `live`; 0 if exact.
    pub live_error: Option<f64>,
    /// Objects constructed since the JVM started.
    pub allocated: Option<u64>,
    pub(crate) allocated_trust: Trust,
    /// Objects constructed in a second, between the last two snapshots.
    pub per_second: Option<f64>,
    /// Collections that half of the live objects survived, at least: the lower bound of the bucket of the median.
    pub age: Option<u64>,
    /// Collections that the oldest tracked object survived.
    pub oldest: Option<u64>,
    /// Change of `bytes` in a minute, over the moments of `trend`.
    pub growth: Option<f64>,
    /// `bytes` of the last snapshots.
    pub trend: Trend,
    ages: Vec<u64>,
}

/// A row's identity from one snapshot to the next.
pub(crate) type RowKey = (String, Option<String>);

/// The rows of a snapshot without their history, each once: a class that two loaders define is one row.
pub(crate) fn rows(table: Table, snapshot: &Snapshot, classes: &BTreeMap<u64, ClassLine>, formula: bool) -> Vec<Row> {
    let blur = Blur {
        formula,
        closed: snapshot.walk.as_ref().and_then(|walk| walk.closed_objects).is_some_and(|objects| objects > 0),
        sampled: snapshot.classes.iter().any(|row| row.exact == Some(false)),
    };
    match table {
        Table::Classes => {
            let named = snapshot.classes.iter().map(|row| match classes.get(&row.id) {
                Some(line) => class(blur, row, line.class.clone(), line.component.clone()),
                None => class(blur, row, format!("(class {})", row.id), None),
            });
            merged(named, &snapshot.age_from)
        }
        Table::Components => components(snapshot, classes, blur),
        Table::Threads => snapshot.threads.iter().map(|row| origin(blur, &row.figures, row.name.clone())).collect(),
        Table::Tags => {
            snapshot.tags.iter().map(|row| origin(blur, &row.figures, format!("{}={}", row.key, row.value))).collect()
        }
    }
}

/// A component's own row, with the counts and ages of its classes.
fn components(snapshot: &Snapshot, classes: &BTreeMap<u64, ClassLine>, blur: Blur) -> Vec<Row> {
    let component = |row: &ClassRow| classes.get(&row.id).and_then(|line| line.component.clone());
    let members = snapshot.classes.iter().map(|row| {
        let name = component(row).unwrap_or_else(|| "(none)".to_owned());
        class(blur, row, name, None)
    });
    let mut members: BTreeMap<String, Row> =
        merged(members, &snapshot.age_from).into_iter().map(|row| (row.name.clone(), row)).collect();
    let row = |row: &weighbridge_recording::ComponentRow| {
        let member = members.remove(&row.name).unwrap_or_default();
        let shallow = (row.shallow_bytes, blur.shallow(row.exact, row.live_error));
        let (bytes, bytes_trust) = held(blur, row.own_bytes, row.deep_bytes, row.exact).unwrap_or(shallow);
        Row {
            name: row.name.clone(),
            component: None,
            bytes,
            bytes_trust,
            owned: row.own_bytes.is_some(),
            live: row.live,
            live_error: row.live_error,
            ..member
        }
    };
    snapshot.components.iter().map(row).collect()
}

/// The bytes that a walk found of a row.
fn held(blur: Blur, own: Option<u64>, deep: Option<u64>, exact: Option<bool>) -> Option<(Option<u64>, Trust)> {
    let own = own.map(|own| (Some(own), blur.split()));
    own.or(deep.map(|deep| (Some(deep), blur.deep(exact))))
}

fn class(blur: Blur, row: &ClassRow, name: String, component: Option<String>) -> Row {
    let shallow = (row.shallow_bytes, blur.shallow(row.exact, row.live_error));
    let (bytes, bytes_trust) = held(blur, row.own_bytes, row.deep_bytes, row.exact).unwrap_or(shallow);
    Row {
        name,
        component,
        bytes,
        bytes_trust,
        owned: row.own_bytes.is_some(),
        live: row.live,
        live_error: row.live_error,
        allocated: Some(row.allocated),
        oldest: row.oldest,
        ages: row.ages.clone().unwrap_or_default(),
        ..Row::default()
    }
}

fn origin(blur: Blur, figures: &OriginRow, name: String) -> Row {
    Row {
        name,
        bytes: figures.own_bytes.or(figures.shallow_bytes),
        bytes_trust: blur.constructed(figures.live_error),
        owned: figures.own_bytes.is_some(),
        live: figures.live,
        live_error: figures.live_error,
        allocated: figures.allocated,
        allocated_trust: Trust::unless(Some(figures.allocated_error.is_none_or(|error| error == 0.0))),
        ..Row::default()
    }
}

fn merged(rows: impl Iterator<Item = Row>, age_from: &[u64]) -> Vec<Row> {
    let mut by_key: BTreeMap<RowKey, Row> = BTreeMap::new();
    for row in rows {
        match by_key.get_mut(&row.key()) {
            None => {
                by_key.insert(row.key(), row);
            }
            Some(sum) => sum.add(row),
        }
    }
    let mut rows: Vec<Row> = by_key.into_values().collect();
    rows.iter_mut().for_each(|row| row.age = median(&row.ages, age_from));
    rows
}

/// The lower bound of the bucket that the median lies in.
fn median(ages: &[u64], from: &[u64]) -> Option<u64> {
    let all = ages.iter().fold(0u64, |sum, live| sum.saturating_add(*live));
    if all == 0 || ages.len() != from.len() {
        return None;
    }
    let mut seen = 0u64;
    let bucket = ages.iter().position(|live| {
        seen = seen.saturating_add(*live);
        seen >= all.div_ceil(2)
    })?;
    Some(from[bucket])
}

impl Row {
    pub(crate) fn key(&self) -> RowKey {
        (self.name.clone(), self.component.clone())
    }

    /// The same class by another loader, or another class of the component. Bytes reached from both count twice: a
    /// component's own row replaces them.
    fn add(&mut self, other: Row) {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        self.bytes = sum(self.bytes, other.bytes);
        if self.bytes_trust == Trust::Exact {
            self.bytes_trust = other.bytes_trust;
        }
        self.live = sum(self.live, other.live);
        self.live_error = self.live_error.zip(other.live_error).map(|(a, b)| a.hypot(b));
        self.allocated = sum(self.allocated, other.allocated);
        self.oldest = self.oldest.max(other.oldest);
        if self.ages.len() < other.ages.len() {
            self.ages.resize(other.ages.len(), 0);
        }
        self.ages.iter_mut().zip(&other.ages).for_each(|(sum, live)| *sum = sum.saturating_add(*live));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_age_is_the_bucket_in_which_half_of_the_objects_are_reached() {
        assert_eq!(median(&[3, 2, 0], &[0, 1, 4]), Some(0));
        assert_eq!(median(&[2, 3, 0], &[0, 1, 4]), Some(1));
        assert_eq!(median(&[0, 0, 1], &[0, 1, 4]), Some(4));
        assert_eq!(median(&[0, 0], &[0, 1]), None, "no object has no age");
        assert_eq!(median(&[1], &[0, 1]), None, "buckets without bounds tell nothing");
    }
}
