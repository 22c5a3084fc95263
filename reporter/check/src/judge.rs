//! Compares a budget with a report and with its baseline.

use std::collections::BTreeSet;

use serde::Serialize;
use weighbridge_config::{Figure, Increase, MemoryBudget, Subject};
use weighbridge_reporter::noise::{self, Estimate};
use weighbridge_reporter::{ClassFigures, ComponentPoint, Growth, HeldFigure, Point, ReportRow, SavedReport};

/// Fewest snapshots of one kind that show growth: one for each of the parts of a run that `report` compares.
const LEAST_POINTS: usize = 6;

/// The result of one budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The figure is not more than allowed.
    Held,
    /// It is more, beyond the error.
    Broken,
    /// It is more, but by no more than sampling explains.
    WithinError,
    /// The figure was not measured, here or in the baseline: nothing is known.
    NotMeasured,
    /// The report has no such class, component or tag: nothing of it was constructed, or its name is wrong.
    NotFound,
}

/// What became of one budget for one class, component or tag.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// Line of the budget in the configuration.
    pub(crate) line: usize,
    /// `class com.acme.Cache`, `component cache`, `tag request=GET /`.
    pub(crate) subject: String,
    pub(crate) figure: &'static str,
    #[serde(skip)]
    pub(crate) is_bytes: bool,
    /// Which bound it is: `max` or `max_increase`; of a round trip, `rounds`.
    pub(crate) bound: &'static str,
    /// How it came out.
    pub outcome: Outcome,
    pub(crate) value: Option<f64>,
    /// One standard error of `value`; 0 if exact.
    pub(crate) error: Option<f64>,
    /// A deep figure of a sampled row: the true one is at least `value`.
    pub(crate) lower_bound: bool,
    pub(crate) limit: Option<f64>,
    /// The baseline's figure, of a `max_increase`.
    pub(crate) baseline: Option<f64>,
    /// The part of the run that shows growth, in milliseconds since the JVM started.
    #[serde(flatten)]
    pub(crate) over: Option<Over>,
    /// Why growth was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Of a round trip: after how many rounds, and what holds what remains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

/// A part of a run; of several JVMs and classes, from the first beginning to the last end.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Over {
    pub(crate) from_uptime_ms: u64,
    pub(crate) to_uptime_ms: u64,
}

/// The figure of a row.
#[derive(Clone, Copy)]
enum JudgedFigure {
    NoRow,
    NotMeasured,
    Figure { estimate: Estimate, lower_bound: bool, over: Option<Over> },
}

/// Every verdict of a budget: one for each matching class and each bound.
pub(crate) fn judge(budget: &MemoryBudget, report: &SavedReport, baseline: Option<&SavedReport>) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (name, found) in subjects(budget, report) {
        if let Some(max) = budget.max {
            verdicts.push(against_max(budget, &name, found, max as f64));
        }
        if let (Some(increase), Some(baseline)) = (budget.max_increase, baseline) {
            let known = subjects(budget, baseline).into_iter().find(|(other, _)| *other == name);
            let before = known.map_or(JudgedFigure::NoRow, |(_, found)| found);
            verdicts.push(against_baseline(budget, &name, found, before, increase));
        }
    }
    for verdict in verdicts.iter_mut().filter(|verdict| verdict.outcome == Outcome::NotMeasured) {
        verdict.reason = not_judged(budget.figure, report).map(str::to_owned);
    }
    if report.summary.totals.marked == Some(false) && budget.figure.is_of_live_objects() {
        verdicts.iter_mut().filter(|verdict| verdict.is_more()).for_each(Verdict::say_nothing);
    }
    verdicts
}

impl Verdict {
    /// The figure is more than the budget allows.
    fn is_more(&self) -> bool {
        matches!(self.outcome, Outcome::Broken | Outcome::WithinError)
    }

    /// The figure is an upper bound: only that it is small enough would prove something.
    fn say_nothing(&mut self) {
        self.outcome = Outcome::NotMeasured;
        self.reason =
            Some("no full marking of the heap is known, so dead objects may be among those counted".to_owned());
    }
}

/// Why the report does not judge growth.
fn not_judged(figure: Figure, report: &SavedReport) -> Option<&str> {
    report.suspects_not_judged.iter().flatten().find(|_| figure.is_growth()).map(|one| one.reason.as_str())
}

fn against_max(budget: &MemoryBudget, subject: &str, found: JudgedFigure, max: f64) -> Verdict {
    let limit = Estimate { value: max, error: 0.0 };
    let verdict = verdict(budget, subject, "max", found);
    Verdict { limit: Some(max), outcome: outcome(found, limit, 1.0), ..verdict }
}

fn against_baseline(
    budget: &MemoryBudget,
    subject: &str,
    found: JudgedFigure,
    before: JudgedFigure,
    increase: Increase,
) -> Verdict {
    let verdict = verdict(budget, subject, "max_increase", found);
    let before = match before {
        JudgedFigure::Figure { estimate, .. } => estimate,
        // A missing row had nothing live: any increase by a part is too much, an increase by an amount may be allowed.
        JudgedFigure::NoRow => Estimate { value: 0.0, error: 0.0 },
        JudgedFigure::NotMeasured => {
            let outcome = if matches!(found, JudgedFigure::NoRow) { Outcome::NotFound } else { Outcome::NotMeasured };
            return Verdict { outcome, ..verdict };
        }
    };
    let (factor, allowed) = match increase {
        Increase::Part(part) => (1.0 + part, 0.0),
        Increase::By(amount) => (1.0, amount as f64),
    };
    let limit = Estimate { value: before.value + allowed / factor, error: before.error };
    Verdict {
        limit: Some(factor * before.value + allowed),
        baseline: Some(before.value),
        outcome: outcome(found, limit, factor),
        ..verdict
    }
}

fn verdict(budget: &MemoryBudget, subject: &str, bound: &'static str, found: JudgedFigure) -> Verdict {
    let (value, error, lower_bound, over) = match found {
        JudgedFigure::Figure { estimate, lower_bound, over } => {
            (Some(estimate.value), Some(estimate.error), lower_bound, over)
        }
        _ => (None, None, false, None),
    };
    Verdict {
        line: budget.line,
        subject: subject.to_owned(),
        figure: budget.figure.name(),
        is_bytes: budget.figure.is_bytes(),
        bound,
        outcome: Outcome::NotMeasured,
        value,
        error,
        lower_bound,
        limit: None,
        baseline: None,
        over,
        reason: None,
        detail: None,
    }
}

fn outcome(found: JudgedFigure, limit: Estimate, factor: f64) -> Outcome {
    match found {
        JudgedFigure::NoRow => Outcome::NotFound,
        JudgedFigure::NotMeasured => Outcome::NotMeasured,
        JudgedFigure::Figure { estimate, .. } if estimate.value <= factor * limit.value => Outcome::Held,
        JudgedFigure::Figure { estimate, .. } if estimate.beyond(limit, factor) => Outcome::Broken,
        JudgedFigure::Figure { .. } => Outcome::WithinError,
    }
}

/// What the budget bounds in a report, by name. Never empty: a subject without a row is listed without a figure.
fn subjects(budget: &MemoryBudget, report: &SavedReport) -> Vec<(String, JudgedFigure)> {
    let found: Vec<(String, JudgedFigure)> = match &budget.subject {
        Subject::Class(pattern) => {
            let matches = |row: &&ClassFigures| pattern.matches_class(row.name());
            let rows = report.classes.iter().filter(matches);
            rows.map(|row| (class_name(row), of_class(budget.figure, row, report))).collect()
        }
        Subject::Component(name) => {
            let rows = report.components.iter().filter(|row| row.component == *name);
            rows.map(|row| {
                let found = match budget.figure {
                    Figure::LivePerMinute => {
                        growth(report, |_, component| component == Some(name.as_str()), Figure::LivePerMinute)
                    }
                    Figure::OwnBytesPerMinute => {
                        growth_in_bytes(report, name, HeldFigure::OwnBytes, |row| row.own_bytes)
                    }
                    Figure::DeepBytesPerMinute => {
                        growth_in_bytes(report, name, HeldFigure::DeepBytes, |row| row.deep_bytes)
                    }
                    Figure::MaxAge => oldest_of(name, report),
                    other => figure(other, row),
                };
                (format!("component {name}"), found)
            })
            .collect()
        }
        Subject::Tag { key, value } => {
            let rows = report.tags.iter().filter(|row| row.key == *key && row.value == *value);
            rows.map(|row| (format!("tag {key}={value}"), figure(budget.figure, row))).collect()
        }
    };
    if !found.is_empty() {
        return found;
    }
    let name = match &budget.subject {
        Subject::Class(pattern) => format!("class {}", pattern.text()),
        Subject::Component(name) => format!("component {name}"),
        Subject::Tag { key, value } => format!("tag {key}={value}"),
    };
    vec![(name, JudgedFigure::NoRow)]
}

fn class_name(row: &ClassFigures) -> String {
    match &row.component {
        Some(component) => format!("class {} of component {component}", row.class),
        None => format!("class {}", row.class),
    }
}

fn of_class(wanted: Figure, row: &ClassFigures, report: &SavedReport) -> JudgedFigure {
    match wanted {
        _ if wanted.is_growth() => {
            let same =
                |class: &str, component: Option<&str>| class == row.class && component == row.component.as_deref();
            growth(report, same, wanted)
        }
        Figure::MaxAge => match row.ages.as_ref().map(|ages| ages.max) {
            Some(max) => exact(max as f64),
            // Without a live object there is no oldest one.
            None if row.live == Some(0) => exact(0.0),
            None => JudgedFigure::NotMeasured,
        },
        other => figure(other, row),
    }
}

fn figure<R: ReportRow>(wanted: Figure, row: &R) -> JudgedFigure {
    match noise::of_row(row, wanted.name()) {
        None => JudgedFigure::NotMeasured,
        Some(estimate) => {
            JudgedFigure::Figure { estimate, lower_bound: noise::of_sample(row, wanted.name()), over: None }
        }
    }
}

fn exact(value: f64) -> JudgedFigure {
    JudgedFigure::Figure { estimate: Estimate { value, error: 0.0 }, lower_bound: false, over: None }
}

fn oldest_of(component: &str, report: &SavedReport) -> JudgedFigure {
    let classes = report.classes.iter().filter(|row| row.component.as_deref() == Some(component));
    let ages = classes.filter_map(|row| match row.live {
        Some(0) => Some(0),
        _ => Some(row.ages.as_ref()?.max),
    });
    ages.max().map_or(JudgedFigure::NotMeasured, |max| exact(max as f64))
}

/// Growth to the end of the run, added up over JVMs and classes. A class that is not listed does not grow, if there were
/// enough snapshots to see growth.
fn growth(report: &SavedReport, same: impl Fn(&str, Option<&str>) -> bool, wanted: Figure) -> JudgedFigure {
    let rows = || report.growth.iter().filter(|row| same(&row.class, row.component.as_deref()));
    if rows().next().is_none() {
        return if enough_snapshots(report, |_| true) { exact(0.0) } else { JudgedFigure::NotMeasured };
    }
    let over = Over::all(rows().map(|row| (row.from_uptime_ms, row.to_uptime_ms)));
    let objects: f64 = rows().map(|row| row.live_per_minute).sum();
    let error = rows().map(|row| row.live_per_minute_error).fold(0.0, f64::hypot);
    let in_bytes = match wanted {
        Figure::OwnBytesPerMinute => |row: &Growth| row.own_bytes_per_minute,
        Figure::DeepBytesPerMinute => |row: &Growth| row.deep_bytes_per_minute,
        _ => return JudgedFigure::Figure { estimate: Estimate { value: objects, error }, lower_bound: false, over },
    };
    match rows().map(in_bytes).sum::<Option<f64>>() {
        None => JudgedFigure::NotMeasured,
        Some(value) => {
            let error = if objects > 0.0 { value.abs() * error / objects } else { 0.0 };
            JudgedFigure::Figure { estimate: Estimate { value, error }, lower_bound: error > 0.0, over }
        }
    }
}

/// Growth of one of a component's figures, added up over JVMs. A component that is not listed does not grow, if enough
/// snapshots have its bytes.
fn growth_in_bytes(
    report: &SavedReport,
    name: &str,
    figure: HeldFigure,
    bytes: fn(&ComponentPoint) -> Option<u64>,
) -> JudgedFigure {
    let Some(growth) = &report.component_growth else { return JudgedFigure::NotMeasured };
    let rows = || growth.iter().filter(|row| row.component == name && row.figure == figure);
    if rows().next().is_none() {
        let has = |point: &Point| point.components.iter().any(|row| row.component == name && bytes(row).is_some());
        return if enough_snapshots(report, has) { exact(0.0) } else { JudgedFigure::NotMeasured };
    }
    let value = rows().map(|row| row.bytes_per_minute).sum();
    let error = rows().map(|row| row.bytes_per_minute_error).fold(0.0, f64::hypot);
    let over = Over::all(rows().map(|row| (row.from_uptime_ms, row.to_uptime_ms)));
    JudgedFigure::Figure { estimate: Estimate { value, error }, lower_bound: error > 0.0, over }
}

impl Over {
    fn all(parts: impl Iterator<Item = (u64, u64)>) -> Option<Over> {
        let (from_uptime_ms, to_uptime_ms) =
            parts.reduce(|(from, to), (other_from, other_to)| (from.min(other_from), to.max(other_to)))?;
        Some(Over { from_uptime_ms, to_uptime_ms })
    }
}

/// Whether every JVM has enough full markings to show growth, or else snapshots without one. Only snapshots that have the
/// figure count.
fn enough_snapshots(report: &SavedReport, has_figure: impl Fn(&Point) -> bool) -> bool {
    let jvms = report.summary.jvms as usize;
    let count = |jvm: usize, live: bool| {
        let is_live = |point: &Point| point.live_at_ms.is_some() || point.collected == Some(true);
        let points =
            report.history.iter().filter(|point| point.jvm == jvm && is_live(point) == live && has_figure(point));
        points.filter_map(|point| point.live_at_ms.or(point.uptime_ms)).collect::<BTreeSet<u64>>().len()
    };
    // The report may say itself that it could not judge: a snapshot without a marking needs a later one with one.
    let judged = report.suspects_not_judged.as_ref().is_none_or(Vec::is_empty);
    judged && jvms > 0 && (0..jvms).all(|jvm| count(jvm, true) >= LEAST_POINTS || count(jvm, false) >= LEAST_POINTS)
}
