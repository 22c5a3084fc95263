//! The figures of recordings as tables.

use super::figures::Figures;
use crate::sheet::{Cell, Sheet, Table};
use crate::units::{counted, elapsed, moment, percent};

impl Figures {
    /// As tables; those without rows are left out, but for the one of events.
    pub fn sheet(&self) -> Sheet {
        let mut lines = Vec::new();
        for recording in &self.recordings {
            lines.push(format!(
                "{}: {} in {}, from {}",
                recording.file,
                elapsed(recording.duration_ms),
                counted(recording.chunks, "chunk", "chunks"),
                moment(u64::try_from(recording.start_ms).unwrap_or(0))
            ));
        }
        for jvm in &self.jvms {
            let known = [jvm.name.as_deref(), jvm.program.as_deref()].into_iter().flatten().collect::<Vec<_>>();
            lines.push(format!("pid {}: {}", jvm.pid.unwrap_or(0), known.join(", ")));
        }
        lines.push("what was off, or shorter than its threshold, is in no recording and in no figure".to_owned());
        let tables =
            [self.methods(), self.allocations(), self.collections(), self.io(), self.waits(), self.exceptions()];
        let tables = tables.into_iter().filter(|table| !table.rows.is_empty()).chain([self.events()]);
        Sheet { title: "Flight recording", lines, tables: tables.collect() }
    }

    fn methods(&self) -> Table {
        let rows = self.methods.iter().map(|row| {
            vec![
                Cell::text(&row.method),
                Cell::Count(row.own_samples),
                Cell::text(percent(row.own_samples, self.samples).unwrap_or_default()),
                Cell::Count(row.samples),
            ]
        });
        Table {
            title: "Where time goes".to_owned(),
            lines: vec![format!("{} of running threads", counted(self.samples, "sample", "samples"))],
            head: vec!["method", "on top", "share", "in the stack"],
            rows: rows.collect(),
            may_be_cut: true,
            ..Table::default()
        }
    }

    fn allocations(&self) -> Table {
        let all = self.allocations.iter().map(|row| row.bytes).sum();
        let rows = self.allocations.iter().map(|row| {
            vec![
                Cell::text(&row.class),
                Cell::Bytes(row.bytes),
                Cell::text(percent(row.bytes, all).unwrap_or_default()),
                Cell::Count(row.samples),
                Cell::text(row.allocated_by.as_deref().unwrap_or_default()),
            ]
        });
        Table {
            title: "What is allocated".to_owned(),
            lines: vec![
                "estimated: each sample stands for the bytes that were allocated since the one before".to_owned(),
            ],
            head: vec!["class", "allocated", "share", "samples", "most by"],
            rows: rows.collect(),
            may_be_cut: true,
            ..Table::default()
        }
    }

    fn collections(&self) -> Table {
        let rows = self.collections.iter().map(|row| {
            vec![
                Cell::text(format!("{} ({})", row.collector, row.cause)),
                Cell::Count(row.count),
                Cell::Span(row.pause_ns),
                Cell::Span(row.longest_pause_ns),
            ]
        });
        Table {
            title: "Collections".to_owned(),
            head: vec!["collection", "how often", "stopped the program, ms", "longest, ms"],
            rows: rows.collect(),
            may_be_cut: true,
            ..Table::default()
        }
    }

    fn io(&self) -> Table {
        let rows = self.io.iter().map(|row| {
            vec![
                Cell::text(format!("{}: {}", row.operation, row.what)),
                Cell::Count(row.count),
                Cell::Bytes(row.bytes),
                Cell::Span(row.duration_ns),
                Cell::Span(row.longest_ns),
            ]
        });
        Table {
            title: "Input and output".to_owned(),
            head: vec!["operation", "how often", "moved", "took, ms", "longest, ms"],
            rows: rows.collect(),
            may_be_cut: true,
            ..Table::default()
        }
    }

    fn waits(&self) -> Table {
        let rows = self.waits.iter().map(|row| {
            let name = match row.class.as_str() {
                "" => row.kind.to_owned(),
                class => format!("{}: {class}", row.kind),
            };
            vec![
                Cell::text(name),
                Cell::Count(row.count),
                Cell::Span(row.duration_ns),
                Cell::Span(row.longest_ns),
                Cell::text(row.waiting_in.as_deref().unwrap_or_default()),
                Cell::text(row.held_by.as_deref().unwrap_or_default()),
            ]
        });
        Table {
            title: "What threads waited for".to_owned(),
            lines: vec!["enter: another thread had the monitor; the times of all threads add up".to_owned()],
            head: vec!["wait", "how often", "took, ms", "longest, ms", "most in", "most held by"],
            rows: rows.collect(),
            may_be_cut: true,
            ..Table::default()
        }
    }

    fn exceptions(&self) -> Table {
        let rows = self.exceptions.iter().map(|row| {
            let by = row.thrown_by.as_deref().unwrap_or_default();
            vec![Cell::text(&row.class), Cell::Count(row.count), Cell::text(by)]
        });
        Table {
            title: "Exceptions".to_owned(),
            head: vec!["class", "how often", "most by"],
            rows: rows.collect(),
            may_be_cut: true,
            ..Table::default()
        }
    }

    fn events(&self) -> Table {
        let rows = self.events.iter().map(|row| {
            let label = row.label.as_deref().unwrap_or_default();
            vec![Cell::text(&row.event), Cell::Count(row.count), Cell::text(label)]
        });
        Table {
            title: "Events".to_owned(),
            head: vec!["event", "how often", "what it is"],
            rows: rows.collect(),
            none: "there is no event",
            may_be_cut: true,
            ..Table::default()
        }
    }
}
