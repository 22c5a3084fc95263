//! The report for programs. Its keys are a public interface (`docs/report-json.md`): keys are added, never renamed. A
//! figure that was not measured is `null`.

use std::io::{self, Write};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use weighbridge_recording::{Cost, Interval};

use crate::aggregate::{Aggregate, SkippedClass, UNSEEN_COST, seen_cpu_ms};
use crate::call_tree::CallTree;
use crate::component_growth::ComponentGrowth;
use crate::figures::{ClassFigures, ComponentFigures, Totals};
use crate::findings;
use crate::growth::Growth;
use crate::heap_components::HeapComponents;
use crate::history::Point;
use crate::judged::NotJudged;
use crate::jvm_run::{Ending, JvmRun};
use crate::origins::{TagFigures, ThreadFigures};
use crate::peak::PeakFigures;
use crate::round_trips::RoundTrip;
use crate::shortage::Decision;
use crate::sum::agreed;
use crate::suspects::Suspect;
use crate::traced::TracedRun;
use weighbridge_table::json_text::PrintableFormatter;

/// Version of the keys, raised if the meaning of a key changes.
pub const FORMAT: u32 = 1;

/// Writes the report as one pretty-printed JSON object and a newline. The same aggregate gives the same bytes.
pub fn write(aggregate: &Aggregate, output: &mut impl Write) -> io::Result<()> {
    pretty(&report(aggregate), output)
}

/// Writes a document as pretty-printed JSON and a newline. Equal documents give the same bytes.
///
/// Characters that act on a terminal are escaped ([`printable_json`](weighbridge_outside::printable_json)): names in it come
/// from outside.
pub fn pretty(document: &impl Serialize, output: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *output, PrintableFormatter::default());
    document.serialize(&mut serializer)?;
    output.write_all(b"\n")
}

/// The report, in the order of its keys.
#[derive(Serialize)]
pub(crate) struct JsonReport<'a> {
    format: u32,
    jvm: Keys,
    jvms: Vec<JvmRow<'a>>,
    summary: ReportSummary,
    classes: &'a [ClassFigures],
    components: &'a [ComponentFigures],
    threads: &'a [ThreadFigures],
    tags: &'a [TagFigures],
    pub(crate) history: &'a [Point],
    pub(crate) history_every: u64,
    pub(crate) growth: &'a [Growth],
    pub(crate) component_growth: &'a [ComponentGrowth],
    pub(crate) suspects: &'a [Suspect],
    pub(crate) suspects_left_out: u64,
    pub(crate) suspects_not_judged: &'a [NotJudged],
    pub(crate) peaks: &'a [PeakFigures],
    shortages: &'a [Decision],
    heap_components: &'a [HeapComponents],
    traces: &'a [TracedRun],
    round_trips: &'a [RoundTrip],
    pub(crate) call_trees: &'a [CallTree],
    skipped: &'a [SkippedClass],
    notes: &'a [String],
    damaged: Vec<DamageRow<'a>>,
    cost: Keys,
}

#[derive(Serialize)]
struct JvmRow<'a> {
    file: &'a str,
    recording: Option<&'a str>,
    session: Option<&'a str>,
    runtime_version: Option<&'a str>,
    #[serde(flatten)]
    facts: Keys,
    started_ms: Option<u64>,
    uptime_ms: Option<u64>,
    ended: bool,
    end_reason: Option<&'a str>,
    snapshots: u64,
    heap_used_bytes: Option<u64>,
    heap_runtime_bytes: Option<u64>,
    measured_bytes: Option<u64>,
    measured_objects: Option<u64>,
    walk_ns: Option<u64>,
    walk_stopped: Option<&'a str>,
    instrumented_classes: u64,
    interval: Option<IntervalRow>,
}

/// The interval that was stretched the most, and how many snapshots were stretched.
#[derive(Serialize)]
struct IntervalRow {
    #[serde(flatten)]
    interval: Interval,
    snapshots: u64,
}

/// The figures of all JVMs together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportSummary {
    /// How many JVMs there are.
    pub jvms: u64,
    /// Their snapshots.
    pub snapshots: u64,
    /// Their figures.
    #[serde(flatten)]
    pub totals: Totals,
    /// Matched classes that were not rewritten.
    pub skipped_total: u64,
    /// JVMs that loaded no rewritten class.
    pub jvms_without_rewritten_classes: u64,
    /// What the figures say, in sentences.
    pub statements: Vec<String>,
}

#[derive(Serialize)]
struct DamageRow<'a> {
    file: &'a str,
    offset: u64,
    reason: String,
}

pub(crate) fn report(aggregate: &Aggregate) -> JsonReport<'_> {
    JsonReport {
        format: FORMAT,
        jvm: common_facts(&aggregate.jvms),
        jvms: aggregate.jvms.iter().map(jvm_row).collect(),
        summary: ReportSummary {
            jvms: aggregate.jvms.len() as u64,
            snapshots: aggregate.jvms.iter().map(|jvm| jvm.snapshots).sum(),
            totals: aggregate.totals.clone(),
            skipped_total: aggregate.skipped_total,
            jvms_without_rewritten_classes: aggregate.jvms.iter().filter(|jvm| jvm.loaded_nothing()).count() as u64,
            statements: findings::statements(aggregate),
        },
        classes: &aggregate.classes,
        components: &aggregate.components,
        threads: &aggregate.threads,
        tags: &aggregate.tags,
        history: &aggregate.history,
        history_every: aggregate.history_every,
        growth: &aggregate.growth,
        component_growth: &aggregate.component_growth,
        suspects: &aggregate.suspects,
        suspects_left_out: aggregate.suspects_left_out,
        suspects_not_judged: &aggregate.not_judged,
        peaks: &aggregate.peaks,
        shortages: &aggregate.shortages,
        heap_components: &aggregate.heap_components,
        traces: &aggregate.traces,
        round_trips: &aggregate.round_trips,
        call_trees: &aggregate.call_trees,
        skipped: &aggregate.skipped,
        notes: &aggregate.notes,
        damaged: aggregate
            .damaged
            .iter()
            .map(|row| DamageRow { file: &row.file, offset: row.damage.offset, reason: row.damage.to_string() })
            .collect(),
        cost: cost(&aggregate.cost),
    }
}

/// Keys and values, `null` for what is not known.
struct Keys(Vec<(&'static str, Value)>);

impl Keys {
    /// The keys of an object of a recording, which leaves out what it does not know.
    fn from_object(object: &impl Serialize, keys: &[&'static str]) -> Self {
        let known = serde_json::to_value(object).unwrap_or_default();
        Keys(keys.iter().map(|key| (*key, known.get(key).cloned().unwrap_or_default())).collect())
    }
}

impl Serialize for Keys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Keys of the JVM in a header.
const JVM: [&str; 13] = [
    "version",
    "vendor",
    "name",
    "collector",
    "main",
    "pid",
    "max_heap_bytes",
    "compressed_oops",
    "compressed_class_pointers",
    "compact_headers",
    "object_alignment",
    "header_bytes",
    "reference_bytes",
];
/// Keys of the header itself.
const HEADER: [&str; 2] = ["sizes", "access"];
const COST: [&str; 15] = [
    "start_ms",
    "classes_ms",
    "elsewhere_cpu_ms",
    "probe_cpu_ms",
    "registrations",
    "thread_cpu_ms",
    "forced_pause_ms",
    "measuring_cpu_ms",
    "measuring_wall_ms",
    "snapshots",
    "sweeps",
    "sweep_ms",
    "registry_bytes",
    "forced_collections",
    "recording_bytes",
];

fn cost(cost: &Cost) -> Keys {
    let seen = seen_cpu_ms(cost);
    let keys = vec![("cpu_ms", seen.into()), ("not_seen", seen.map(|_| UNSEEN_COST).into())];
    Keys([keys, Keys::from_object(cost, &COST).0].concat())
}

fn facts(run: &JvmRun) -> Keys {
    let of_header = Keys::from_object(&run.header, &HEADER);
    Keys([Keys::from_object(&run.header.jvm, &JVM).0, of_header.0].concat())
}

/// The facts of all JVMs; one in which they differ is null.
fn common_facts(jvms: &[JvmRun]) -> Keys {
    let all: Vec<Keys> = jvms.iter().map(facts).collect();
    let common = |(index, key): (usize, &&'static str)| {
        let each = all.iter().map(|facts| Some(&facts.0[index].1));
        (*key, agreed(each).cloned().unwrap_or_default())
    };
    Keys(JVM.iter().chain(&HEADER).enumerate().map(common).collect())
}

fn jvm_row(run: &JvmRun) -> JvmRow<'_> {
    let heap = run.last.as_ref().and_then(|last| last.heap.as_ref());
    let (ended, end_reason) = match &run.ending {
        Ending::Footer { reason, .. } => (true, reason.as_deref()),
        Ending::Open => (false, None),
    };
    JvmRow {
        file: &run.file,
        recording: run.header.recording.as_deref(),
        session: run.header.session.as_deref(),
        runtime_version: run.header.version.as_deref(),
        facts: facts(run),
        started_ms: run.header.started_ms,
        uptime_ms: run.uptime_ms(),
        ended,
        end_reason,
        snapshots: run.snapshots,
        heap_used_bytes: heap.and_then(|heap| heap.used_bytes),
        heap_runtime_bytes: heap.and_then(|heap| heap.runtime_bytes),
        measured_bytes: run.total().and_then(|total| total.measured_bytes),
        measured_objects: run.total().and_then(|total| total.measured_objects),
        walk_ns: run.walk().and_then(|walk| walk.ns),
        walk_stopped: run.walk().and_then(|walk| walk.stopped.as_deref()),
        instrumented_classes: run.classes,
        interval: run.stretched.map(|(interval, snapshots)| IntervalRow { interval, snapshots }),
    }
}
