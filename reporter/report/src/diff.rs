//! Compares two reports: what grew, shrank, appeared and vanished, by class and by component.
//!
//! Sampled live counts have an error: a difference within two standard errors is no growth. Deep bytes of a sampled row
//! are lower bounds, so bytes decide only if the count is exact on both sides.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use weighbridge_outside::printable;

use crate::json;
use crate::noise::Estimate;
use crate::row::merged;
use crate::saved::SavedReport;
use crate::text::TextOptions;
use crate::trust::{Trust, TrustMarks};
use weighbridge_table::cells::{Cells, CsvWriter};
use weighbridge_table::section::{BOLD, ink};
use weighbridge_table::text_table::{TextColumn, render};
use weighbridge_table::units::{self, bytes, count, count_with_noun};

/// The version of the JSON form. Keys are added, never renamed or removed.
pub const FORMAT: u32 = 1;

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowChange {
    /// Only in the second report.
    Appeared,
    /// More live objects, or as many that hold more bytes.
    Grew,
    /// Fewer live objects, or as many that hold fewer bytes.
    Shrank,
    /// Only in the first report.
    Vanished,
    /// The counts differ by less than sampling explains.
    WithinError,
    /// No difference.
    Same,
    /// Live objects were not measured on one side.
    NotMeasured,
}

/// A figure of both sides; `None` if it was not measured or has no row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    /// In the first report.
    pub before: Option<u64>,
    /// In the second.
    pub after: Option<u64>,
}

impl Pair {
    /// After minus before. A side without a row counts as 0; a side that was not measured makes the difference unknown.
    fn difference(self, change: RowChange) -> Option<i128> {
        let missing = |wanted: RowChange| (change == wanted).then_some(0);
        let before = self.before.or(missing(RowChange::Appeared))?;
        let after = self.after.or(missing(RowChange::Vanished))?;
        Some(i128::from(after) - i128::from(before))
    }
}

/// A class or a component in both reports.
#[derive(Debug, Clone, Serialize)]
pub struct DiffRow {
    /// The class; absent in rows of components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The component.
    pub component: Option<String>,
    /// What became of it.
    pub change: RowChange,
    /// Whether both live counts are exact.
    pub exact: Option<bool>,
    /// Live objects.
    pub live: Pair,
    /// One standard error of the difference of `live`, objects.
    pub live_error: Option<f64>,
    /// Shallow bytes of the live objects.
    pub shallow_bytes: Pair,
    /// Bytes held without passing an object of another row, and held so by no other row.
    pub own_bytes: Pair,
    /// Bytes of everything reached; lower bounds if not exact.
    pub deep_bytes: Pair,
    /// Objects constructed: exact. Absent in rows of components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated: Option<Pair>,
}

/// Two reports side by side.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    format: u32,
    before: Side,
    after: Side,
    /// What to know before reading the rows.
    pub remarks: Vec<String>,
    /// The largest difference of own bytes first, or of deep bytes if a side has no own bytes.
    pub components: Vec<DiffRow>,
    /// The same order.
    pub classes: Vec<DiffRow>,
}

#[derive(Debug, Clone, Serialize)]
struct Side {
    name: String,
    jvms: u64,
    collected: Option<bool>,
    measured_bytes: Option<u64>,
}

type Key = (Option<String>, Option<String>);

impl Difference {
    /// Compares two reports, each with its name in messages.
    pub fn from_reports(before: (&str, &SavedReport), after: (&str, &SavedReport)) -> Difference {
        let side = |(name, report): (&str, &SavedReport)| Side {
            name: name.to_owned(),
            jvms: report.summary.jvms,
            collected: report.summary.totals.collected,
            measured_bytes: report.summary.totals.measured_bytes,
        };
        Difference {
            format: FORMAT,
            before: side(before),
            after: side(after),
            remarks: remarks(before.1, after.1),
            components: rows(components(before.1), components(after.1)),
            classes: rows(classes(before.1), classes(after.1)),
        }
    }

    /// Writes the difference for people.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let side = |side: &Side| {
            let measured = side.measured_bytes.map_or("not measured".to_owned(), |n| format!("{} reached", bytes(n)));
            format!("{} ({}, {measured})", printable(&side.name), count_with_noun(side.jvms, "JVM", "JVMs"))
        };
        writeln!(output, "Before  {}\nAfter   {}", side(&self.before), side(&self.after))?;
        for remark in &self.remarks {
            writeln!(output, "Note    {}", printable(remark))?;
        }
        for (title, rows) in [("By component", &self.components), ("By class", &self.classes)] {
            section(title, rows, options, output)?;
        }
        writeln!(
            output,
            "\nA change of a sampled count is growth only beyond two standard errors; ~ marks sampled counts,"
        )?;
        writeln!(output, "whose deep bytes are lower bounds. `-` was not measured.")
    }

    /// Writes the difference for programs.
    pub fn json(&self, output: &mut impl Write) -> io::Result<()> {
        json::pretty(self, output)
    }

    /// Writes the rows of classes, or of components, as comma-separated values.
    pub fn csv(&self, by_component: bool, cells: Cells, output: &mut impl Write) -> io::Result<()> {
        let mut sheet = CsvWriter::new(cells, output);
        let figures = ["live", "shallow_bytes", "own_bytes", "deep_bytes", "allocated"];
        let sides = figures.iter().flat_map(|figure| [format!("{figure}_before"), format!("{figure}_after")]);
        let names = ["class", "component", "change", "exact", "live_error"].map(str::to_owned);
        sheet.record(names.into_iter().chain(sides))?;
        for row in if by_component { &self.components } else { &self.classes } {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
            let allocated = row.allocated.unwrap_or(Pair { before: None, after: None });
            let mut record = vec![
                text(&row.class),
                text(&row.component),
                row.change.word().replace(' ', "_"),
                row.exact.map_or_else(String::new, |exact| exact.to_string()),
                row.live_error.map_or_else(String::new, |error| error.to_string()),
            ];
            for pair in [row.live, row.shallow_bytes, row.own_bytes, row.deep_bytes, allocated] {
                record.extend([number(pair.before), number(pair.after)]);
            }
            sheet.record(record)?;
        }
        sheet.finish()
    }
}

impl RowChange {
    fn word(self) -> &'static str {
        match self {
            RowChange::Appeared => "appeared",
            RowChange::Grew => "grew",
            RowChange::Shrank => "shrank",
            RowChange::Vanished => "vanished",
            RowChange::WithinError => "within error",
            RowChange::Same => "same",
            RowChange::NotMeasured => "not measured",
        }
    }
}

fn remarks(before: &SavedReport, after: &SavedReport) -> Vec<String> {
    let (a, b) = (&before.summary, &after.summary);
    let (live, too) = (a.totals.is_live(), b.totals.is_live());
    let mut remarks = Vec::new();
    if a.jvms != b.jvms {
        let jvms = |n| count_with_noun(n, "JVM", "JVMs");
        remarks.push(format!("figures before add up {}, after {}", jvms(a.jvms), jvms(b.jvms)));
    }
    if !live || !too {
        let which = match (live, too) {
            (true, _) => "the second report does",
            (_, true) => "the first report does",
            _ => "both reports do",
        };
        remarks.push(format!("{which} not follow full markings of the heap: garbage counts as live there"));
    }
    remarks
}

/// The figures of a row that are compared.
#[derive(Clone, Copy)]
struct ComparedFigures {
    exact: Option<bool>,
    live: Option<u64>,
    live_error: Option<f64>,
    shallow_bytes: Option<u64>,
    own_bytes: Option<u64>,
    deep_bytes: Option<u64>,
    allocated: Option<u64>,
}

impl ComparedFigures {
    fn from_row(row: &impl crate::ReportRow) -> Self {
        let count = |key| row.value(key).count();
        ComparedFigures {
            exact: row.value("exact").flag(),
            live: count("live"),
            live_error: row.value("live_error").real(),
            shallow_bytes: count("shallow_bytes"),
            own_bytes: count("own_bytes"),
            deep_bytes: count("deep_bytes"),
            allocated: count("allocated"),
        }
    }
}

fn classes(report: &SavedReport) -> BTreeMap<Key, ComparedFigures> {
    let rows = report.classes.iter();
    rows.map(|row| ((Some(row.class.clone()), row.component.clone()), ComparedFigures::from_row(row))).collect()
}

fn components(report: &SavedReport) -> BTreeMap<Key, ComparedFigures> {
    report.components.iter().map(|row| ((None, Some(row.component.clone())), ComparedFigures::from_row(row))).collect()
}

fn rows(before: BTreeMap<Key, ComparedFigures>, mut after: BTreeMap<Key, ComparedFigures>) -> Vec<DiffRow> {
    let both = before.into_iter().map(|(key, figures)| {
        let after = after.remove(&key);
        row(key, Some(figures), after)
    });
    let mut rows: Vec<DiffRow> = both.collect();
    rows.extend(after.into_iter().map(|(key, figures)| row(key, None, Some(figures))));
    let size = |row: &DiffRow| {
        let by = |pair: Pair| pair.difference(row.change).map_or(0, i128::unsigned_abs);
        (by(held_bytes(row)), by(row.deep_bytes), by(row.shallow_bytes), by(row.live))
    };
    rows.sort_by(|a, b| size(b).cmp(&size(a)).then_with(|| (&a.class, &a.component).cmp(&(&b.class, &b.component))));
    rows
}

/// The bytes by which rows are compared: own ones, unless a side has only deep ones.
fn held_bytes(row: &DiffRow) -> Pair {
    let one_sided = matches!(row.change, RowChange::Appeared | RowChange::Vanished);
    let own = row.own_bytes;
    let known = if one_sided { own.before.or(own.after).is_some() } else { own.before.and(own.after).is_some() };
    if known { own } else { row.deep_bytes }
}

fn row((class, component): Key, a: Option<ComparedFigures>, b: Option<ComparedFigures>) -> DiffRow {
    let pair = |figure: fn(&ComparedFigures) -> Option<u64>| Pair {
        before: a.as_ref().and_then(figure),
        after: b.as_ref().and_then(figure),
    };
    let sides = || [a, b].into_iter().flatten();
    let allocated = class.is_some().then(|| pair(|figures| figures.allocated));
    DiffRow {
        change: change(a, b),
        class,
        component,
        exact: sides().map(|figures| figures.exact).reduce(merged).flatten(),
        live: pair(|figures| figures.live),
        live_error: sides().map(|figures| figures.live_error).reduce(merged).flatten(),
        shallow_bytes: pair(|figures| figures.shallow_bytes),
        own_bytes: pair(|figures| figures.own_bytes),
        deep_bytes: pair(|figures| figures.deep_bytes),
        allocated,
    }
}

fn change(before: Option<ComparedFigures>, after: Option<ComparedFigures>) -> RowChange {
    let (before, after) = match (before, after) {
        (None, _) => return RowChange::Appeared,
        (_, None) => return RowChange::Vanished,
        (Some(before), Some(after)) => (before, after),
    };
    let estimate = |figures: &ComparedFigures| {
        let error = if figures.exact == Some(true) { 0.0 } else { figures.live_error? };
        Some(Estimate { value: figures.live? as f64, error })
    };
    let (Some(a), Some(b)) = (estimate(&before), estimate(&after)) else { return RowChange::NotMeasured };
    if b.beyond(a, 1.0) {
        return RowChange::Grew;
    }
    if a.beyond(b, 1.0) {
        return RowChange::Shrank;
    }
    if a.value != b.value {
        return RowChange::WithinError;
    }
    let exact = before.exact == Some(true) && after.exact == Some(true);
    let held = before.own_bytes.zip(after.own_bytes).or(before.deep_bytes.zip(after.deep_bytes));
    match held.filter(|_| exact) {
        Some((before, after)) if after > before => RowChange::Grew,
        Some((before, after)) if after < before => RowChange::Shrank,
        _ => RowChange::Same,
    }
}

fn section(title: &str, rows: &[DiffRow], options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
    let changed: Vec<&DiffRow> = rows.iter().filter(|row| row.change != RowChange::Same).collect();
    let same = rows.len() - changed.len();
    writeln!(output, "\n{}", ink(title, BOLD, options))?;
    let shown = options.top_rows(&changed);
    if !shown.is_empty() {
        let owns = changed.iter().any(|row| row.own_bytes.before.or(row.own_bytes.after).is_some());
        let columns = [
            TextColumn::name(title.trim_start_matches("By ")),
            TextColumn::name("change"),
            TextColumn::number("live\nbefore").spare(1),
            TextColumn::number("live\nafter"),
            TextColumn::number("live\nchange"),
            TextColumn::number("own bytes\nbefore").spare(4).only_if(owns),
            TextColumn::number("own bytes\nafter").only_if(owns),
            TextColumn::number("own bytes\nchange").only_if(owns),
            TextColumn::number("deep bytes\nbefore").spare(2),
            TextColumn::number("deep bytes\nafter"),
            TextColumn::number("deep bytes\nchange"),
            TextColumn::number("allocated\nchange").spare(3),
        ];
        let rows = shown.iter().map(|row| cells(row)).collect();
        writeln!(output, "{}", render(&columns, rows, options))?;
    }
    let hidden = changed.len() - shown.len();
    if hidden > 0 {
        writeln!(output, "  ... and {} more (--top)", count(hidden as u64))?;
    }
    if same > 0 {
        writeln!(output, "  {} without a difference", count_with_noun(same as u64, "row", "rows"))?;
    }
    Ok(())
}

fn cells(row: &DiffRow) -> Vec<String> {
    let name = row.class.as_ref().or(row.component.as_ref()).cloned().unwrap_or_default();
    let sampled = Trust::about_if(row.live_error.is_some_and(|error| error > 0.0));
    let reached = if row.exact == Some(false) { Trust::AtLeast } else { Trust::Exact };
    let objects = |n: Option<u64>| sampled.marked(n, count, &TrustMarks::TEXT);
    let size = |n: Option<u64>| reached.marked(n, bytes, &TrustMarks::TEXT);
    let unknown = || TrustMarks::TEXT.unknown.to_owned();
    let signed = |n: Option<i128>, format: fn(u64) -> String| n.map_or_else(unknown, |n| units::signed(n, format));
    let live = signed(row.live.difference(row.change), count);
    let live = match row.live_error.filter(|error| *error > 0.0) {
        Some(error) => format!("{live} \u{b1}{}", count((1.96 * error).ceil() as u64)),
        None => live,
    };
    vec![
        name,
        row.change.word().to_owned(),
        objects(row.live.before),
        objects(row.live.after),
        live,
        size(row.own_bytes.before),
        size(row.own_bytes.after),
        signed(row.own_bytes.difference(row.change), bytes),
        size(row.deep_bytes.before),
        size(row.deep_bytes.after),
        signed(row.deep_bytes.difference(row.change), bytes),
        row.allocated.map_or_else(unknown, |pair| signed(pair.difference(row.change), count)),
    ]
}
