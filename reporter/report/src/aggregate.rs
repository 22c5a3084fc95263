//! The sum of any number of recordings.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use serde::Serialize;
use weighbridge_recording::{Cost, Damage, Error, Line, Reader, Snapshot};

use crate::call_tree::CallTree;
use crate::call_trees::CallTrees;
use crate::component_growth::ComponentGrowth;
use crate::figures::{ClassFigures, ClassSums, ComponentFigures, Totals};
use crate::growth::Growth;
use crate::heap_components::HeapComponents;
use crate::history::Point;
use crate::judged::NotJudged;
use crate::jvm_run::{Fold, JvmRun};
use crate::origins::{Origins, TagFigures, ThreadFigures};
use crate::peak::PeakFigures;
use crate::round_trips::RoundTrip;
use crate::row::{ReportRow as _, add};
use crate::shortage::{Decision, ShortageCounts};
use crate::sum::{Sum, agreed};
use crate::suspects::{Suspect, Suspects};
use crate::traced::TracedRun;
use crate::trust::Blur;

/// The sum of all recordings, which every exporter reads.
///
/// Figures are those of each JVM's last snapshot, added over JVMs.
#[derive(Debug, Clone)]
pub struct Aggregate {
    /// The JVMs, in the order of their recordings.
    pub jvms: Vec<JvmRun>,
    /// The sums over all JVMs.
    pub totals: Totals,
    /// Rows by class, the largest deep size first; then the most allocated; then by name.
    pub classes: Vec<ClassFigures>,
    /// Rows by component, the largest deep size first, then by name.
    pub components: Vec<ComponentFigures>,
    /// Rows by group of threads, the most live bytes first.
    pub threads: Vec<ThreadFigures>,
    /// Rows by tag, the most live bytes first.
    pub tags: Vec<TagFigures>,
    /// Snapshots by JVM and in their order: all, or evenly spread ones of many.
    pub history: Vec<Point>,
    /// `history` has one snapshot of this many of each JVM, and its last one; 1 if it has all.
    pub history_every: u64,
    /// Classes that grow to the end of their JVM's run, by JVM, the most bytes a minute first.
    pub growth: Vec<Growth>,
    /// Components that hold ever more bytes to the end of their JVM's run, by JVM. Own bytes come before reached ones, the
    /// most a minute first.
    pub component_growth: Vec<ComponentGrowth>,
    /// Classes that may leak, of all JVMs, the most suspicious first. Of very many, only the first ones.
    pub suspects: Vec<Suspect>,
    /// How many more suspects there are.
    pub suspects_left_out: u64,
    /// JVMs whose recordings cannot show what grows.
    pub not_judged: Vec<NotJudged>,
    /// JVMs without a suspect that were judged by upper bounds: what grows more slowly than garbage comes does not show in them.
    pub judged_by_bounds: u64,
    /// The counts of live bytes, of each JVM that has any.
    pub peaks: Vec<PeakFigures>,
    /// Decisions in memory shortages, by JVM and in their order.
    pub shortages: Vec<Decision>,
    /// The same in figures, for metrics.
    pub shortage_counts: ShortageCounts,
    /// Components in heap dumps that clients took, of each JVM with any.
    pub heap_components: Vec<HeapComponents>,
    /// Runs of traces that the recordings have, by JVM and in their order.
    pub traces: Vec<TracedRun>,
    /// Operations that were done again and again, and what remains of them, by JVM and in their order.
    pub round_trips: Vec<RoundTrip>,
    /// Where live objects were constructed, at the greatest peak and at the last snapshot of each JVM that has sites. Of more
    /// than 50 JVMs, one sum of the last ones.
    pub call_trees: Vec<CallTree>,
    /// Matched classes that were not rewritten, each once.
    pub skipped: Vec<SkippedClass>,
    /// How many were skipped in all; recordings may list only some.
    pub skipped_total: u64,
    /// The notes of the runtimes, each once.
    pub notes: Vec<String>,
    /// Recordings that could not be read to their end.
    pub damaged: Vec<DamagedFile>,
    /// What measuring cost all JVMs. A figure is known only if every JVM states it.
    pub cost: Cost,
}

/// A matched class that was not rewritten.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SkippedClass {
    /// File name of its jar, if known.
    pub jar: Option<String>,
    /// Dotted name.
    pub class: String,
    /// Why.
    pub reason: String,
}

/// A recording that could not be read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedFile {
    /// The file, as it was named.
    pub file: String,
    /// Where and why.
    pub damage: Damage,
}

/// Points of history that are kept: a day with a snapshot every ten seconds. If there are more, every other one is dropped.
const MOST_POINTS: usize = 10_000;

/// A recording, read and folded by JVM, on any thread. It is then added to an [`Aggregator`]. Memory grows with its classes
/// and snapshots, not with the rows of snapshots.
#[derive(Clone)]
pub struct Folded {
    file: String,
    folds: Vec<Fold>,
    damage: Option<Damage>,
}

impl Folded {
    /// One without a line, of a recording that grows. `file` is its name.
    pub fn new(file: &str) -> Self {
        Folded { file: file.to_owned(), folds: Vec::new(), damage: None }
    }

    /// Reads a recording to its end or to its damage.
    ///
    /// # Errors
    /// The file cannot be read, or a recording of a newer format follows inside it.
    pub fn read<R: BufRead>(mut reader: Reader<R>) -> Result<Folded, Error> {
        let mut folded = Folded::new(reader.file());
        for line in reader.by_ref() {
            folded.line(line?);
        }
        folded.damage = reader.damage().cloned();
        Ok(folded)
    }

    /// The same with several threads, for one long recording.
    ///
    /// # Errors
    /// Those of [`Folded::read`].
    pub fn read_ahead<R: BufRead + Send>(mut reader: Reader<R>) -> Result<Folded, Error> {
        let mut folded = Folded::new(reader.file());
        reader.read_ahead(|line| folded.line(line))?;
        folded.damage = reader.damage().cloned();
        Ok(folded)
    }

    /// Folds lines. Those before the first header are ignored.
    pub fn of_lines(file: &str, lines: impl IntoIterator<Item = Line>) -> Folded {
        let mut folded = Folded::new(file);
        lines.into_iter().for_each(|line| folded.line(line));
        folded
    }

    /// Folds the next line. Those before the first header are ignored.
    pub fn line(&mut self, line: Line) {
        match (line, self.folds.last_mut()) {
            (Line::Header(header), _) => self.folds.push(Fold::new(&self.file, header)),
            (line, Some(fold)) => fold.line(line),
            (_, None) => {}
        }
    }

    /// Whether no JVM has begun in it.
    pub fn is_empty(&self) -> bool {
        self.folds.is_empty()
    }

    /// Its JVMs, one by one. The last one has the damage.
    pub fn by_jvm(self) -> impl Iterator<Item = Folded> {
        let Folded { file, folds, mut damage } = self;
        let last = folds.len().saturating_sub(1);
        let of_its_own = move |(index, fold)| Folded {
            file: file.clone(),
            folds: vec![fold],
            damage: if index == last { damage.take() } else { None },
        };
        folds.into_iter().enumerate().map(of_its_own)
    }
}

/// Adds recordings one after the other. Memory grows with the number of different classes, and by a few hundred bytes a
/// JVM, but not with snapshots beyond [`MOST_POINTS`].
#[derive(Default)]
pub struct Aggregator {
    jvms: Vec<JvmRun>,
    classes: ClassSums,
    components: BTreeMap<String, ComponentFigures>,
    origins: Origins,
    history: Vec<Point>,
    /// How often every other point of history was dropped.
    halvings: u32,
    growth: Vec<Growth>,
    component_growth: Vec<ComponentGrowth>,
    suspects: Suspects,
    not_judged: Vec<NotJudged>,
    judged_by_bounds: u64,
    shortages: Vec<Decision>,
    heap_components: Vec<HeapComponents>,
    traces: Vec<TracedRun>,
    round_trips: Vec<RoundTrip>,
    shortage_counts: ShortageCounts,
    peaks: Vec<PeakFigures>,
    call_trees: CallTrees,
    skipped: BTreeSet<SkippedClass>,
    /// The largest `skipped_total` by jar and configuration: every JVM that runs a jar states it.
    skipped_totals: BTreeMap<(Option<String>, Option<String>), u64>,
    notes: BTreeSet<String>,
    damaged: Vec<DamagedFile>,
}

impl Aggregator {
    /// Without any recording.
    pub fn new() -> Self {
        Aggregator::default()
    }

    /// Whether no JVM was added yet.
    pub fn is_empty(&self) -> bool {
        self.jvms.is_empty()
    }

    /// Reads and adds a recording, to its end or to its damage. On an error nothing of it is added.
    ///
    /// # Errors
    /// Those of [`Folded::read`].
    pub fn read<R: BufRead>(&mut self, reader: Reader<R>) -> Result<(), Error> {
        self.add(Folded::read(reader)?);
        Ok(())
    }

    /// Adds a recording.
    pub fn add(&mut self, folded: Folded) {
        folded.folds.into_iter().for_each(|fold| self.add_jvm(fold));
        self.damaged.extend(folded.damage.map(|damage| DamagedFile { file: folded.file, damage }));
    }

    fn add_jvm(&mut self, mut fold: Fold) {
        let jvm = self.jvms.len();
        if let Some(last) = fold.last.take() {
            self.add_rows(&fold, &last);
            fold.run.last = Some(Snapshot {
                classes: Vec::new(),
                components: Vec::new(),
                threads: Vec::new(),
                tags: Vec::new(),
                ..*last
            });
        }
        self.growth.extend(fold.growth().into_iter().map(|growth| Growth { jvm, ..growth }));
        let components = fold.component_growth().into_iter();
        self.component_growth.extend(components.map(|growth| ComponentGrowth { jvm, ..growth }));
        let suspects = self.suspects.extend(fold.suspects(jvm));
        match fold.counted.not_judged(jvm) {
            _ if suspects > 0 => {}
            Some(missing) => self.not_judged.push(missing),
            None => self.judged_by_bounds += u64::from(fold.counted.by_bounds()),
        }
        self.call_trees.add(jvm, fold.call_trees());
        let mut counts = ShortageCounts::default();
        fold.shortages.iter().for_each(|line| counts.add(line));
        self.shortage_counts.merge(&counts);
        self.shortages.extend(fold.shortages.drain(..).map(|line| Decision { jvm, line }));
        self.heap_components.extend(std::mem::take(&mut fold.heap_components).finish(jvm));
        self.traces.extend(fold.traces.drain(..).map(|run| TracedRun { jvm, ..run }));
        self.round_trips.extend(std::mem::take(&mut fold.round_trips).finish(jvm, &fold.classes));
        self.peaks.extend(fold.peak.take().map(|peak| PeakFigures { jvm, ..peak }));
        self.add_history(jvm, fold.history);
        for link in fold.links {
            let listed = link.skipped.unwrap_or_default();
            let total = link.skipped_total.unwrap_or(listed.len() as u64);
            let known = self.skipped_totals.entry((link.jar.clone(), link.config)).or_default();
            *known = total.max(*known);
            self.skipped.extend(listed.into_iter().map(|skipped| SkippedClass {
                jar: link.jar.clone(),
                class: skipped.class,
                reason: skipped.reason,
            }));
        }
        self.notes.extend(fold.notes);
        self.jvms.push(fold.run);
    }

    fn add_history(&mut self, jvm: usize, points: Vec<Point>) {
        self.history.extend(every(self.history_every(), points).map(|point| Point { jvm, ..point }));
        // Each JVM keeps its first and its last point.
        while self.history.len() > MOST_POINTS && self.history.len() > 3 * (jvm + 1) {
            self.halvings += 1;
            let mut thinned = Vec::with_capacity(self.history.len() / 2 + jvm);
            let mut points = std::mem::take(&mut self.history).into_iter().peekable();
            while let Some(first) = points.next() {
                let jvm = first.jvm;
                let mut of_jvm = vec![first];
                while let Some(point) = points.next_if(|point| point.jvm == jvm) {
                    of_jvm.push(point);
                }
                thinned.extend(every(2, of_jvm));
            }
            self.history = thinned;
        }
    }

    fn history_every(&self) -> u64 {
        1 << self.halvings
    }

    fn add_rows(&mut self, fold: &Fold, last: &Snapshot) {
        for row in &last.classes {
            let line = fold.classes.get(&row.id);
            let (class, component) = match line {
                Some(line) => (line.class.clone(), line.component.clone()),
                None => (format!("(class {} of {})", row.id, fold.run.file), None),
            };
            let run = fold.runs.get(&row.id);
            let peak = run.and_then(|run| run.peak_live);
            let figures = ClassFigures {
                class,
                component,
                track: line.and_then(|line| line.track),
                loader: line.and_then(|line| fold.loader_in_name(line)).map(str::to_owned),
                jars: line.and_then(|line| line.jar.clone()).into_iter().collect(),
                fields: line.into_iter().flat_map(|line| &line.fields).flatten().cloned().collect(),
                peak_live: peak.map(|peak| peak.value),
                peak_exact: peak.map(|peak| peak.exact),
                ..ClassFigures::from_recorded(row)
            };
            let generations_first = run.and_then(|run| run.generations_first);
            self.classes.add(figures, row, &last.age_from, generations_first);
        }
        self.origins.add(&last.threads, &last.tags);
        for row in &last.components {
            let run = &fold.component_runs[&row.name];
            let figures = ComponentFigures {
                peak_live: run.peak_live.map(|peak| peak.value),
                peak_deep_bytes: run.peak_deep_bytes.map(|peak| peak.value),
                peak_exact: run.peak_deep_bytes.map(|peak| peak.exact),
                ..ComponentFigures::from_recorded(row)
            };
            add(&mut self.components, row.name.clone(), figures);
        }
    }

    /// Adds everything up.
    pub fn finish(self) -> Aggregate {
        let history_every = self.history_every();
        let mut classes: Vec<ClassFigures> = self.classes.finish().collect();
        // Stable: the map's order by name decides among equals.
        classes.sort_by_key(|row| std::cmp::Reverse((row.own_bytes.or(row.deep_bytes), row.deep_bytes, row.allocated)));
        let mut components: Vec<ComponentFigures> = self.components.into_values().collect();
        components.sort_by_key(|row| std::cmp::Reverse((row.own_bytes.or(row.deep_bytes), row.deep_bytes)));
        let (threads, tags) = self.origins.finish();
        let totals = totals(&self.jvms, &classes);
        // The figures of a class are of all JVMs: a share of one JVM's heap would mean nothing.
        let used = totals.heap_used_bytes.filter(|_| self.jvms.len() == 1);
        let (suspects, suspects_left_out) = self.suspects.ranked(&classes, used, totals.deep_is_lower_bound());
        Aggregate {
            threads,
            tags,
            suspects,
            suspects_left_out,
            not_judged: self.not_judged,
            judged_by_bounds: self.judged_by_bounds,
            totals,
            cost: cost(&self.jvms),
            classes,
            components,
            history_every,
            history: self.history,
            growth: self.growth,
            component_growth: self.component_growth,
            peaks: self.peaks,
            shortages: self.shortages,
            heap_components: self.heap_components,
            traces: self.traces,
            round_trips: self.round_trips,
            shortage_counts: self.shortage_counts,
            call_trees: self.call_trees.finish(),
            skipped: self.skipped.into_iter().collect(),
            skipped_total: self.skipped_totals.values().fold(0, |sum, n| sum.saturating_add(*n)),
            notes: self.notes.into_iter().collect(),
            damaged: self.damaged,
            jvms: self.jvms,
        }
    }
}

impl Aggregate {
    /// Whether the deep figures may miss objects: a class is sampled, or objects could not be entered.
    pub fn deep_is_lower_bound(&self) -> bool {
        self.totals.deep_is_lower_bound()
    }

    /// What blurs the figures of all rows.
    pub(crate) fn blur(&self) -> Blur {
        Blur {
            formula: self.jvms.iter().any(|jvm| jvm.header.sizes.as_deref() == Some("formula")),
            closed: self.totals.closed_objects.is_some_and(|n| n > 0),
            sampled: self.totals.exact == Some(false),
            garbage: self.totals.marked == Some(false),
        }
    }

    /// The call tree of each JVM's last snapshot that has one, without those of peaks.
    pub(crate) fn last_call_trees(&self) -> impl Iterator<Item = &CallTree> {
        let trees = &self.call_trees;
        trees.iter().filter(|tree| !trees.iter().any(|other| other.jvm == tree.jvm && other.seq > tree.seq))
    }
}

impl Totals {
    /// Whether no dead object may be among those counted. Reports of older versions say only whether there was a collection.
    pub(crate) fn is_live(&self) -> bool {
        self.marked.or(self.collected) == Some(true)
    }

    fn deep_is_lower_bound(&self) -> bool {
        self.exact == Some(false) || self.closed_objects.is_some_and(|n| n > 0)
    }
}

/// Every `stride`-th point, from the first, and the last one.
fn every(stride: u64, points: Vec<Point>) -> impl Iterator<Item = Point> {
    let last = points.len().saturating_sub(1);
    let kept = move |index: usize| (index as u64).is_multiple_of(stride) || index == last;
    points.into_iter().enumerate().filter(move |(index, _)| kept(*index)).map(|(_, point)| point)
}

fn totals(jvms: &[JvmRun], classes: &[ClassFigures]) -> Totals {
    // JVMs without a snapshot have no figures; the report says so.
    let last: Vec<(&JvmRun, &Snapshot)> = jvms.iter().filter_map(|jvm| Some((jvm, jvm.last.as_ref()?))).collect();
    let heap = |figure: fn(&weighbridge_recording::JvmHeap) -> Option<u64>| {
        Sum::sum_parts(last.iter().map(|(_, s)| s.heap.as_ref().and_then(figure)))
    };
    Totals {
        heap_used_bytes: heap(|heap| heap.used_bytes),
        heap_committed_bytes: heap(|heap| heap.committed_bytes),
        heap_max_bytes: heap(|heap| heap.max_bytes),
        heap_runtime_bytes: heap(|heap| heap.runtime_bytes),
        measured_objects: Sum::sum_parts(last.iter().map(|(jvm, _)| jvm.total()?.measured_objects)),
        measured_bytes: Sum::sum_parts(last.iter().map(|(jvm, _)| jvm.total()?.measured_bytes)),
        shared_once_bytes: Sum::sum_parts(last.iter().map(|(_, s)| s.shared_once_bytes)),
        not_reached_bytes: not_reached(&last),
        off_heap_bytes: Sum::sum_parts(last.iter().map(|(jvm, _)| jvm.total()?.off_heap_bytes)),
        closed_objects: Sum::sum_parts(last.iter().map(|(jvm, _)| jvm.walk()?.closed_objects)),
        collected: if last.iter().any(|(_, s)| s.collected == Some(false)) {
            Some(false)
        } else {
            agreed(last.iter().map(|(_, s)| s.collected))
        },
        marked: last.iter().map(|(_, s)| s.is_live()).reduce(|all, one| all && one),
        exact: classes.iter().filter_map(|row| row.exact).reduce(|all, row| all && row),
    }
}

/// The used heap of each JVM minus what is reached. While the program runs, more may be reached than was used before: then
/// the figure is unknown.
fn not_reached(last: &[(&JvmRun, &Snapshot)]) -> Option<u64> {
    Sum::sum_parts(last.iter().map(|(jvm, s)| s.heap.as_ref()?.used_bytes?.checked_sub(jvm.total()?.measured_bytes?)))
}

/// What is in no figure of the cost.
pub(crate) const UNSEEN_COST: &str = "not seen: what the JVM's compilers take for longer constructors and for the runtime, \
    what its collectors take for weak references, and what probes take before they are compiled";

/// The CPU time that the runtime has seen measuring take, milliseconds; `None` for recordings that do not tell the start.
pub(crate) fn seen_cpu_ms(cost: &Cost) -> Option<f64> {
    let others = [cost.classes_ms, cost.probe_cpu_ms, cost.thread_cpu_ms, cost.elsewhere_cpu_ms, cost.forced_pause_ms];
    Some(cost.start_ms? + others.iter().flatten().sum::<f64>())
}

fn cost(jvms: &[JvmRun]) -> Cost {
    let count =
        |figure: fn(&Cost) -> Option<u64>| Sum::sum_parts(jvms.iter().map(|jvm| jvm.cost.as_ref().and_then(figure)));
    let time = |figure: fn(&Cost) -> Option<f64>| {
        jvms.iter().map(|jvm| jvm.cost.as_ref().and_then(figure)).sum::<Option<f64>>().filter(|_| !jvms.is_empty())
    };
    Cost {
        start_ms: time(|cost| cost.start_ms),
        classes_ms: time(|cost| cost.classes_ms.or(cost.start_ms.map(|_| 0.0))),
        elsewhere_cpu_ms: time(|cost| cost.elsewhere_cpu_ms),
        probe_cpu_ms: time(|cost| cost.probe_cpu_ms),
        registrations: count(|cost| cost.registrations),
        thread_cpu_ms: time(|cost| cost.thread_cpu_ms),
        forced_pause_ms: time(|cost| cost.forced_pause_ms),
        measuring_cpu_ms: time(|cost| cost.measuring_cpu_ms),
        measuring_wall_ms: time(|cost| cost.measuring_wall_ms),
        snapshots: count(|cost| cost.snapshots),
        sweeps: count(|cost| cost.sweeps),
        sweep_ms: time(|cost| cost.sweep_ms),
        registry_bytes: count(|cost| cost.registry_bytes),
        forced_collections: count(|cost| cost.forced_collections),
        recording_bytes: count(|cost| cost.recording_bytes),
    }
}
