//! The report for programs. Its keys are a public interface (`docs/report-json.md`): keys are added,
//! never renamed; a figure that was not measured is `null`.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;
use weighbridge_recording::{Cost, Jvm, SampledFor};

use crate::ages::Ages;
use crate::aggregate::Aggregate;
use crate::call_tree::CallTree;
use crate::component_growth::ComponentGrowth;
use crate::figures::{ClassFigures, ComponentFigures};
use crate::findings;
use crate::growth::Growth;
use crate::history::Point;
use crate::holders::HolderFigures;
use crate::judged::NotJudged;
use crate::jvm_run::{Ending, JvmRun};
use crate::origins::{TagFigures, ThreadFigures};
use crate::peak::PeakFigures;
use crate::sum::agreed;
use crate::suspects::Suspect;

/// Version of the keys: raised when the meaning of one changes.
pub const FORMAT: u32 = 1;

/// Writes the report as one pretty-printed JSON object and a newline. The same aggregate gives the
/// same bytes.
pub fn write(aggregate: &Aggregate, output: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, &report(aggregate))?;
    output.write_all(b"\n")
}

/// What is written, in the order of its keys.
#[derive(Serialize)]
pub(crate) struct Report<'a> {
    format: u32,
    jvm: JvmFacts<'a>,
    jvms: Vec<JvmRow<'a>>,
    summary: Summary,
    classes: Vec<ClassRow<'a>>,
    components: Vec<ComponentRow<'a>>,
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
    pub(crate) call_trees: &'a [CallTree],
    skipped: Vec<SkippedRow<'a>>,
    notes: &'a [String],
    damaged: Vec<DamageRow<'a>>,
    cost: CostRow,
}

/// What is common to all JVMs; a fact on which they differ is null here.
#[derive(Serialize)]
struct JvmFacts<'a> {
    version: Option<&'a str>,
    vendor: Option<&'a str>,
    name: Option<&'a str>,
    collector: Option<&'a str>,
    main: Option<&'a str>,
    pid: Option<u64>,
    max_heap_bytes: Option<u64>,
    compressed_oops: Option<bool>,
    compressed_class_pointers: Option<bool>,
    compact_headers: Option<bool>,
    object_alignment: Option<u64>,
    header_bytes: Option<u64>,
    reference_bytes: Option<u64>,
    sizes: Option<&'a str>,
    access: Option<&'a str>,
}

#[derive(Serialize)]
struct JvmRow<'a> {
    file: &'a str,
    recording: Option<&'a str>,
    session: Option<&'a str>,
    runtime_version: Option<&'a str>,
    #[serde(flatten)]
    facts: JvmFacts<'a>,
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

/// An interval that was stretched, where it was stretched the most.
#[derive(Serialize)]
struct IntervalRow {
    asked_ms: u64,
    stretched_ms: u64,
    cost_ms: u64,
    cpu_percent: u64,
    snapshots: u64,
}

#[derive(Serialize)]
struct Summary {
    jvms: usize,
    snapshots: u64,
    collected: Option<bool>,
    exact: Option<bool>,
    heap_used_bytes: Option<u64>,
    heap_committed_bytes: Option<u64>,
    heap_max_bytes: Option<u64>,
    heap_runtime_bytes: Option<u64>,
    measured_bytes: Option<u64>,
    measured_objects: Option<u64>,
    shared_once_bytes: Option<u64>,
    not_reached_bytes: Option<u64>,
    off_heap_bytes: Option<u64>,
    closed_objects: Option<u64>,
    skipped_total: u64,
    jvms_without_rewritten_classes: u64,
    statements: Vec<String>,
}

#[derive(Serialize)]
struct ClassRow<'a> {
    class: &'a str,
    component: Option<&'a str>,
    allocated: u64,
    allocated_bytes: Option<u64>,
    since_collection: Option<u64>,
    since_collection_bytes: Option<u64>,
    last_cycle: Option<u64>,
    last_cycle_bytes: Option<u64>,
    live: Option<u64>,
    live_error: Option<f64>,
    exact: Option<bool>,
    counted: Option<bool>,
    sampled_for: &'a BTreeSet<SampledFor>,
    tracked: Option<u64>,
    shallow_bytes: Option<u64>,
    own_bytes: Option<u64>,
    own_shared_bytes: Option<u64>,
    deep_bytes: Option<u64>,
    deep_objects: Option<u64>,
    exclusive_bytes: Option<u64>,
    shared_bytes: Option<u64>,
    off_heap_bytes: Option<u64>,
    holders: Option<&'a HolderFigures>,
    peak_live: Option<u64>,
    peak_exact: Option<bool>,
    age: Option<&'a Ages>,
    track: Option<weighbridge_recording::Track>,
    definitions: u64,
    jars: Vec<&'a str>,
    fields: Vec<&'a str>,
}

#[derive(Serialize)]
struct ComponentRow<'a> {
    component: &'a str,
    live: Option<u64>,
    live_error: Option<f64>,
    exact: Option<bool>,
    shallow_bytes: Option<u64>,
    own_bytes: Option<u64>,
    own_shared_bytes: Option<u64>,
    deep_bytes: Option<u64>,
    exclusive_bytes: Option<u64>,
    shared_bytes: Option<u64>,
    shared_even_bytes: Option<u64>,
    off_heap_bytes: Option<u64>,
    peak_live: Option<u64>,
    peak_deep_bytes: Option<u64>,
    peak_exact: Option<bool>,
}

#[derive(Serialize)]
struct SkippedRow<'a> {
    jar: Option<&'a str>,
    class: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct DamageRow<'a> {
    file: &'a str,
    offset: u64,
    reason: String,
}

#[derive(Serialize)]
struct CostRow {
    probe_cpu_ms: Option<f64>,
    registrations: Option<u64>,
    thread_cpu_ms: Option<f64>,
    forced_pause_ms: Option<f64>,
    measuring_cpu_ms: Option<f64>,
    measuring_wall_ms: Option<f64>,
    snapshots: Option<u64>,
    sweeps: Option<u64>,
    sweep_ms: Option<f64>,
    registry_bytes: Option<u64>,
    forced_collections: Option<u64>,
    recording_bytes: Option<u64>,
}

pub(crate) fn report(aggregate: &Aggregate) -> Report<'_> {
    let totals = &aggregate.totals;
    Report {
        format: FORMAT,
        jvm: common_facts(&aggregate.jvms),
        jvms: aggregate.jvms.iter().map(jvm_row).collect(),
        summary: Summary {
            jvms: aggregate.jvms.len(),
            snapshots: aggregate.jvms.iter().map(|jvm| jvm.snapshots).sum(),
            collected: totals.collected,
            exact: totals.exact,
            heap_used_bytes: totals.heap_used_bytes,
            heap_committed_bytes: totals.heap_committed_bytes,
            heap_max_bytes: totals.heap_max_bytes,
            heap_runtime_bytes: totals.heap_runtime_bytes,
            measured_bytes: totals.measured_bytes,
            measured_objects: totals.measured_objects,
            shared_once_bytes: totals.shared_once_bytes,
            not_reached_bytes: totals.not_reached_bytes,
            off_heap_bytes: totals.off_heap_bytes,
            closed_objects: totals.closed_objects,
            skipped_total: aggregate.skipped_total,
            jvms_without_rewritten_classes: aggregate.jvms.iter().filter(|jvm| jvm.loaded_nothing()).count() as u64,
            statements: findings::statements(aggregate),
        },
        classes: aggregate.classes.iter().map(class_row).collect(),
        components: aggregate.components.iter().map(component_row).collect(),
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
        call_trees: &aggregate.call_trees,
        skipped: aggregate
            .skipped
            .iter()
            .map(|row| SkippedRow { jar: row.jar.as_deref(), class: &row.class, reason: &row.reason })
            .collect(),
        notes: &aggregate.notes,
        damaged: aggregate
            .damaged
            .iter()
            .map(|row| DamageRow { file: &row.file, offset: row.damage.offset, reason: row.damage.to_string() })
            .collect(),
        cost: cost_row(&aggregate.cost),
    }
}

fn facts(run: &JvmRun) -> JvmFacts<'_> {
    let Jvm {
        pid,
        version,
        vendor,
        name,
        collector,
        max_heap_bytes,
        compressed_oops,
        compressed_class_pointers,
        compact_headers,
        object_alignment,
        header_bytes,
        reference_bytes,
        main,
    } = &run.header.jvm;
    JvmFacts {
        version: version.as_deref(),
        vendor: vendor.as_deref(),
        name: name.as_deref(),
        collector: collector.as_deref(),
        main: main.as_deref(),
        pid: *pid,
        max_heap_bytes: *max_heap_bytes,
        compressed_oops: *compressed_oops,
        compressed_class_pointers: *compressed_class_pointers,
        compact_headers: *compact_headers,
        object_alignment: *object_alignment,
        header_bytes: *header_bytes,
        reference_bytes: *reference_bytes,
        sizes: run.header.sizes.as_deref(),
        access: run.header.access.as_deref(),
    }
}

fn common_facts(jvms: &[JvmRun]) -> JvmFacts<'_> {
    let all: Vec<JvmFacts> = jvms.iter().map(facts).collect();
    JvmFacts {
        version: agreed(all.iter().map(|jvm| jvm.version)),
        vendor: agreed(all.iter().map(|jvm| jvm.vendor)),
        name: agreed(all.iter().map(|jvm| jvm.name)),
        collector: agreed(all.iter().map(|jvm| jvm.collector)),
        main: agreed(all.iter().map(|jvm| jvm.main)),
        pid: agreed(all.iter().map(|jvm| jvm.pid)),
        max_heap_bytes: agreed(all.iter().map(|jvm| jvm.max_heap_bytes)),
        compressed_oops: agreed(all.iter().map(|jvm| jvm.compressed_oops)),
        compressed_class_pointers: agreed(all.iter().map(|jvm| jvm.compressed_class_pointers)),
        compact_headers: agreed(all.iter().map(|jvm| jvm.compact_headers)),
        object_alignment: agreed(all.iter().map(|jvm| jvm.object_alignment)),
        header_bytes: agreed(all.iter().map(|jvm| jvm.header_bytes)),
        reference_bytes: agreed(all.iter().map(|jvm| jvm.reference_bytes)),
        sizes: agreed(all.iter().map(|jvm| jvm.sizes)),
        access: agreed(all.iter().map(|jvm| jvm.access)),
    }
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
        interval: run.stretched.map(|(interval, snapshots)| IntervalRow {
            asked_ms: interval.asked_ms,
            stretched_ms: interval.stretched_ms,
            cost_ms: interval.cost_ms,
            cpu_percent: interval.cpu_percent,
            snapshots,
        }),
    }
}

fn class_row(row: &ClassFigures) -> ClassRow<'_> {
    ClassRow {
        class: &row.class,
        component: row.component.as_deref(),
        allocated: row.allocated,
        allocated_bytes: row.allocated_bytes,
        since_collection: row.since_collection,
        since_collection_bytes: row.since_collection_bytes,
        last_cycle: row.last_cycle,
        last_cycle_bytes: row.last_cycle_bytes,
        live: row.live,
        live_error: row.live_error,
        exact: row.exact,
        counted: row.counted,
        sampled_for: &row.sampled_for,
        tracked: row.tracked,
        shallow_bytes: row.shallow_bytes,
        own_bytes: row.own_bytes,
        own_shared_bytes: row.own_shared_bytes,
        deep_bytes: row.deep_bytes,
        deep_objects: row.deep_objects,
        exclusive_bytes: row.exclusive_bytes,
        shared_bytes: row.shared_bytes,
        off_heap_bytes: row.off_heap_bytes,
        holders: row.holders.as_ref(),
        peak_live: row.peak_live,
        peak_exact: row.peak_exact,
        age: row.ages.as_ref(),
        track: row.track,
        definitions: row.definitions,
        jars: row.jars.iter().map(String::as_str).collect(),
        fields: row.fields.iter().map(String::as_str).collect(),
    }
}

fn component_row(row: &ComponentFigures) -> ComponentRow<'_> {
    ComponentRow {
        component: &row.component,
        live: row.live,
        live_error: row.live_error,
        exact: row.exact,
        shallow_bytes: row.shallow_bytes,
        own_bytes: row.own_bytes,
        own_shared_bytes: row.own_shared_bytes,
        deep_bytes: row.deep_bytes,
        exclusive_bytes: row.exclusive_bytes,
        shared_bytes: row.shared_bytes,
        shared_even_bytes: row.shared_even_bytes,
        off_heap_bytes: row.off_heap_bytes,
        peak_live: row.peak_live,
        peak_deep_bytes: row.peak_deep_bytes,
        peak_exact: row.peak_exact,
    }
}

fn cost_row(cost: &Cost) -> CostRow {
    let Cost {
        probe_cpu_ms,
        registrations,
        thread_cpu_ms,
        forced_pause_ms,
        measuring_cpu_ms,
        measuring_wall_ms,
        snapshots,
        sweeps,
        sweep_ms,
        registry_bytes,
        forced_collections,
        recording_bytes,
    } = *cost;
    CostRow {
        probe_cpu_ms,
        registrations,
        thread_cpu_ms,
        forced_pause_ms,
        measuring_cpu_ms,
        measuring_wall_ms,
        snapshots,
        sweeps,
        sweep_ms,
        registry_bytes,
        forced_collections,
        recording_bytes,
    }
}
