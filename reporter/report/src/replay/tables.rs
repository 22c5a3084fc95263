//! Lives and modes of a replay, for people.

use std::cmp::Reverse;

use super::figures::ReplayReport;
use super::groups::LifeRow;
use super::modes::{CountingRule, ModeFigures};
use weighbridge_table::sheet::{SheetCell, SheetTable};
use weighbridge_table::units::{bytes, count, percent};

/// A share of 1, as text.
pub(super) fn share(part: Option<f64>) -> String {
    part.map_or_else(String::new, |part| format!("{:.1} %", part * 100.0))
}

/// A method and a line.
fn made_by(row: &LifeRow) -> String {
    at_line(row.method.as_deref().unwrap_or_default(), row.line)
}

fn at_line(method: &str, line: Option<u32>) -> String {
    line.map_or_else(|| method.to_owned(), |line| format!("{method}:{line}"))
}

/// Bars of a histogram, from the span of the first one that is not empty.
fn bars(histogram: &[u64]) -> String {
    const BARS: [char; 8] =
        ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
    let most = histogram.iter().max().copied().unwrap_or(0).max(1);
    let bar = |objects: &u64| match objects {
        0 => '\u{b7}',
        objects => BARS[((u128::from(*objects) * 7).div_ceil(u128::from(most)) as usize).min(7)],
    };
    histogram.iter().skip_while(|objects| **objects == 0).map(bar).collect()
}

/// The modes of mark-and-count on this run.
pub(super) fn modes(figures: &ReplayReport) -> SheetTable {
    let row = |mode: &ModeFigures| {
        let tolerance = mode.tolerance_bytes.map_or(SheetCell::Nothing, SheetCell::Bytes);
        let name = match mode.rule {
            CountingRule::EveryEvent => "1, at every event: the truth",
            CountingRule::EveryAllocation => "2, as its flow chart: at every allocation",
            CountingRule::PeakOnly => "2, peak only",
            CountingRule::PeakOnlySkipping => "2, with the rule to skip counts (unsound)",
            CountingRule::Threshold => "3, threshold",
            CountingRule::PeakWithTolerance => "4, peak with tolerance",
        };
        vec![
            SheetCell::text(name),
            tolerance,
            SheetCell::Count(mode.counts),
            SheetCell::Bytes(mode.peak_bytes),
            SheetCell::Bytes(mode.peak_error_bytes),
            SheetCell::Bytes(mode.most_below_bytes),
            SheetCell::Bytes(mode.most_above_bytes),
        ]
    };
    SheetTable {
        title: "What the modes of mark-and-count would have found".to_owned(),
        lines: vec![
            "Counts stop the program for a full collection each. Below and above: how far the last count was from the truth \
             at most, after any event."
                .to_owned(),
            "Modes 2, 3 and 4 miss at most their tolerance of the peak (2: nothing); the rule to skip counts proves nothing."
                .to_owned(),
        ],
        head: vec!["mode", "tolerance", "counts", "peak", "peak less by", "below", "above"],
        rows: figures.modes.iter().map(row).collect(),
        ..SheetTable::default()
    }
}

/// Life spans and drag, by class or by site.
pub(super) fn lives(title: &str, rows: &[LifeRow]) -> SheetTable {
    let by_site = rows.iter().any(|row| row.method.is_some());
    let cells = rows.iter().map(|row| {
        let mut cells = vec![SheetCell::text(&row.class)];
        if by_site {
            cells.push(SheetCell::text(made_by(row)));
        }
        cells.extend([
            SheetCell::Bytes(row.bytes),
            SheetCell::Count(row.objects),
            SheetCell::Bytes(row.spans.median_at_most),
            SheetCell::Bytes(row.spans.ninety_percent_at_most),
            SheetCell::Bytes(row.spans.longest),
            SheetCell::text(bars(&row.spans.histogram)),
            SheetCell::text(percent(row.live_at_end_bytes, row.bytes).unwrap_or_default()),
            SheetCell::text(share(row.drag_share)),
        ]);
        cells
    });
    let mut head = vec!["class"];
    let mut lines = Vec::new();
    if by_site {
        head.push("made by");
    } else {
        lines.push(
            "lives in bytes allocated meanwhile: half of the objects lived at most so long (a power of two, or the longest \
             life); spans: a bar for each power of two"
                .to_owned(),
        );
        lines.push("drag: of bytes times life span, the part between last use and death".to_owned());
    }
    head.extend(["size", "objects", "half lived", "9 of 10 lived", "longest life", "spans", "live at end", "drag"]);
    SheetTable {
        title: title.to_owned(),
        lines,
        head,
        rows: cells.collect(),
        may_be_cut: true,
        none: "no object was made",
        ..SheetTable::default()
    }
}

/// Sites whose objects died before or when the method ended.
pub(super) fn died_in_method(figures: &ReplayReport) -> SheetTable {
    let mut rows: Vec<&LifeRow> = figures.sites.iter().filter(|row| row.died_in_method_objects > 0).collect();
    rows.sort_by_key(|row| Reverse((row.died_in_method_bytes, row.died_in_method_objects)));
    let cells = rows.iter().map(|row| {
        vec![
            SheetCell::text(&row.class),
            SheetCell::text(made_by(row)),
            SheetCell::Bytes(row.died_in_method_bytes),
            SheetCell::Count(row.died_in_method_objects),
            SheetCell::text(percent(row.died_in_method_objects, row.objects).unwrap_or_default()),
        ]
    });
    let all = &figures.lives;
    SheetTable {
        title: "Dead before their method ended".to_owned(),
        lines: vec![
            format!(
                "{} of {} objects ({} of {}) died before or when the method that made them ended",
                count(all.died_in_method_objects),
                count(all.objects),
                bytes(all.died_in_method_bytes),
                bytes(all.bytes)
            ),
            "candidates for the stack: a compiler can keep them there if no reference to them leaves the method meanwhile"
                .to_owned(),
        ],
        head: vec!["class", "made by", "size", "objects", "of those made here"],
        rows: cells.collect(),
        may_be_cut: true,
        ..SheetTable::default()
    }
}

/// Sites whose arrays of references stayed empty.
pub(super) fn never_filled(figures: &ReplayReport) -> SheetTable {
    let mut rows: Vec<&LifeRow> = figures.sites.iter().filter(|row| row.never_filled_arrays > 0).collect();
    rows.sort_by_key(|row| Reverse((row.never_filled_bytes, row.never_filled_arrays)));
    let cells = rows.iter().map(|row| {
        vec![
            SheetCell::text(&row.class),
            SheetCell::text(made_by(row)),
            SheetCell::Bytes(row.never_filled_bytes),
            SheetCell::Count(row.never_filled_arrays),
            SheetCell::text(percent(row.never_filled_arrays, row.reference_arrays).unwrap_or_default()),
        ]
    });
    SheetTable {
        title: "Arrays that never got an element".to_owned(),
        lines: vec![
            "arrays of references with room for an element, in which no reference was ever stored; arrays of primitives \
             and empty ones are not judged"
                .to_owned(),
        ],
        head: vec!["class", "made by", "size", "arrays", "of those made here"],
        rows: cells.collect(),
        may_be_cut: true,
        none: "none",
        ..SheetTable::default()
    }
}

/// Fields that nobody read.
pub(super) fn never_read(figures: &ReplayReport) -> SheetTable {
    let rows = figures.never_read.iter().map(|row| vec![SheetCell::text(&row.class), SheetCell::text(&row.field)]);
    SheetTable {
        title: "Fields that are written and never read".to_owned(),
        lines: vec![
            "by code with probes; what reflection, Unsafe, native code and code without probes read is not seen"
                .to_owned(),
        ],
        head: vec!["class", "field"],
        rows: rows.collect(),
        may_be_cut: true,
        none: if figures.trace.complete { "none" } else { "not known: the trace was cut short" },
        ..SheetTable::default()
    }
}
