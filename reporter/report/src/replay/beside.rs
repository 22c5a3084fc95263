//! What a recording of the same run says, beside the truth.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use weighbridge_recording::{ClassRow, Error, Line, ReadLimits, Reader, Snapshot, Track};
use weighbridge_replay::{Names, Sum};

use super::ages::{AgesBeside, ByAge};
use super::held::Both;
use crate::ages::are_known;
use crate::trust::{Estimate, Trust};
use weighbridge_table::units::count;

/// A recording, and the limits of reading it.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The file.
    pub file: PathBuf,
    /// How far it may inflate.
    pub limits: ReadLimits,
}

/// The figures of a recording and the true ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Beside {
    /// The recording.
    pub file: String,
    /// Where and why it could not be read to its end.
    pub damaged: Option<String>,
    /// The snapshots that the trace marks.
    pub snapshots: Vec<SnapshotBeside>,
    /// Snapshots of the recording that the trace does not mark, and cannot be compared.
    pub snapshots_without_mark: u64,
    /// Figures of classes that claim how exact they are, of the moment of their snapshot.
    pub judged: u64,
    /// Those of them for which the claim holds.
    pub within: u64,
    /// Live objects whose recorded ages are beside the true ones, in snapshots right after a full collection.
    pub aged: u64,
    /// The part of them, from 0 to 1, that is in another bucket than in truth. `None` if no ages are compared.
    pub ages_apart: Option<f64>,
    /// Counts of live bytes (option `peak`), if it has any.
    pub peak: Option<PeakBeside>,
}

/// The classes of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SnapshotBeside {
    /// Its number in the recording.
    pub snapshot: u64,
    /// The event of the trace after which it was taken.
    pub event: u64,
    /// Whether a full collection ran right before. Without one the recording tells what no collection has removed, which is
    /// judged as the bound that it is, or what lived at an earlier marking, which is not judged.
    pub collected: Option<bool>,
    /// Figures that claim how exact they are.
    pub judged: u64,
    /// Those for which the claim holds.
    pub within: u64,
    /// How often the JVM had stopped the program to collect, by the trace; before that, by its management beans.
    pub pauses: u64,
    /// Collections that its management beans had counted, by the recording. Ages are compared if these are as many.
    pub collections: Option<u64>,
    /// Lower bounds of the buckets of ages, in collections survived; the last one is open.
    pub age_from: Vec<u64>,
    /// By class, the largest error first.
    pub classes: Vec<ClassBeside>,
}

/// A class in a snapshot, and in truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassBeside {
    /// Its name.
    pub class: String,
    /// Live objects as the recording has them.
    pub live: u64,
    /// One standard error of it; 0 if exact.
    pub live_error: Option<f64>,
    /// What it claims of the live objects: `exact`, `± 12`, `at most 40`, `at least 3`; nothing without a bound.
    pub claim: Option<String>,
    /// The true number of live objects.
    pub true_live: u64,
    /// Recorded less true objects.
    pub error: i64,
    /// Whether the truth is within what is claimed.
    pub within: Option<bool>,
    /// Shallow bytes as the recording has them.
    pub shallow_bytes: Option<u64>,
    /// The true bytes.
    pub true_bytes: u64,
    /// Ages, if they can be compared.
    pub ages: Option<AgesBeside>,
}

/// Counts of live bytes and the true peak.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeakBeside {
    /// The mode of the counts.
    pub mode: Option<String>,
    /// What was counted: `walk`, `histogram` or `usage`.
    pub source: Option<String>,
    /// How many counts.
    pub counts: u64,
    /// The greatest count.
    pub peak_bytes: Option<u64>,
    /// What live bytes were proven never to exceed.
    pub ceiling_bytes: Option<u64>,
    /// The true peak of the objects in the trace.
    pub true_peak_bytes: u64,
    /// Whether the true peak is below the ceiling.
    pub ceiling_holds: Option<bool>,
}

/// What truly lived at a mark: by the number of the class.
pub(super) struct Truth {
    pub(super) event: u64,
    pub(super) classes: BTreeMap<u32, Both>,
    pub(super) ages: BTreeMap<u32, ByAge>,
    /// Pauses for collections up to there.
    pub(super) pauses: u64,
}

/// Reads a recording. `truths` are by the number of the snapshot.
pub(super) fn read(
    recording: &Recording,
    names: &Names,
    truths: &BTreeMap<u64, Truth>,
    true_peak_bytes: u64,
) -> Result<Beside, Error> {
    let mut reader = Reader::open_with_limits(&recording.file, recording.limits)?;
    let mut beside = Beside {
        file: display_path(&recording.file),
        damaged: None,
        snapshots: Vec::new(),
        snapshots_without_mark: 0,
        judged: 0,
        within: 0,
        aged: 0,
        ages_apart: None,
        peak: None,
    };
    let mut ids: BTreeMap<u64, String> = BTreeMap::new();
    for line in reader.by_ref() {
        match line? {
            Line::Class(class) if class.track != Some(Track::Count) => {
                ids.insert(class.id, class.class);
            }
            Line::Snapshot(snapshot) => match truths.get(&snapshot.seq) {
                Some(truth) => beside.snapshots.push(compared(&snapshot, &ids, names, truth)),
                None => beside.snapshots_without_mark += 1,
            },
            Line::LiveCount(count) => {
                let peak = beside.peak.get_or_insert(PeakBeside {
                    mode: count.mode.clone(),
                    source: count.source.clone(),
                    counts: 0,
                    peak_bytes: None,
                    ceiling_bytes: None,
                    true_peak_bytes,
                    ceiling_holds: None,
                });
                peak.counts += 1;
                peak.peak_bytes = peak.peak_bytes.max(count.peak_bytes);
                peak.ceiling_bytes = count.proven_ceiling();
                peak.ceiling_holds = peak.ceiling_bytes.map(|ceiling| true_peak_bytes <= ceiling);
            }
            _ => {}
        }
    }
    beside.damaged = reader.damage().map(ToString::to_string);
    beside.judged = beside.snapshots.iter().map(|snapshot| snapshot.judged).sum();
    beside.within = beside.snapshots.iter().map(|snapshot| snapshot.within).sum();
    let aged = beside
        .snapshots
        .iter()
        .filter(|snapshot| snapshot.collected == Some(true))
        .flat_map(|snapshot| &snapshot.classes);
    let aged =
        aged.filter_map(|class| Some((class.ages.as_ref()?.recorded.iter().sum::<u64>(), class.ages.as_ref()?.apart)));
    let (objects, apart) =
        aged.fold((0, 0.0), |(all, sum), (objects, apart)| (all + objects, sum + objects as f64 * apart));
    (beside.aged, beside.ages_apart) = (objects, (objects > 0).then(|| apart / objects as f64));
    Ok(beside)
}

/// A class that a recording measures, in truth.
#[derive(Debug, Clone, Default)]
struct True {
    sum: Sum,
    ages: Option<ByAge>,
}

fn display_path(file: &Path) -> String {
    file.display().to_string()
}

fn compared(snapshot: &Snapshot, ids: &BTreeMap<u64, String>, names: &Names, truth: &Truth) -> SnapshotBeside {
    let recorded: BTreeSet<&str> = ids.values().map(String::as_str).collect();
    let collections = snapshot.collections.as_ref().and_then(|it| Some(it.young?.saturating_add(it.full?)));
    // Pauses of concurrent cycles are among those of the trace.
    let ages = Some(&truth.ages).filter(|_| collections == Some(truth.pauses));
    let mut live: BTreeMap<&str, True> = BTreeMap::new();
    for (class_number, both) in &truth.classes {
        // A subclass that is not measured counts as its nearest superclass that is (docs/probe-contract.md).
        let measured = names.upwards(*class_number).find_map(|(_, class)| recorded.get(class.name.as_str()));
        if let Some(class) = measured {
            let of = live.entry(class).or_default();
            of.sum.objects += both.all.objects;
            of.sum.bytes = of.sum.bytes.saturating_add(both.all.bytes);
            for (age, objects) in ages.iter().filter_map(|ages| ages.get(class_number)).flatten() {
                *of.ages.get_or_insert_default().entry(*age).or_default() += objects;
            }
        }
    }
    // Loaders may define a class several times.
    let mut rows: BTreeMap<&str, Vec<&ClassRow>> = BTreeMap::new();
    for row in &snapshot.classes {
        if let Some(class) = ids.get(&row.id) {
            rows.entry(class).or_default().push(row);
        }
    }
    let mut classes: Vec<ClassBeside> = rows
        .into_iter()
        .filter_map(|(class, rows)| of_class(class, &rows, live.remove(class).unwrap_or_default(), snapshot))
        .collect();
    // What lived at an earlier marking is another moment's truth.
    if snapshot.collected != Some(true) && snapshot.is_live() {
        classes.iter_mut().for_each(|class| class.within = None);
    }
    classes.sort_by(|a, b| b.error.unsigned_abs().cmp(&a.error.unsigned_abs()).then_with(|| a.class.cmp(&b.class)));
    SnapshotBeside {
        snapshot: snapshot.seq,
        event: truth.event,
        pauses: truth.pauses,
        collections,
        age_from: snapshot.age_from.clone(),
        collected: snapshot.collected,
        judged: classes.iter().filter(|class| class.within.is_some()).count() as u64,
        within: classes.iter().filter(|class| class.within == Some(true)).count() as u64,
        classes,
    }
}

/// `None` if no live objects were measured.
fn of_class(class: &str, rows: &[&ClassRow], truth: True, snapshot: &Snapshot) -> Option<ClassBeside> {
    let True { sum: truth, ages: true_ages } = truth;
    let total = |figure: fn(&ClassRow) -> Option<u64>| {
        rows.iter().filter_map(|row| figure(row)).reduce(|a, b| a.saturating_add(b))
    };
    let live = total(ClassRow::objects)?;
    let errors: Option<Vec<f64>> = rows.iter().map(|row| row.objects_error()).collect();
    let live_error = errors.map(|errors| errors.iter().fold(0.0, |sum: f64, error| sum.hypot(*error)));
    let is_exact = rows.iter().all(|row| row.exact == Some(true));
    let made = |row: &ClassRow| {
        let others = row.before.unwrap_or(0).saturating_add(row.unannounced.unwrap_or(0));
        Some(row.allocated.saturating_add(others))
    };
    let estimate = Estimate {
        count: Some(live),
        error: live_error,
        exact: Some(is_exact),
        seen: total(|row| row.tracked),
        allocated: total(made),
        garbage: !snapshot.is_live(),
    };
    let (claim, within) = match estimate.trust() {
        Trust::Exact => (Some("exact".to_owned()), Some(live == truth.objects)),
        Trust::Within(half) => (Some(format!("\u{b1} {}", count(half))), Some(live.abs_diff(truth.objects) <= half)),
        Trust::NoMore(most) => (Some(format!("at most {}", count(most))), Some(truth.objects <= most)),
        Trust::NoLess(least) => (Some(format!("at least {}", count(least))), Some(truth.objects >= least)),
        Trust::AtMost => (Some(format!("at most {}", count(live))), Some(truth.objects <= live)),
        Trust::AtLeast | Trust::About => (None, None),
    };
    let known = rows.iter().filter(|row| are_known(row));
    let ages = known.filter_map(|row| row.ages.as_ref()).fold(None, |sum: Option<Vec<u64>>, ages| {
        Some(sum.map_or_else(|| ages.clone(), |sum| sum.iter().zip(ages).map(|(a, b)| a.saturating_add(*b)).collect()))
    });
    Some(ClassBeside {
        class: class.to_owned(),
        live,
        live_error,
        claim,
        true_live: truth.objects,
        error: live.cast_signed().saturating_sub(truth.objects.cast_signed()),
        within,
        shallow_bytes: total(|row| row.shallow_bytes),
        true_bytes: truth.bytes,
        ages: ages.zip(true_ages).and_then(|(ages, truth)| AgesBeside::from_ages(ages, &truth, &snapshot.age_from)),
    })
}
