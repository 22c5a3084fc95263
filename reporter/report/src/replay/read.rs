//! Replays a trace and puts the figures together.

use weighbridge_replay::{self as replay, Moment, MomentOf, Replayed, Trace};

use super::beside;
use super::doubts;
use super::fields::never_read;
use super::figures::{Entered, FORMAT, MethodEntry, ReplayReport, ReplayedTrace, SkippedRow, Totals, Utilization};
use super::groups::Rows;
use super::methods;
use super::passes::{First, Second, TraceMarks, drawn_tolerance_index};
use super::settings::{Error, Settings};
use crate::history::evenly;

/// Most entries of a method that get a table.
const MOST_ENTRIES: usize = 100;

impl ReplayReport {
    /// Replays a trace. `progress` gets how far it is, as [`weighbridge_replay::replay`] tells it.
    ///
    /// # Errors
    /// The trace or the recording cannot be read, or a method is not in the trace.
    pub fn read(settings: &Settings, progress: &mut dyn FnMut(u64)) -> Result<Self, Error> {
        let trace = Trace::open(&settings.trace)?;
        let asked: Vec<(&str, Vec<u32>)> = settings
            .at
            .iter()
            .map(|name| Ok((name.as_str(), methods::find_methods(&trace, name)?)))
            .collect::<Result<_, Error>>()?;
        let how = replay::Settings {
            memory: settings.memory,
            temporary: settings.temporary.clone(),
            moments_of: asked.iter().flat_map(|(_, methods)| methods.iter().copied()).collect(),
        };
        let replayed = replay::replay(&trace, &how, progress)?;
        assemble_report(settings, &trace, &replayed, &asked)
    }

    /// Why the trace lacks its end, if it does.
    pub fn incomplete(&self) -> Option<&str> {
        self.trace.incomplete.as_deref()
    }

    /// Why the recording lacks its end, if it does.
    pub fn damaged_recording(&self) -> Option<&str> {
        self.recording.as_ref()?.damaged.as_deref()
    }
}

fn assemble_report(
    settings: &Settings,
    trace: &Trace,
    replayed: &Replayed,
    asked: &[(&str, Vec<u32>)],
) -> Result<ReplayReport, Error> {
    let names = trace.names();
    let entries: Vec<Vec<(u64, &Moment)>> = asked.iter().map(|(_, methods)| entries(replayed, methods)).collect();
    let shown: Vec<Vec<&(u64, &Moment)>> = entries.iter().map(|all| evenly(all, MOST_ENTRIES)).collect();
    // Only a recording is held against what the trace marks.
    let marks = settings.recording.as_ref().map_or_else(TraceMarks::default, |_| TraceMarks::from_replayed(replayed));
    let first = First::from_replayed(names, replayed, &shown, &marks)?;
    let tolerances = match settings.tolerances.is_empty() {
        false => settings.tolerances.clone(),
        true => [64, 16, 4].map(|part| first.peak.map_or(0, |(_, after)| after.live) / part).to_vec(),
    };
    let second = Second::from_replayed(names, replayed, &first, &tolerances)?;
    let true_peak = first.peak.map_or(0, |(_, after)| after.live);
    let recording = match &settings.recording {
        Some(recording) => Some(beside::read(recording, names, &first.truths, true_peak)?),
        None => None,
    };
    let of_entry = |(number, moment): &(u64, &Moment)| MethodEntry {
        number: *number,
        event: moment.event,
        allocated_bytes: moment.allocated,
        live_bytes: first.held.get(&moment.event).map_or(0, |(live, _)| *live),
        classes: first.held.get(&moment.event).map_or_else(Vec::new, |(_, rows)| rows.clone()),
    };
    let at = asked.iter().zip(&entries).zip(&shown).map(|(((method, _), all), shown)| Entered {
        method: (*method).to_owned(),
        entries: all.len() as u64,
        shown: shown.iter().map(|entry| of_entry(entry)).collect(),
    });
    let at = at.collect();
    let Rows { all, classes, sites, met } = first.rows;
    Ok(ReplayReport {
        format: FORMAT,
        trace: source(trace),
        doubts: doubts::sentences(trace, replayed, met),
        utilization: Utilization {
            mean: (replayed.allocated > 0).then(|| first.utilization / replayed.allocated as f64),
            at_peak: first.peak.and_then(|(_, after)| after.utilization()),
            at_end: first.last.utilization(),
        },
        totals: Totals {
            events: replayed.events,
            threads: replayed.threads,
            objects: all.objects,
            allocated_bytes: replayed.allocated,
            met_objects: met.objects,
            met_bytes: met.bytes,
            existed_objects: replayed.existed.objects,
            existed_bytes: replayed.existed.bytes,
            live_at_end_objects: all.live_at_end_objects,
            live_at_end_bytes: all.live_at_end_bytes,
            unknown_events: replayed.unknown,
            twice: replayed.twice,
            revived: replayed.revived,
        },
        peak: second.peak,
        changes: first.changes,
        curve_tolerance_bytes: tolerances.get(drawn_tolerance_index(&tolerances)).copied().unwrap_or(0),
        curve: second.curve,
        modes: first.modes.into_iter().chain(second.modes).collect(),
        lives: all,
        classes,
        sites,
        never_read: never_read(trace),
        at,
        recording,
    })
}

/// The entries of some methods, with their numbers from 1.
fn entries<'a>(replayed: &'a Replayed, methods: &[u32]) -> Vec<(u64, &'a Moment)> {
    let is_of = |moment: &&Moment| matches!(&moment.what, MomentOf::Method(method) if methods.contains(method));
    (1..).zip(replayed.moments.iter().filter(is_of)).collect()
}

fn source(trace: &Trace) -> ReplayedTrace {
    let names = trace.names();
    let skipped = names.skipped.iter();
    ReplayedTrace {
        file: trace.file().to_owned(),
        java_version: names.vm.version.clone(),
        vm: names.vm.name.clone(),
        complete: trace.incomplete().is_none(),
        incomplete: trace.incomplete().map(str::to_owned),
        skipped: skipped.map(|one| SkippedRow { class: one.class.clone(), reason: one.reason.clone() }).collect(),
    }
}
