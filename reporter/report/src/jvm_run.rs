//! One JVM's recording, folded line by line: the figures of the last snapshot and the peaks of all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use weighbridge_recording::{
    ClassLine, Cost, Header, Interval, Line, LinkLine, Note, ShortageDecision, Sites, Snapshot, Total, WalkOutcome,
};

use crate::call_tree::CallTree;
use crate::component_growth::{ComponentGrowth, HeldFigure};
use crate::growth::{Figure, Growth, LiveSeries};
use crate::heap_components;
use crate::history::Point;
use crate::judged::SnapshotCounts;
use crate::peak::PeakFigures;
use crate::round_trips;
use crate::suspects::Suspect;
use crate::traced::TracedRun;

/// What is known of one JVM beside its rows.
#[derive(Debug, Clone, Default)]
pub struct JvmRun {
    /// The recording it came from, as it was named.
    pub file: String,
    /// Its header.
    pub header: Header,
    /// Snapshots read.
    pub snapshots: u64,
    /// Rewritten jars that registered with the runtime.
    pub jars: u64,
    /// Instrumented classes of these jars.
    pub classes: u64,
    /// Whether an object of any of them was constructed.
    pub constructed: bool,
    /// The interval that was stretched the most, and how many snapshots were stretched.
    pub stretched: Option<(Interval, u64)>,
    /// Its last snapshot without its rows; `None` if there is no snapshot.
    pub last: Option<Snapshot>,
    /// How it ended.
    pub ending: Ending,
    /// What measuring cost, by its own account.
    pub cost: Option<Cost>,
}

/// How a JVM's recording ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ending {
    /// In order, for the reason given.
    Footer {
        /// `exit`, `sigterm` or another reason.
        reason: Option<String>,
        /// Milliseconds since the JVM started.
        uptime_ms: Option<u64>,
    },
    /// Without a footer: the JVM was killed or still runs, or the file was cut.
    #[default]
    Open,
}

impl JvmRun {
    /// How long the JVM ran, milliseconds: to its footer, or at least to its last snapshot.
    pub fn uptime_ms(&self) -> Option<u64> {
        match &self.ending {
            Ending::Footer { uptime_ms, .. } if uptime_ms.is_some() => *uptime_ms,
            _ => self.last.as_ref()?.uptime_ms,
        }
    }

    /// When the objects of its last snapshot were found alive, milliseconds since the JVM started; `None` if they were not.
    pub fn live_at_ms(&self) -> Option<u64> {
        self.last.as_ref()?.live_at_ms()
    }

    /// Whether no instrumented class was loaded, so that nothing was measured.
    pub fn loaded_nothing(&self) -> bool {
        self.classes == 0 && !self.constructed
    }

    /// The totals of the last snapshot.
    pub(crate) fn total(&self) -> Option<&Total> {
        self.last.as_ref()?.total.as_ref()
    }

    /// How the walk of the last snapshot went.
    pub(crate) fn walk(&self) -> Option<&WalkOutcome> {
        self.last.as_ref()?.walk.as_ref()
    }
}

/// A JVM's lines so far.
#[derive(Clone, Default)]
pub(crate) struct Fold {
    pub(crate) run: JvmRun,
    /// Classes of one name in several loaders have their loaders in their names.
    pub(crate) classes: BTreeMap<u64, ClassLine>,
    /// The first class of each name whose loader is known, by its id.
    by_name: HashMap<String, u64>,
    /// Classes that have their loaders in their names, by their ids.
    with_loaders: BTreeSet<u64>,
    /// The rows of each class in all snapshots, by its id.
    pub(crate) runs: BTreeMap<u64, ClassRun>,
    pub(crate) component_runs: BTreeMap<String, ComponentRun>,
    pub(crate) links: Vec<LinkLine>,
    pub(crate) notes: BTreeSet<String>,
    pub(crate) history: Vec<Point>,
    pub(crate) peak: Option<PeakFigures>,
    pub(crate) shortages: Vec<ShortageDecision>,
    pub(crate) heap_components: heap_components::HeapComponentLines,
    pub(crate) traces: Vec<TracedRun>,
    pub(crate) round_trips: round_trips::MeasuredTrips,
    pub(crate) counted: SnapshotCounts,
    sites: Option<Sites>,
    peak_sites: Option<Sites>,
    /// Kept whole until the JVM is added to the aggregate.
    pub(crate) last: Option<Box<Snapshot>>,
}

/// The rows of one class in all snapshots.
#[derive(Clone, Default)]
pub(crate) struct ClassRun {
    pub(crate) peak_live: Option<Peak>,
    /// Surviving generations in the first snapshot that has them.
    pub(crate) generations_first: Option<u64>,
    live: LiveSeries,
}

/// The largest figure of any snapshot, and whether it was exact there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peak {
    pub(crate) value: u64,
    pub(crate) exact: bool,
}

impl Peak {
    fn raise(peak: &mut Option<Peak>, value: Option<u64>, exact: Option<bool>) {
        if let Some(value) = value
            && peak.is_none_or(|peak| value > peak.value)
        {
            *peak = Some(Peak { value, exact: exact == Some(true) });
        }
    }
}

/// The rows of one component in all snapshots.
#[derive(Clone, Default)]
pub(crate) struct ComponentRun {
    pub(crate) peak_live: Option<Peak>,
    pub(crate) peak_deep_bytes: Option<Peak>,
    live: LiveSeries,
}

impl Fold {
    pub(crate) fn new(file: &str, header: Header) -> Self {
        Fold { run: JvmRun { file: file.to_owned(), header, ..JvmRun::default() }, ..Fold::default() }
    }

    /// Adds a line of this JVM. A header starts another fold and never comes here.
    pub(crate) fn line(&mut self, line: Line) {
        match line {
            Line::Link(link) => {
                self.run.jars += 1;
                self.links.push(link);
            }
            Line::Class(class) => {
                self.run.classes += 1;
                self.class(class);
            }
            Line::Snapshot(snapshot) => self.snapshot(snapshot),
            Line::LiveCount(count) => PeakFigures::add(&mut self.peak, *count),
            Line::Sites(sites) => self.sites(sites),
            Line::Shortage(decision) => self.shortages.push(*decision),
            Line::HeapComponents(found) => self.heap_components.add(*found),
            Line::Traces(keys) => self.traces.extend(TracedRun::of_line(&keys)),
            Line::Note(Note { text, .. }) => {
                self.notes.insert(text);
            }
            Line::Footer(footer) => {
                self.run.ending = Ending::Footer { reason: footer.reason, uptime_ms: footer.uptime_ms };
                self.run.cost = footer.cost;
            }
            _ => {}
        }
    }

    fn class(&mut self, mut class: ClassLine) {
        if class.loader.is_some() {
            let first = *self.by_name.entry(class.class.clone()).or_insert(class.id);
            if let Some(known) = self.classes.get_mut(&first).filter(|known| known.loader != class.loader) {
                if self.with_loaders.insert(first) {
                    known.class = with_loader(known);
                }
                self.with_loaders.insert(class.id);
                class.class = with_loader(&class);
            }
        }
        self.classes.insert(class.id, class);
    }

    /// The loader that a class has in its name.
    pub(crate) fn loader_in_name<'a>(&self, class: &'a ClassLine) -> Option<&'a str> {
        short_loader(class).filter(|_| self.with_loaders.contains(&class.id))
    }

    fn sites(&mut self, sites: Sites) {
        if self.reason(sites.seq).as_deref() == Some("peak") {
            self.peak_sites = Some(sites.clone());
        }
        self.sites = Some(sites);
    }

    /// The classes that grow to the end, the most bytes a minute first.
    pub(crate) fn growth(&self) -> Vec<Growth> {
        let mut growing: Vec<Growth> = self
            .runs
            .iter()
            .filter_map(|(id, run)| {
                let class = self.classes.get(id)?;
                Some(run.live.growth(Figure::Objects, &class.class, class.component.as_deref())?.growth)
            })
            .collect();
        let bytes = |growth: &Growth| growth.bytes_per_minute().unwrap_or(0.0);
        growing.sort_by(|a, b| {
            let by_bytes = bytes(b).total_cmp(&bytes(a));
            by_bytes.then_with(|| b.live_per_minute.total_cmp(&a.live_per_minute)).then_with(|| a.class.cmp(&b.class))
        });
        growing
    }

    /// The components that hold ever more bytes: first by own bytes, then by reached bytes, the most a minute first.
    pub(crate) fn component_growth(&self) -> Vec<ComponentGrowth> {
        let runs = self.component_runs.iter();
        let mut growing: Vec<ComponentGrowth> = runs
            .flat_map(|(name, run)| {
                HeldFigure::ALL
                    .into_iter()
                    .filter_map(move |figure| ComponentGrowth::from_series(name, &run.live, figure))
            })
            .collect();
        growing.sort_by(|a, b| a.figure.cmp(&b.figure).then(b.bytes_per_minute.total_cmp(&a.bytes_per_minute)));
        growing
    }

    /// The classes that may leak: their objects grow, or else the bytes that they alone hold.
    pub(crate) fn suspects(&self, jvm: usize) -> impl Iterator<Item = Suspect> {
        self.runs.iter().filter_map(move |(id, run)| {
            let class = self.classes.get(id)?;
            let grows = |figure| Some((figure, run.live.growth(figure, &class.class, class.component.as_deref())?));
            let (figure, trend) = grows(Figure::Objects).or_else(|| grows(Figure::Bytes))?;
            let mut suspect = Suspect::from_trend(figure, trend);
            suspect.growth.jvm = jvm;
            Some(suspect)
        })
    }

    fn reason(&self, seq: u64) -> Option<String> {
        self.history.iter().rev().find(|point| point.seq == seq)?.reason.clone()
    }

    /// The call trees of the greatest peak and of the last snapshot that has one. They may be the same.
    pub(crate) fn call_trees(&self) -> Vec<CallTree> {
        let peak = self.peak_sites.as_ref().filter(|peak| self.sites.as_ref().is_none_or(|last| last.seq != peak.seq));
        let trees = [peak, self.sites.as_ref()].into_iter().flatten();
        trees.map(|sites| CallTree::from_sites(sites, self.reason(sites.seq), &self.classes)).collect()
    }

    fn snapshot(&mut self, snapshot: Box<Snapshot>) {
        self.run.snapshots += 1;
        self.counted.add(&snapshot);
        self.round_trips.add(&snapshot);
        self.run.constructed |= !snapshot.classes.is_empty();
        if let Some(interval) = snapshot.interval {
            let (most, snapshots) = self.run.stretched.get_or_insert((interval, 0));
            *snapshots += 1;
            if interval.stretched_ms > most.stretched_ms {
                *most = interval;
            }
        }
        // The aggregator sets the JVM's index.
        self.history.push(Point::from_snapshot(0, &snapshot));
        let blurred = snapshot
            .classes
            .iter()
            .any(|row| row.exact == Some(false) && row.own_shared_bytes.or(row.shared_bytes) > Some(0));
        for row in &snapshot.classes {
            let run = self.runs.entry(row.id).or_default();
            run.live.add(&snapshot, blurred, row);
            Peak::raise(&mut run.peak_live, row.objects(), row.exact);
            run.generations_first = run.generations_first.or(row.generations);
        }
        for row in &snapshot.components {
            let run = match self.component_runs.get_mut(&row.name) {
                Some(run) => run,
                None => self.component_runs.entry(row.name.clone()).or_default(),
            };
            run.live.add_component(&snapshot, row);
            Peak::raise(&mut run.peak_live, row.objects(), row.exact);
            Peak::raise(&mut run.peak_deep_bytes, row.deep_bytes, row.exact);
        }
        self.last = Some(snapshot);
    }
}

/// The name of a class with that of its loader: `com.acme.Page (PluginLoader@1b2c)`.
fn with_loader(class: &ClassLine) -> String {
    format!("{} ({})", class.class, short_loader(class).unwrap_or_default())
}

/// The name of a class's loader without its package.
fn short_loader(class: &ClassLine) -> Option<&str> {
    class.loader.as_deref()?.rsplit('.').next()
}
