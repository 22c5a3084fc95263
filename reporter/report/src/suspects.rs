//! Leak suspects: classes that grow to the end of a run, the most suspicious first, with reasons.
//!
//! A class is a suspect if its live objects, or the bytes that it alone holds, rise to the end ([`crate::growth`]). Two more
//! signs of a leak set the confidence: a steady rate (a cache that fills slows down), and ever more ages (in a queue or a
//! bounded cache the number of ages is bounded). `docs/suspects.md` has measurements of how often healthy programs are
//! suspected.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::figures::ClassFigures;
use crate::growth::{Figure, Growth, Point, Trend};
use crate::history::evenly;
use crate::holders;
use weighbridge_table::units::{bytes, count, count_with_noun, elapsed, percent};

/// At least this part of the collections, and this many, leave live objects in a leak.
const DRIFTING: f64 = 0.25;
const LEAST_AGES: f64 = 4.0;
/// Collections that must have run before ages mean anything.
const LEAST_COLLECTIONS: u64 = 4;
/// A rate is steady if that of the second half is at least this part of the first half's.
const STEADY: f64 = 2.0 / 3.0;
/// Points of a chart.
const MOST_POINTS: usize = 32;
/// Suspects of all JVMs. Each takes some kilobytes.
const MOST_SUSPECTS: usize = 1_000;

/// How likely a leak is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It grows steadily; if objects grow, they also gain ages.
    Strong,
    /// Objects grow steadily, or gain ages.
    Likely,
    /// Objects grow, but ever slower and without more ages, as in a cache that fills. Or bytes grow, but ever slower or not
    /// known exactly.
    Possible,
}

/// A class that may leak.
#[derive(Debug, Clone, Serialize)]
pub struct Suspect {
    /// How likely a leak is.
    pub confidence: Confidence,
    /// What grows.
    pub grows: Figure,
    /// How the live objects grow; if `grows` is bytes, they may not.
    #[serde(flatten)]
    pub growth: Growth,
    /// Growth in bytes a minute: of the bytes that the class alone holds if these grow, else of its own or deep bytes.
    pub bytes_per_minute: Option<f64>,
    /// Exclusive bytes at the beginning; known for exact classes.
    pub from_exclusive_bytes: Option<u64>,
    /// The same at the end.
    pub to_exclusive_bytes: Option<u64>,
    /// Own bytes at the beginning, which are judged if the recording has them; known for exact classes.
    pub from_own_bytes: Option<u64>,
    /// The same at the end.
    pub to_own_bytes: Option<u64>,
    /// Rate of the second half over that of the first; 1 is steady, 0 has stopped.
    pub pace: Option<f64>,
    /// New ages divided by collections in that time: 1 if each collection leaves live objects.
    pub age_drift: Option<f64>,
    /// Part of the objects allocated in that time that live at its end.
    pub kept_share: Option<f64>,
    /// Whether it was judged by exclusive bytes that are not known exactly, because a sampled class shares bytes.
    pub blurred: bool,
    /// Some of the counts by which it was judged, in their order.
    pub points: Vec<SuspectPoint>,
    /// Why it is suspected, in sentences.
    pub reasons: Vec<String>,
}

/// A suspect at one snapshot.
#[derive(Debug, Clone, Serialize)]
pub struct SuspectPoint {
    /// Milliseconds since the JVM started.
    pub uptime_ms: u64,
    /// Live objects.
    pub live: u64,
    /// Bytes reached from no other class.
    pub exclusive_bytes: Option<u64>,
    /// Bytes held without passing an object of another class, and held so by no other class.
    pub own_bytes: Option<u64>,
}

impl Suspect {
    /// A suspect without its reasons, which need the figures of all JVMs.
    pub(crate) fn from_trend(figure: Figure, trend: Trend) -> Self {
        let Trend { growth, floors, points } = trend;
        let (early, late) = floors.split_at(floors.len() / 2);
        let pace = figure.per_minute(early).zip(figure.per_minute(late)).filter(|(early, _)| *early > 0.0);
        let pace = pace.map(|(early, late)| late / early);
        let (first, last) = (floors[0], floors[floors.len() - 1]);
        let age_drift = age_drift(&first, &last);
        let made = last.allocated.saturating_sub(first.allocated) as f64;
        let kept_share = (made > 0.0).then(|| (last.live as f64 - first.live as f64) / made);
        // A rate that began at 0 does not slow down.
        let steady = pace.is_none_or(|pace| pace >= STEADY);
        let drifts = age_drift.is_some_and(|drift| drift >= DRIFTING)
            && last
                .generations
                .zip(first.generations)
                .is_some_and(|(now, then)| now as f64 - then as f64 >= LEAST_AGES);
        let blurred = figure == Figure::Bytes && floors.iter().any(|point| point.blurred);
        let confidence = match (figure, steady, drifts) {
            (Figure::Objects, true, true) => Confidence::Strong,
            (Figure::Bytes, true, _) if !blurred => Confidence::Strong,
            (Figure::Objects, true, _) | (Figure::Objects, _, true) => Confidence::Likely,
            (Figure::Objects, false, false) | (Figure::Bytes, ..) => Confidence::Possible,
        };
        let bytes_per_minute = match figure {
            Figure::Objects => growth.bytes_per_minute(),
            Figure::Bytes => figure.per_minute(&floors),
        };
        Suspect {
            confidence,
            grows: figure,
            bytes_per_minute,
            from_exclusive_bytes: first.exclusive_bytes.filter(|_| first.exact),
            to_exclusive_bytes: last.exclusive_bytes.filter(|_| last.exact),
            from_own_bytes: first.own_bytes.filter(|_| first.exact),
            to_own_bytes: last.own_bytes.filter(|_| last.exact),
            pace,
            age_drift,
            kept_share: kept_share.filter(|_| figure == Figure::Objects),
            points: evenly(points, MOST_POINTS).into_iter().map(SuspectPoint::from_point).collect(),
            reasons: Vec::new(),
            blurred,
            growth,
        }
    }
}

/// New ages for each collection.
fn age_drift(first: &Point, last: &Point) -> Option<f64> {
    let collections = last.collections?.checked_sub(first.collections?).filter(|n| *n >= LEAST_COLLECTIONS)?;
    let ages = last.generations? as f64 - first.generations? as f64;
    Some((ages / collections as f64).clamp(0.0, 1.0))
}

impl SuspectPoint {
    fn from_point(&Point { uptime_ms, live, exclusive_bytes, own_bytes, .. }: &Point) -> Self {
        SuspectPoint { uptime_ms, live, exclusive_bytes, own_bytes }
    }
}

/// Adds the suspects of one JVM after the other. Memory is bounded: of very many, the least suspicious are dropped.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    kept: Vec<Suspect>,
    left_out: u64,
}

impl Suspects {
    /// Adds suspects and gives their number.
    pub(crate) fn extend(&mut self, suspects: impl IntoIterator<Item = Suspect>) -> usize {
        let before = self.kept.len();
        self.kept.extend(suspects);
        let taken = self.kept.len() - before;
        if self.kept.len() >= 2 * MOST_SUSPECTS {
            self.cut();
        }
        taken
    }

    fn cut(&mut self) {
        self.kept.sort_by(by_rank);
        self.left_out += self.kept.len().saturating_sub(MOST_SUSPECTS) as u64;
        self.kept.truncate(MOST_SUSPECTS);
    }

    /// The suspects, the most suspicious first, with their reasons, and how many more there are. Leaves out classes that hold
    /// the objects of another suspect.
    pub(crate) fn ranked(
        mut self,
        classes: &[ClassFigures],
        used_bytes: Option<u64>,
        lower_bound: bool,
    ) -> (Vec<Suspect>, u64) {
        let rows: HashMap<(&str, Option<&str>), &ClassFigures> =
            classes.iter().map(|row| ((row.class.as_str(), row.component.as_deref()), row)).collect();
        let row = |one: &Suspect| rows.get(&(one.growth.class.as_str(), one.growth.component.as_deref())).copied();
        let mut holders: HashSet<(usize, &str)> = HashSet::new();
        for suspect in self.kept.iter().filter(|one| one.grows == Figure::Objects) {
            let chain = row(suspect).and_then(|row| row.holders.as_ref()?.chains.first()?.steps.first());
            let names = chain.into_iter().flat_map(|step| declaring(step));
            holders.extend(names.map(|name| (suspect.growth.jvm, name)));
        }
        let named = |one: &Suspect| {
            one.grows == Figure::Bytes && holders.contains(&(one.growth.jvm, one.growth.class.as_str()))
        };
        self.kept.retain(|one| !named(one));
        self.cut();
        for suspect in &mut self.kept {
            suspect.reasons = reasons(suspect, row(suspect), used_bytes, lower_bound);
        }
        (self.kept, self.left_out)
    }
}

/// The most confident first, of these the most bytes a minute.
fn by_rank(a: &Suspect, b: &Suspect) -> Ordering {
    let bytes = |one: &Suspect| one.bytes_per_minute.unwrap_or(0.0);
    let by_confidence = a.confidence.cmp(&b.confidence);
    let by_bytes = by_confidence.then_with(|| bytes(b).total_cmp(&bytes(a)));
    by_bytes
        .then_with(|| b.growth.live_per_minute.total_cmp(&a.growth.live_per_minute))
        .then_with(|| a.growth.class.cmp(&b.growth.class))
}

/// The class of a step `package.Class$Inner.field`, and the classes that enclose it.
fn declaring(step: &str) -> impl Iterator<Item = &str> {
    step.match_indices(['.', '$']).map(|(end, _)| &step[..end])
}

fn reasons(suspect: &Suspect, row: Option<&ClassFigures>, used: Option<u64>, lower_bound: bool) -> Vec<String> {
    let growth = &suspect.growth;
    let at_least = if lower_bound { "at least " } else { "" };
    let basis = match growth.collected {
        true => "counted at full markings of the heap",
        false => "the least of several counts each, confirmed by a count at a full marking of the heap",
    };
    let span = |from: String, to: String| {
        format!("from {from} at {} to {to} at {}", elapsed(growth.from_uptime_ms), elapsed(growth.to_uptime_ms))
    };
    let mut reasons = Vec::new();
    match suspect.grows {
        Figure::Objects => {
            let (about, error) = growth.exactness();
            reasons.push(format!(
                "Live objects rise to the end: {}, {about}{} more a minute{error}; {basis}.",
                span(count(growth.from_live), count(growth.to_live)),
                count(growth.live_per_minute.round() as u64),
            ));
            if let Some(rate) = suspect.bytes_per_minute.filter(|rate| *rate >= 1.0) {
                let rate = bytes(rate.round() as u64);
                reasons.push(match growth.own_bytes_per_minute {
                    Some(_) => format!("Their own bytes rise by {about}{rate} a minute."),
                    None => format!("What they reach rises by {at_least}{rate} a minute."),
                });
            }
        }
        Figure::Bytes => {
            let text = |n: Option<u64>| n.map_or_else(String::new, bytes);
            reasons.push(format!(
                "The bytes that it alone holds rise to the end: {}, {} more a minute, with {}; {basis}.",
                span(
                    text(suspect.from_own_bytes.or(suspect.from_exclusive_bytes)),
                    text(suspect.to_own_bytes.or(suspect.to_exclusive_bytes))
                ),
                bytes(suspect.bytes_per_minute.unwrap_or(0.0).max(0.0).round() as u64),
                count_with_noun(growth.to_live, "live object", "live objects"),
            ));
        }
    }
    if suspect.blurred {
        reasons.push(
            "Which bytes it alone holds is not known exactly: objects of a sampled class that are not tracked seem to be its own."
                .to_owned(),
        );
    }
    reasons.extend(suspect.pace.map(|pace| {
        let part = format!("{:.0} %", pace * 100.0);
        match pace >= STEADY {
            true => format!("The rate does not slow down: that of the second half is {part} of the first half's."),
            false => format!("The rate slows down, to {part} of the first half's: a cache that fills does so too."),
        }
    }));
    let ages = row.and_then(|row| row.ages.as_ref());
    if let (Figure::Objects, Some(drift), Some(now)) =
        (suspect.grows, suspect.age_drift, ages.and_then(|a| a.generations))
    {
        let oldest = growth.oldest.map_or_else(String::new, |n| {
            format!("; the oldest survived {}", count_with_noun(n, "collection", "collections"))
        });
        let only = if drift >= DRIFTING { "" } else { "only " };
        let kept = format!("{only}{:.0} % of the collections in that time left objects that still live", drift * 100.0);
        reasons.push(format!("They are of {}: {kept}{oldest}.", count_with_noun(now, "age", "different ages")));
    }
    if let Some(kept) = suspect.kept_share.filter(|kept| *kept > 0.0) {
        reasons.push(format!("Of the objects allocated in that time {:.1} % live.", kept.min(1.0) * 100.0));
    }
    if let Some(deep) = row.and_then(|row| row.deep_bytes).filter(|n| *n > 0) {
        let share = used
            .and_then(|used| percent(deep, used))
            .map_or_else(String::new, |share| format!(", {share} of the used heap"));
        reasons.push(format!("All live objects of the class reach {at_least}{}{share}.", bytes(deep)));
    }
    let holder = row.and_then(|row| holders::most_frequent(row.holders.as_ref()?));
    reasons.extend(holder.map(|(share, chain)| format!("{share} of those asked are held by `{chain}`.")));
    reasons
}
