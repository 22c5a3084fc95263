//! The figures of many reports, one for each build: what each class and component held in the first and in the last, how it
//! changes, and which changes are more than sampling explains.

mod page;
mod text;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::json;
use crate::noise::{self, Estimate};
use crate::row::{NO_COMPONENT, ReportRow};
use crate::saved::SavedReport;
use weighbridge_table::cells::{Cells, CsvWriter};

/// The version of the JSON form. Keys are added, never renamed or removed.
pub const FORMAT: u32 = 1;

/// The report of one build.
#[derive(Debug)]
pub struct Build {
    /// What names it.
    pub label: String,
    /// When its first program started, milliseconds since the Unix epoch.
    pub started_ms: Option<u64>,
    /// Its figures.
    pub report: SavedReport,
}

/// What became of a figure from the first build that tells it to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureChange {
    /// It is more, beyond the errors of both.
    Grew,
    /// It is less, beyond the errors of both.
    Shrank,
    /// It differs by less than sampling explains.
    WithinError,
    /// It is the same.
    Same,
    /// Fewer than two builds tell it.
    NotMeasured,
}

impl FigureChange {
    fn word(self) -> &'static str {
        match self {
            FigureChange::Grew => "grew",
            FigureChange::Shrank => "shrank",
            FigureChange::WithinError => "within error",
            FigureChange::Same => "same",
            FigureChange::NotMeasured => "not measured",
        }
    }
}

/// A figure in all builds.
#[derive(Debug, Clone, Serialize)]
pub struct TrendLine {
    /// One for each build; null where it was not measured, 0 where nothing was constructed.
    pub values: Vec<Option<u64>>,
    /// One standard error of each value, 0 if exact.
    pub errors: Vec<Option<f64>>,
    /// The first value that is known.
    pub first: Option<u64>,
    /// The last value that is known.
    pub last: Option<u64>,
    /// Last less first.
    pub change: Option<i64>,
    /// The median of the changes a build over all pairs of builds (Theil and Sen).
    pub per_build: Option<f64>,
    /// Whether the change counts.
    pub verdict: FigureChange,
}

/// A class or a component in all builds.
#[derive(Debug, Clone, Serialize)]
pub struct Series {
    /// The class; absent in rows of components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The component.
    pub component: Option<String>,
    /// Bytes held by it alone.
    pub own_bytes: TrendLine,
    /// Live objects.
    pub live: TrendLine,
}

/// All builds, in their order.
#[derive(Debug, Clone, Serialize)]
pub struct Trend {
    format: u32,
    builds: Vec<BuildRow>,
    /// The largest change of own bytes first; those whose change counts before the others.
    pub components: Vec<Series>,
    /// The same of classes.
    pub classes: Vec<Series>,
}

#[derive(Debug, Clone, Serialize)]
struct BuildRow {
    label: String,
    started_ms: Option<u64>,
    jvms: u64,
    collected: Option<bool>,
}

impl Trend {
    /// Compares the reports of builds, in the order in which they are given.
    pub fn from_builds(builds: &[Build]) -> Trend {
        let row = |build: &Build| BuildRow {
            label: build.label.clone(),
            started_ms: build.started_ms,
            jvms: build.report.summary.jvms,
            collected: build.report.summary.totals.collected,
        };
        let reports: Vec<&SavedReport> = builds.iter().map(|build| &build.report).collect();
        let components = by_key(reports.iter().map(|report| report.components.as_slice()), |row| &row.component);
        let of_component = |(name, rows): (&String, Vec<_>)| series(None, Some(name.clone()), &rows);
        let classes =
            by_key(reports.iter().map(|report| report.classes.as_slice()), |row| (&row.class, &row.component));
        let of_class = |((class, component), rows): ((&String, &Option<String>), Vec<_>)| {
            series(Some(class.clone()), component.clone(), &rows)
        };
        Trend {
            format: FORMAT,
            builds: builds.iter().map(row).collect(),
            components: sorted(components.into_iter().map(of_component).collect()),
            classes: sorted(classes.into_iter().map(of_class).collect()),
        }
    }

    /// Writes the trend for programs.
    pub fn json(&self, output: &mut impl Write) -> io::Result<()> {
        json::pretty(self, output)
    }

    /// Writes a row for each figure of each class and component in each build (RFC 4180).
    pub fn csv(&self, cells: Cells, output: &mut impl Write) -> io::Result<()> {
        let mut sheet = CsvWriter::new(cells, output);
        sheet.record(["build", "started_ms", "class", "component", "figure", "value", "error"])?;
        for series in self.components.iter().chain(&self.classes) {
            for (figure, line) in [("own_bytes", &series.own_bytes), ("live", &series.live)] {
                for ((build, value), error) in self.builds.iter().zip(&line.values).zip(&line.errors) {
                    sheet.record([
                        build.label.clone(),
                        build.started_ms.map_or_else(String::new, |ms| ms.to_string()),
                        series.class.clone().unwrap_or_default(),
                        series.component.clone().unwrap_or_default(),
                        figure.to_owned(),
                        value.map_or_else(String::new, |value| value.to_string()),
                        error.map_or_else(String::new, |error| error.to_string()),
                    ])?;
                }
            }
        }
        sheet.finish()
    }

    /// How the builds are told in a sentence.
    fn span(&self) -> String {
        let named = |build: &BuildRow| match build.started_ms {
            Some(ms) => format!("{} ({})", build.label, weighbridge_table::units::moment(ms)),
            None => build.label.clone(),
        };
        match self.builds.as_slice() {
            [first, .., last] => format!("{} builds, from {} to {}", self.builds.len(), named(first), named(last)),
            _ => format!("{} builds", self.builds.len()),
        }
    }
}

impl Series {
    /// As people call it.
    fn name(&self) -> &str {
        self.class.as_deref().or(self.component.as_deref()).unwrap_or(NO_COMPONENT)
    }

    fn counts(&self) -> bool {
        let changes = |line: &TrendLine| matches!(line.verdict, FigureChange::Grew | FigureChange::Shrank);
        changes(&self.own_bytes) || changes(&self.live)
    }
}

/// The rows of each key in the order of keys, one element for each report; of several rows of a report the first.
fn by_key<'a, R, K: Ord>(
    reports: impl ExactSizeIterator<Item = &'a [R]>,
    key: impl Fn(&'a R) -> K,
) -> BTreeMap<K, Vec<Option<&'a R>>> {
    let mut all: BTreeMap<K, Vec<Option<&'a R>>> = BTreeMap::new();
    let count = reports.len();
    for (at, rows) in reports.enumerate() {
        for row in rows {
            all.entry(key(row)).or_insert_with(|| vec![None; count])[at].get_or_insert(row);
        }
    }
    all
}

fn series<R: ReportRow>(class: Option<String>, component: Option<String>, rows: &[Option<&R>]) -> Series {
    Series { class, component, own_bytes: line(rows, "own_bytes"), live: line(rows, "live") }
}

fn line<R: ReportRow>(rows: &[Option<&R>], key: &str) -> TrendLine {
    let estimates: Vec<Option<Estimate>> = rows
        .iter()
        .map(|row| match row {
            Some(row) => noise::of_row(*row, key),
            // Without a row nothing was constructed.
            None => Some(Estimate { value: 0.0, error: 0.0 }),
        })
        .collect();
    let known: Vec<(usize, Estimate)> =
        estimates.iter().enumerate().filter_map(|(at, estimate)| Some((at, (*estimate)?))).collect();
    let ends = known.first().zip(known.last()).filter(|(first, last)| first.0 != last.0);
    let verdict = match ends {
        None => FigureChange::NotMeasured,
        Some(((_, first), (_, last))) if last.beyond(*first, 1.0) => FigureChange::Grew,
        Some(((_, first), (_, last))) if first.beyond(*last, 1.0) => FigureChange::Shrank,
        Some(((_, first), (_, last))) if first.value == last.value => FigureChange::Same,
        Some(_) => FigureChange::WithinError,
    };
    // A build is a minute here.
    let points: Vec<(u64, u64)> = known.iter().map(|(at, it)| (*at as u64 * 60_000, it.value as u64)).collect();
    TrendLine {
        values: estimates.iter().map(|it| it.map(|it| it.value as u64)).collect(),
        errors: estimates.iter().map(|it| it.map(|it| it.error)).collect(),
        first: known.first().map(|(_, it)| it.value as u64),
        last: known.last().map(|(_, it)| it.value as u64),
        change: ends.map(|((_, first), (_, last))| (last.value - first.value) as i64),
        per_build: noise::per_minute(&points),
        verdict,
    }
}

fn sorted(mut all: Vec<Series>) -> Vec<Series> {
    let size = |line: &TrendLine| line.change.map(i64::unsigned_abs);
    // Stable: the order by name decides among equals.
    all.sort_by_key(|it| std::cmp::Reverse((it.counts(), size(&it.own_bytes), size(&it.live))));
    all
}
