//! The two passes over births and deaths.

use std::collections::{BTreeMap, BTreeSet};

use weighbridge_replay::{Error, Moment, MomentOf, Names, Replayed};

use super::beside::Truth;
use super::curve::{CurvePoint, Thinning};
use super::figures::Peak;
use super::flow::{After, steps};
use super::groups::{Groups, Rows};
use super::held::{HeldRow, LiveObjects, Moments};
use super::modes::{Counting, CountingRule, ModeFigures};

/// The modes whose curve is drawn have this one of the tolerances: the middle one.
pub(super) fn drawn_tolerance_index(tolerances: &[u64]) -> usize {
    tolerances.len() / 2
}

/// What the trace marks.
#[derive(Debug, Default)]
pub(super) struct TraceMarks {
    /// By the number of the snapshot, the last event before it.
    pub(super) snapshots: BTreeMap<u64, u64>,
    /// The last event before each collection.
    pub(super) collections: Vec<u64>,
    /// Collections before the trace, by the management beans.
    pub(super) before: u64,
}

impl TraceMarks {
    pub(super) fn from_replayed(replayed: &Replayed) -> Self {
        let mut marks = TraceMarks::default();
        for moment in &replayed.marks {
            let MomentOf::Mark(text) = &moment.what else { continue };
            if text == "collection" {
                marks.collections.push(moment.event);
            } else if let Some(number) = text.strip_prefix("collections ").and_then(|number| number.trim().parse().ok())
            {
                marks.before = number;
            } else if let Some(number) = text.strip_prefix("snapshot ").and_then(|number| number.trim().parse().ok()) {
                marks.snapshots.insert(number, moment.event);
            }
        }
        marks
    }
}

/// What the first pass finds.
pub(super) struct First {
    pub(super) rows: Rows,
    pub(super) changes: u64,
    pub(super) last: After,
    pub(super) peak: Option<(u64, After)>,
    /// The sum over all births of bytes times utilization.
    pub(super) utilization: f64,
    pub(super) modes: Vec<ModeFigures>,
    /// By the event: live bytes and classes.
    pub(super) held: BTreeMap<u64, (u64, Vec<HeldRow>)>,
    pub(super) truths: BTreeMap<u64, Truth>,
}

impl First {
    pub(super) fn from_replayed(
        names: &Names,
        replayed: &Replayed,
        shown: &[Vec<&(u64, &Moment)>],
        marks: &TraceMarks,
    ) -> Result<Self, Error> {
        let mut groups = Groups::new(names, replayed.allocated);
        let tables: BTreeSet<u64> = shown.iter().flatten().map(|(_, moment)| moment.event).collect();
        let mut moments =
            Moments::new(tables.iter().chain(marks.snapshots.values()).copied().collect(), marks.collections.clone());
        let (mut held, mut of_marks) = (BTreeMap::new(), BTreeMap::new());
        let mut found = |event: u64, now: &LiveObjects| {
            if tables.contains(&event) {
                let rows = now.classes(names);
                held.insert(event, (rows.iter().map(|row| row.bytes).sum(), rows));
            }
            if marks.snapshots.values().any(|marked| *marked == event) {
                of_marks.insert(event, (now.by_class(), now.by_age(event)));
            }
        };
        let rules = [CountingRule::EveryAllocation, CountingRule::PeakOnly, CountingRule::PeakOnlySkipping];
        let mut modes = rules.map(|rule| Counting::new(rule, 0));
        let (mut changes, mut utilization, mut last) = (0, 0.0, After::default());
        let mut peak: Option<(u64, After)> = None;
        steps(replayed, |step| {
            moments.take(step, &mut found);
            step.born.iter().for_each(|life| groups.add(life));
            let allocated = step.after.allocated - last.allocated;
            utilization += step.after.utilization().unwrap_or(0.0) * allocated as f64;
            modes.iter_mut().for_each(|mode| mode.event(step.after.appeared, step.after.live));
            if peak.is_none_or(|(_, after)| step.after.live > after.live) {
                peak = Some((step.event, step.after));
            }
            changes += 1;
            last = step.after;
        })?;
        moments.finish(&mut found);
        let true_peak = peak.map_or(0, |(_, after)| after.live);
        let truth = |(snapshot, event): (&u64, &u64)| {
            let (classes, (pauses, ages)) = of_marks.get(event).cloned().unwrap_or_default();
            (*snapshot, Truth { event: *event, classes, pauses: marks.before + pauses, ages })
        };
        Ok(First {
            rows: groups.rows(),
            changes,
            last,
            peak,
            utilization,
            modes: std::iter::once(ModeFigures::of_every_event(replayed.events, true_peak))
                .chain(modes.iter().map(|mode| mode.figures(true_peak)))
                .collect(),
            truths: marks.snapshots.iter().map(truth).collect(),
            held,
        })
    }
}

/// What the second pass finds, which needs the peak.
pub(super) struct Second {
    pub(super) peak: Option<Peak>,
    pub(super) curve: Vec<CurvePoint>,
    pub(super) modes: Vec<ModeFigures>,
}

impl Second {
    pub(super) fn from_replayed(
        names: &Names,
        replayed: &Replayed,
        first: &First,
        tolerances: &[u64],
    ) -> Result<Self, Error> {
        let mut moments = Moments::new(first.peak.iter().map(|(event, _)| *event).collect(), Vec::new());
        let mut peak = None;
        let mut found = |event: u64, now: &LiveObjects| {
            if let Some((_, after)) = first.peak {
                peak = Some(Peak {
                    event,
                    allocated_bytes: after.allocated,
                    live_bytes: after.live,
                    classes: now.classes(names),
                    sites: now.sites(names),
                });
            }
        };
        let all = |rule| tolerances.iter().map(|tolerance| Counting::new(rule, *tolerance)).collect::<Vec<_>>();
        let (mut threshold, mut tolerant) = (all(CountingRule::Threshold), all(CountingRule::PeakWithTolerance));
        let shown = drawn_tolerance_index(tolerances);
        let mut thinning = Thinning::new(first.changes, replayed.allocated);
        steps(replayed, |step| {
            moments.take(step, &mut found);
            let after = step.after;
            threshold.iter_mut().chain(&mut tolerant).for_each(|mode| mode.event(after.appeared, after.live));
            let drawn = |modes: &[Counting], figure: fn(&Counting) -> u64| modes.get(shown).map_or(0, figure);
            thinning.take(step.event, &after, drawn(&threshold, Counting::last), drawn(&tolerant, Counting::greatest));
        })?;
        moments.finish(&mut found);
        let true_peak = first.peak.map_or(0, |(_, after)| after.live);
        let modes = threshold.iter().chain(&tolerant).map(|mode| mode.figures(true_peak)).collect();
        Ok(Second { peak, curve: thinning.finish(), modes })
    }
}
