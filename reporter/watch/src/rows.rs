//! The rows of one snapshot, in four tables.

use std::collections::BTreeMap;

use weighbridge_recording::{ClassLine, ClassRow, ComponentRow, Snapshot, TagRow, ThreadRow};
use weighbridge_reporter::trust::{Blur, Trust};
use weighbridge_reporter::{ClassFigures, ClassSums, ComponentFigures, ReportRow, TagFigures, ThreadFigures};

use crate::trend::Trend;

/// What a table lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchTable {
    /// Components.
    Components,
    /// Classes.
    Classes,
    /// Groups of threads.
    Threads,
    /// Tags.
    Tags,
}

impl WatchTable {
    /// All of them, in the order of their tabs.
    pub const ALL: [WatchTable; 4] =
        [WatchTable::Components, WatchTable::Classes, WatchTable::Threads, WatchTable::Tags];

    pub(crate) fn title(self) -> &'static str {
        ["Components", "Classes", "Threads", "Tags"][self as usize]
    }
}

/// One row. A figure that was not measured is `None`.
#[derive(Debug, Clone, Default)]
pub struct WatchRow {
    /// The name of the class, component, group of threads or tag.
    pub name: String,
    /// The component of a class.
    pub component: Option<String>,
    /// Own bytes; deep bytes if the recording has no own ones; shallow bytes without a walk, and of threads.
    pub bytes: Option<u64>,
    pub(crate) bytes_trust: Trust,
    /// Whether `bytes` are own bytes.
    pub(crate) owned: bool,
    /// Live objects; without a full marking those that no collection has removed.
    pub live: Option<u64>,
    pub(crate) live_trust: Trust,
    /// One standard error of `live`; 0 if exact.
    pub live_error: Option<f64>,
    /// Objects constructed since the JVM started.
    pub allocated: Option<u64>,
    pub(crate) allocated_trust: Trust,
    /// Objects constructed a second, between the last two snapshots.
    pub per_second: Option<f64>,
    /// Collections that at least half of the live objects survived: the lower bound of the median's bucket.
    pub age: Option<u64>,
    /// Collections that the oldest tracked object survived.
    pub oldest: Option<u64>,
    /// Change of `bytes` a minute, over the snapshots of `trend`.
    pub growth: Option<f64>,
    /// `bytes` in the last snapshots.
    pub trend: Trend,
}

/// A row's identity from one snapshot to the next.
pub(crate) type RowKey = (String, Option<String>);

/// The rows of a snapshot without their history. A class that two loaders define is one row.
pub(crate) fn rows(
    table: WatchTable,
    snapshot: &Snapshot,
    classes: &BTreeMap<u64, ClassLine>,
    formula: bool,
) -> Vec<WatchRow> {
    let blur = Blur {
        formula,
        closed: snapshot.walk.as_ref().and_then(|walk| walk.closed_objects).is_some_and(|objects| objects > 0),
        sampled: snapshot.classes.iter().any(|row| row.exact == Some(false)),
        garbage: !snapshot.is_live(),
    };
    match table {
        WatchTable::Classes => {
            let named = |row: &ClassRow| match classes.get(&row.id) {
                Some(line) => (line.class.clone(), line.component.clone()),
                None => (format!("(class {})", row.id), None),
            };
            let row = |row: ClassFigures| WatchRow {
                component: row.component.clone(),
                ..WatchRow::from_figures(&row, &row.class, blur)
            };
            sums(snapshot.classes.iter(), &snapshot.age_from, named).map(row).collect()
        }
        WatchTable::Components => components(snapshot, classes, blur),
        WatchTable::Threads => {
            let row =
                |row: &ThreadRow| WatchRow::from_figures(&ThreadFigures::from_recorded(&row.figures), &row.name, blur);
            snapshot.threads.iter().map(row).collect()
        }
        WatchTable::Tags => {
            let row = |row: &TagRow| {
                WatchRow::from_figures(
                    &TagFigures::from_recorded(&row.figures),
                    &format!("{}={}", row.key, row.value),
                    blur,
                )
            };
            snapshot.tags.iter().map(row).collect()
        }
    }
}

/// Rows of classes, added up by name and component.
fn sums<'a>(
    rows: impl Iterator<Item = &'a ClassRow>,
    age_from: &[u64],
    named: impl Fn(&ClassRow) -> RowKey,
) -> impl Iterator<Item = ClassFigures> {
    let mut sums = ClassSums::default();
    for row in rows {
        let (class, component) = named(row);
        sums.add(ClassFigures { class, component, ..ClassFigures::from_recorded(row) }, row, age_from, None);
    }
    sums.finish()
}

/// The rows of components, with the counts and ages of their classes.
fn components(snapshot: &Snapshot, classes: &BTreeMap<u64, ClassLine>, blur: Blur) -> Vec<WatchRow> {
    let named = |row: &ClassRow| {
        let component = classes.get(&row.id).and_then(|line| line.component.clone());
        (component.unwrap_or_else(|| "(none)".to_owned()), None)
    };
    let mut constructed: BTreeMap<String, u64> = BTreeMap::new();
    for row in &snapshot.classes {
        let allocated = constructed.entry(named(row).0).or_default();
        *allocated = allocated.saturating_add(row.allocated);
    }
    // Classes that are only counted have no ages; adding them would drop the ages of the others.
    let tracked = snapshot.classes.iter().filter(|row| row.objects().is_some());
    let mut members: BTreeMap<String, WatchRow> = sums(tracked, &snapshot.age_from, named)
        .map(|row| (row.class.clone(), WatchRow::from_figures(&row, &row.class, blur)))
        .collect();
    let row = |row: &ComponentRow| {
        let WatchRow { age, oldest, .. } = members.remove(&row.name).unwrap_or_default();
        let allocated = constructed.get(&row.name).copied();
        WatchRow {
            allocated,
            age,
            oldest,
            ..WatchRow::from_figures(&ComponentFigures::from_recorded(row), &row.name, blur)
        }
    };
    snapshot.components.iter().map(row).collect()
}

impl WatchRow {
    fn from_figures<R: ReportRow>(figures: &R, name: &str, blur: Blur) -> WatchRow {
        let count = |key: &str| figures.value(key).count();
        let trust = |key: &str| figures.trust(key, &blur).in_short();
        let held = ["own_bytes", "deep_bytes", "shallow_bytes"].into_iter().find(|key| count(key).is_some());
        WatchRow {
            name: name.to_owned(),
            bytes: held.and_then(count),
            bytes_trust: held.map(trust).unwrap_or_default(),
            owned: held == Some("own_bytes"),
            live: count("live"),
            live_trust: trust("live"),
            live_error: figures.value("live_error").real(),
            allocated: count("allocated"),
            allocated_trust: trust("allocated"),
            age: count("age_median"),
            oldest: count("age_max"),
            ..WatchRow::default()
        }
    }

    pub(crate) fn key(&self) -> RowKey {
        (self.name.clone(), self.component.clone())
    }
}
