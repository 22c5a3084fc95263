//! The figures of recordings as tables.

use super::figures::FlightReport;
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable};
use weighbridge_table::units::{count_with_noun, elapsed, moment, percent};

impl FlightReport {
    /// As tables; those without rows are left out, but for the one of events.
    pub fn sheet(&self) -> Sheet {
        let mut lines = Vec::new();
        for recording in &self.recordings {
            lines.push(format!(
                "{}: {} in {}, from {}",
                recording.file,
                elapsed(recording.duration_ms),
                count_with_noun(recording.chunks, "chunk", "chunks"),
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

    fn methods(&self) -> SheetTable {
        let rows = self.methods.iter().map(|row| {
            vec![
                SheetCell::text(&row.method),
                SheetCell::Count(row.own_samples),
                SheetCell::text(percent(row.own_samples, self.samples).unwrap_or_default()),
                SheetCell::Count(row.samples),
            ]
        });
        SheetTable {
            title: "Where time goes".to_owned(),
            lines: vec![format!("{} of running threads", count_with_noun(self.samples, "sample", "samples"))],
            head: vec!["method", "on top", "share", "in the stack"],
            rows: rows.collect(),
            may_be_cut: true,
            ..SheetTable::default()
        }
    }

    fn allocations(&self) -> SheetTable {
        let all = self.allocations.iter().map(|row| row.bytes).sum();
        let rows = self.allocations.iter().map(|row| {
            vec![
                SheetCell::text(&row.class),
                SheetCell::Bytes(row.bytes),
                SheetCell::text(percent(row.bytes, all).unwrap_or_default()),
                SheetCell::Count(row.samples),
                SheetCell::text(row.allocated_by.as_deref().unwrap_or_default()),
            ]
        });
        SheetTable {
            title: "What is allocated".to_owned(),
            lines: vec![
                "estimated: each sample stands for the bytes that were allocated since the one before".to_owned(),
            ],
            head: vec!["class", "allocated", "share", "samples", "most by"],
            rows: rows.collect(),
            may_be_cut: true,
            ..SheetTable::default()
        }
    }

    fn collections(&self) -> SheetTable {
        let rows = self.collections.iter().map(|row| {
            vec![
                SheetCell::text(format!("{} ({})", row.collector, row.cause)),
                SheetCell::Count(row.count),
                SheetCell::Span(row.pause_ns),
                SheetCell::Span(row.longest_pause_ns),
            ]
        });
        SheetTable {
            title: "Collections".to_owned(),
            head: vec!["collection", "how often", "stopped the program, ms", "longest, ms"],
            rows: rows.collect(),
            may_be_cut: true,
            ..SheetTable::default()
        }
    }

    fn io(&self) -> SheetTable {
        let rows = self.io.iter().map(|row| {
            vec![
                SheetCell::text(format!("{}: {}", row.operation, row.what)),
                SheetCell::Count(row.count),
                SheetCell::Bytes(row.bytes),
                SheetCell::Span(row.duration_ns),
                SheetCell::Span(row.longest_ns),
            ]
        });
        SheetTable {
            title: "Input and output".to_owned(),
            head: vec!["operation", "how often", "moved", "took, ms", "longest, ms"],
            rows: rows.collect(),
            may_be_cut: true,
            ..SheetTable::default()
        }
    }

    fn waits(&self) -> SheetTable {
        let rows = self.waits.iter().map(|row| {
            let name = match row.class.as_str() {
                "" => row.kind.to_owned(),
                class => format!("{}: {class}", row.kind),
            };
            vec![
                SheetCell::text(name),
                SheetCell::Count(row.count),
                SheetCell::Span(row.duration_ns),
                SheetCell::Span(row.longest_ns),
                SheetCell::text(row.waiting_in.as_deref().unwrap_or_default()),
                SheetCell::text(row.held_by.as_deref().unwrap_or_default()),
            ]
        });
        SheetTable {
            title: "What threads waited for".to_owned(),
            lines: vec!["enter: another thread had the monitor; the times of all threads add up".to_owned()],
            head: vec!["wait", "how often", "took, ms", "longest, ms", "most in", "most held by"],
            rows: rows.collect(),
            may_be_cut: true,
            ..SheetTable::default()
        }
    }

    fn exceptions(&self) -> SheetTable {
        let rows = self.exceptions.iter().map(|row| {
            let by = row.thrown_by.as_deref().unwrap_or_default();
            vec![SheetCell::text(&row.class), SheetCell::Count(row.count), SheetCell::text(by)]
        });
        SheetTable {
            title: "Exceptions".to_owned(),
            head: vec!["class", "how often", "most by"],
            rows: rows.collect(),
            may_be_cut: true,
            ..SheetTable::default()
        }
    }

    fn events(&self) -> SheetTable {
        let rows = self.events.iter().map(|row| {
            let label = row.label.as_deref().unwrap_or_default();
            vec![SheetCell::text(&row.event), SheetCell::Count(row.count), SheetCell::text(label)]
        });
        SheetTable {
            title: "Events".to_owned(),
            head: vec!["event", "how often", "what it is"],
            rows: rows.collect(),
            none: "there is no event",
            may_be_cut: true,
            ..SheetTable::default()
        }
    }
}
