//! The JVM, its layout of objects, and how figures were read: sizes mean nothing without them.

use weighbridge_outside::printable;

use crate::aggregate::Aggregate;
use crate::jvm_run::{Ending, JvmRun};
use crate::sum::agreed;
use weighbridge_table::section::Section;
use weighbridge_table::units::{bytes, count, count_with_noun, elapsed};

/// Width of the labels.
const LABEL: usize = 11;

pub(super) fn section(aggregate: &Aggregate) -> Section {
    let title = match aggregate.jvms.as_slice() {
        [one] => format!("Weighbridge report of {}", printable(&one.file)),
        jvms => format!("Weighbridge report of {}", count_with_noun(jvms.len() as u64, "JVM", "JVMs")),
    };
    let jvms = &aggregate.jvms;
    let facts = [
        ("JVM", common(jvms, jvm)),
        ("Program", common(jvms, program)),
        ("Collector", common(jvms, collector)),
        ("Heap", heap(aggregate)),
        ("Layout", common(jvms, layout)),
        ("Sizes", common(jvms, sizes)),
        ("Run", if jvms.len() == 1 { run(&jvms[0]) } else { String::new() }),
        ("Figures", as_of(aggregate)),
    ];
    let lines = facts.into_iter().filter(|(_, text)| !text.is_empty());
    let lines: Vec<String> = lines.map(|(label, text)| format!("  {label:LABEL$}{}", printable(&text))).collect();
    Section { hang: Some(LABEL), ..Section::new(title, lines.join("\n")) }
}

/// A fact of all JVMs, or the text that it differs.
fn common(jvms: &[JvmRun], fact: fn(&JvmRun) -> String) -> String {
    let facts = jvms.iter().map(|jvm| Some(fact(jvm)));
    agreed(facts).unwrap_or_else(|| "differs among the JVMs".to_owned())
}

fn jvm(run: &JvmRun) -> String {
    let jvm = &run.header.jvm;
    let words = [jvm.name.as_deref(), jvm.version.as_deref()];
    let mut text = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
    if let Some(vendor) = &jvm.vendor {
        text += &format!(" ({vendor})");
    }
    text
}

fn program(run: &JvmRun) -> String {
    let mut parts = Vec::new();
    parts.extend(run.header.jvm.main.clone());
    parts.extend(run.header.session.as_ref().map(|session| format!("session {session}")));
    parts.join(", ")
}

fn collector(run: &JvmRun) -> String {
    run.header.jvm.collector.clone().unwrap_or_else(|| "not known to the runtime".to_owned())
}

fn heap(aggregate: &Aggregate) -> String {
    let totals = &aggregate.totals;
    let parts = [
        totals.heap_used_bytes.map(|n| format!("{} used", bytes(n))),
        totals.heap_committed_bytes.map(|n| format!("{} committed", bytes(n))),
        totals.heap_max_bytes.map(|n| format!("{} at most", bytes(n))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn layout(run: &JvmRun) -> String {
    let jvm = &run.header.jvm;
    let yes_no = |fact: Option<bool>, yes: &str, no: &str| fact.map(|fact| if fact { yes } else { no }.to_owned());
    let mut parts = Vec::new();
    let references = yes_no(jvm.compressed_oops, "compressed references", "uncompressed references");
    parts.extend(references.map(|text| match jvm.reference_bytes {
        Some(n) => format!("{text} ({n} bytes)"),
        None => text,
    }));
    parts.extend(yes_no(jvm.compressed_class_pointers, "compressed class pointers", "uncompressed class pointers"));
    let compact = jvm.compact_headers == Some(true);
    parts.extend(jvm.header_bytes.map(|n| format!("{}headers of {n} bytes", if compact { "compact " } else { "" })));
    parts.extend(jvm.object_alignment.map(|n| format!("alignment {n} bytes")));
    parts.join(", ")
}

fn sizes(run: &JvmRun) -> String {
    let sizes = match run.header.sizes.as_deref() {
        Some("instrumentation") => "exact, asked of the JVM (Instrumentation)".to_owned(),
        Some("formula") => "estimated by the layout formula: VM-padded and @Contended classes are missed".to_owned(),
        Some(other) => other.to_owned(),
        None => return String::new(),
    };
    let access = match run.header.access.as_deref() {
        Some("instrumentation") => "; fields of JDK classes opened by the agent".to_owned(),
        Some("opened") => "; fields of JDK classes opened by the manifest or by --add-opens".to_owned(),
        Some("unsafe") => "; fields of JDK classes read by Unsafe".to_owned(),
        Some("none") => "; fields of JDK classes cannot be read: their objects are counted, not entered".to_owned(),
        Some(other) => format!("; fields of JDK classes read by {other}"),
        None => String::new(),
    };
    sizes + &access
}

fn run(run: &JvmRun) -> String {
    let mut parts = Vec::new();
    parts.extend(run.header.jvm.pid.map(|pid| format!("pid {pid}")));
    parts.extend(run.uptime_ms().map(elapsed));
    parts.push(match &run.ending {
        Ending::Footer { reason: Some(reason), .. } => format!("ended in order ({reason})"),
        Ending::Footer { reason: None, .. } => "ended in order".to_owned(),
        Ending::Open => "no end recorded".to_owned(),
    });
    parts.push(count_with_noun(run.snapshots, "snapshot", "snapshots"));
    parts.join(", ")
}

fn as_of(aggregate: &Aggregate) -> String {
    let state = match (aggregate.totals.collected, aggregate.totals.marked) {
        (Some(true), _) => "right after a forced full collection".to_owned(),
        (_, Some(true)) => match aggregate.jvms.as_slice() {
            [one] => {
                one.live_at_ms().map_or_else(String::new, |ms| format!("live at the full marking at {}", elapsed(ms)))
            }
            _ => "live at the last full marking of each".to_owned(),
        },
        (_, Some(false)) => "without a full marking of the heap: at most so much lives".to_owned(),
        (_, None) => return String::new(),
    };
    match aggregate.jvms.as_slice() {
        [one] => {
            let Some(last) = &one.last else { return String::new() };
            let when = last.uptime_ms.map_or_else(String::new, |ms| format!(" at {}", elapsed(ms)));
            let collections = last.collections.as_ref().map_or_else(String::new, |collections| {
                let kinds = [(collections.young, "young"), (collections.full, "full")];
                let kinds = kinds.into_iter().filter_map(|(n, kind)| Some(format!("{} {kind}", count(n?))));
                let kinds: Vec<String> = kinds.collect();
                if kinds.is_empty() { String::new() } else { format!("; collections so far: {}", kinds.join(", ")) }
            });
            let from = last.dump.as_ref().map_or_else(String::new, |dump| {
                let stopped = dump.stopped_ns.map_or_else(String::new, |ns| {
                    format!(", which stopped the program for {} ms", count(ns.div_ceil(1_000_000)))
                });
                format!("; from a heap dump{stopped}")
            });
            format!("as of snapshot {}{when}, {state}{from}{collections}", last.seq)
        }
        _ => format!("as of each JVM's last snapshot, {state}"),
    }
}
