//! Rows with columns for each JVM: the tables of `merge`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::aggregate::{Aggregator, Folded};
use crate::json;
use crate::row::ReportRow;
use weighbridge_table::cells::{Cells, CsvWriter};

/// The version of the JSON form. Keys are added, never renamed or removed.
pub const FORMAT: u32 = 1;

/// Live objects and deep bytes of each class and component in each JVM. Memory grows with the rows times the JVMs.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    jvms: Vec<JvmColumn>,
    classes: BTreeMap<(String, Option<String>), Vec<JvmFigures>>,
    components: BTreeMap<String, Vec<JvmFigures>>,
}

#[derive(Debug, Clone, Serialize)]
struct JvmColumn {
    file: String,
    recording: Option<String>,
    session: Option<String>,
    pid: Option<u64>,
    main: Option<String>,
    started_ms: Option<u64>,
}

/// A row's figures in one JVM.
#[derive(Debug, Clone, Copy, Serialize)]
struct JvmFigures {
    /// Index of the JVM.
    jvm: usize,
    allocated: Option<u64>,
    live: Option<u64>,
    live_error: Option<f64>,
    exact: Option<bool>,
    deep_bytes: Option<u64>,
}

impl JvmFigures {
    fn from_row(jvm: usize, row: &impl ReportRow) -> Self {
        let count = |key| row.value(key).count();
        JvmFigures {
            jvm,
            allocated: count("allocated"),
            live: count("live"),
            live_error: row.value("live_error").real(),
            exact: row.value("exact").flag(),
            deep_bytes: count("deep_bytes"),
        }
    }
}

impl Columns {
    /// Adds one JVM ([`Folded::by_jvm`]).
    pub fn add(&mut self, folded: Folded) {
        let mut aggregator = Aggregator::new();
        aggregator.add(folded);
        let aggregate = aggregator.finish();
        let Some(run) = aggregate.jvms.into_iter().next() else { return };
        let jvm = self.jvms.len();
        self.jvms.push(JvmColumn {
            file: run.file,
            recording: run.header.recording,
            session: run.header.session,
            pid: run.header.jvm.pid,
            main: run.header.jvm.main,
            started_ms: run.header.started_ms,
        });
        for row in aggregate.classes {
            let cell = JvmFigures::from_row(jvm, &row);
            self.classes.entry((row.class, row.component)).or_default().push(cell);
        }
        for row in aggregate.components {
            let cell = JvmFigures::from_row(jvm, &row);
            self.components.entry(row.component).or_default().push(cell);
        }
    }

    /// Writes a row for each class: its live objects and deep bytes in all JVMs and in each. A column's title ends with the
    /// JVM's process id, or its number from 1. A cell is empty if the JVM has no row of the class or did not measure it; a
    /// sum is empty if a part was not measured.
    pub fn csv(&self, cells: Cells, output: &mut impl Write) -> io::Result<()> {
        let mut sheet = CsvWriter::new(cells, output);
        let titles = |figure: &'static str| {
            let each = self.jvms.iter().enumerate().map(move |(index, jvm)| match jvm.pid {
                Some(pid) => format!("{figure} {} pid {pid}", index + 1),
                None => format!("{figure} {}", index + 1),
            });
            std::iter::once(format!("{figure} all")).chain(each)
        };
        let names = ["class", "component"].map(str::to_owned);
        sheet.record(names.into_iter().chain(titles("live")).chain(titles("deep_bytes")))?;
        for ((class, component), cells) in &self.classes {
            let figures = |figure: fn(&JvmFigures) -> Option<u64>| {
                let all = cells.iter().map(figure).try_fold(0_u64, |sum, part| Some(sum.saturating_add(part?)));
                let each = (0..self.jvms.len()).map(|jvm| cells.iter().find(|cell| cell.jvm == jvm).and_then(figure));
                let record: Vec<Option<u64>> = std::iter::once(all).chain(each).collect();
                record.into_iter().map(|figure| figure.map_or_else(String::new, |figure| figure.to_string()))
            };
            let names = [class.clone(), component.clone().unwrap_or_default()];
            let figures = figures(|cell| cell.live).chain(figures(|cell| cell.deep_bytes));
            sheet.record(names.into_iter().chain(figures))?;
        }
        sheet.finish()
    }

    /// Writes the JVMs, and the rows of classes and of components, each with the figures of the JVMs.
    pub fn json(&self, output: &mut impl Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct ColumnsDocument<'a> {
            format: u32,
            jvms: &'a [JvmColumn],
            components: Vec<ComponentRow<'a>>,
            classes: Vec<ClassRow<'a>>,
        }
        #[derive(Serialize)]
        struct ClassRow<'a> {
            class: &'a str,
            component: Option<&'a str>,
            by_jvm: &'a [JvmFigures],
        }
        #[derive(Serialize)]
        struct ComponentRow<'a> {
            component: &'a str,
            by_jvm: &'a [JvmFigures],
        }
        let classes = self.classes.iter().map(|((class, component), by_jvm)| ClassRow {
            class,
            component: component.as_deref(),
            by_jvm,
        });
        let components = self.components.iter().map(|(component, by_jvm)| ComponentRow { component, by_jvm });
        let document = ColumnsDocument {
            format: FORMAT,
            jvms: &self.jvms,
            components: components.collect(),
            classes: classes.collect(),
        };
        json::pretty(&document, output)
    }
}
