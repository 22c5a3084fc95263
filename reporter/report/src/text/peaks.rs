//! The peak of live bytes, and the call tree of the objects.

use std::collections::BTreeMap;

use crate::aggregate::Aggregate;
use crate::call_tree::{CallNode, CallTree};
use crate::peak::PeakFigures;
use weighbridge_table::section::{Section, TextOptions};
use weighbridge_table::units::{bytes, count, count_with_noun, elapsed, percent};

/// Nodes with a smaller share of the bytes are left out.
const LEAST_SHARE: f64 = 0.02;
/// Lines of a call tree without `--top`.
const MOST_LINES: usize = 25;

pub(super) fn section(aggregate: &Aggregate) -> Section {
    let several = aggregate.jvms.len() > 1;
    let mut lines = Vec::new();
    for peak in &aggregate.peaks {
        let name = if several { format!("JVM {}: ", peak.jvm + 1) } else { String::new() };
        lines.extend(sentences(peak).into_iter().map(|sentence| name.clone() + &sentence));
    }
    Section::lines("Peak of live bytes", lines)
}

pub(crate) fn sentences(peak: &PeakFigures) -> Vec<String> {
    let mut lines = Vec::new();
    let what = match peak.source.as_deref() {
        Some("walk") => "reached from registered objects",
        Some("histogram") => "of the whole heap (class histogram)",
        Some("usage") => "in use after a collection",
        _ => "",
    };
    let estimated = peak.volume.as_deref() == Some("threads");
    if let Some(greatest) = peak.peak_bytes {
        let when = peak.peak_uptime_ms.map_or_else(String::new, |ms| format!(" at {}", elapsed(ms)));
        let greatest = bytes(greatest);
        lines.push(match peak.collected() {
            true => format!("At least {greatest} {what}, counted{when}; {}", ceiling(peak)),
            false => format!("{greatest} {what}, garbage included, counted{when}; {}", ceiling(peak)),
        });
    }
    let mode = match (peak.mode.as_deref(), peak.tolerance_bytes, peak.interval_ms) {
        (Some(mode), _, Some(interval)) => format!(", mode {mode}, every {}", elapsed(interval)),
        (Some(mode @ "peak-only"), ..) => format!(", mode {mode}"),
        (Some(mode), Some(tolerance), _) => format!(", mode {mode}, tolerance {}", bytes(tolerance)),
        _ => String::new(),
    };
    let floor = peak.floor_bytes.filter(|floor| *floor > 0);
    let floor = floor.map_or_else(String::new, |floor| format!(", no peaks below {}", bytes(floor)));
    let allocated = peak.counts.last().and_then(|last| last.allocated_bytes);
    let over = allocated.map_or_else(String::new, |n| match estimated {
        true => format!(" over at least {} allocated", bytes(n)),
        false => format!(" over {} allocated", bytes(n)),
    });
    lines.push(format!("{}{over}{mode}{floor}.", count_with_noun(peak.counts.len() as u64, "count", "counts")));
    lines.extend(peak.dump.as_ref().map(|file| format!("Heap dump of the peak: {file}")));
    lines.extend(peak.dump_command.as_ref().map(|command| format!("What it holds: {command}")));
    lines
}

/// The upper bound of live bytes, if it is known.
fn ceiling(peak: &PeakFigures) -> String {
    let by = match peak.ceiling_by.as_deref() {
        Some("pools") => " (the greatest usage of the heap's pools)",
        _ => "",
    };
    let at = peak.ceiling_uptime_ms.map_or_else(String::new, |ms| format!(" at {}", elapsed(ms)));
    match peak.ceiling_bytes {
        Some(ceiling) => format!("never more than {}{by} up to the last count{at}.", bytes(ceiling)),
        None => "nothing says how much more it may have been between counts.".to_owned(),
    }
}

/// The call tree of the last snapshot that has one. Those of several JVMs are in the JSON report only.
pub(super) fn call_tree(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let (Some(tree), 1) = (aggregate.call_trees.last(), aggregate.jvms.len()) else {
        return Section::new("", String::new());
    };
    let most = options.top.unwrap_or(MOST_LINES);
    let all = tree.nodes.iter().map(|node| node.own_bytes).sum();
    let share = |part| percent(part, all).unwrap_or_default();
    let mut lines = vec![format!("{:>8} {:>8}  of the live objects' shallow bytes", "called", "itself")];
    let mut left = 0;
    // How many shown methods are above each node.
    let mut above: BTreeMap<u64, usize> = BTreeMap::new();
    for node in &tree.nodes {
        let indent = node.parent.and_then(|parent| above.get(&parent)).copied().unwrap_or(0);
        let shown = is_fork(tree, node) && node.cumulative_share.is_some_and(|share| share >= LEAST_SHARE);
        above.insert(node.id, indent + usize::from(shown));
        if !shown || lines.len() > most {
            left += u64::from(shown);
            continue;
        }
        let own = if node.own_bytes > 0 { share(node.own_bytes) } else { String::new() };
        let made: Vec<String> =
            node.classes.iter().take(3).map(|made| format!("{} {}", count(made.objects), made.class)).collect();
        let made = if made.is_empty() { String::new() } else { format!(": {}", made.join(", ")) };
        let indent = "  ".repeat(indent.min(20));
        lines.push(format!("{:>8} {own:>8}  {indent}{}{made}", share(node.cumulative_bytes), node.frame));
    }
    if left > 0 {
        lines.push(format!("... and {}", count_with_noun(left, "more method", "more methods")));
    }
    if let Some(unknown) = tree.unknown_objects.filter(|n| *n > 0) {
        lines.push(format!("{} of unknown site", count_with_noun(unknown, "object", "objects")));
    }
    Section::lines(format!("Where live objects were constructed, as of snapshot {}", tree.seq), lines)
}

/// Whether a node is shown: a method that constructs, or has bytes of several callees, or the callers that were cut off.
/// Other nodes say nothing new.
fn is_fork(tree: &CallTree, node: &CallNode) -> bool {
    let has_all = |child: &CallNode| child.parent == Some(node.id) && child.cumulative_bytes == node.cumulative_bytes;
    node.own_bytes > 0 || node.cut || !tree.nodes.iter().any(has_all)
}
