//! What stands out in a heap, in sentences: who holds how much, how that was computed, and what to ask next.

mod commands;
mod duplicates;
mod found;
mod holder;
mod suspect;
mod wasted;

use serde::Serialize;
use weighbridge_heapdump::suspects::{LOADERS, Thresholds, Weighed};
use weighbridge_heapdump::waste::Waste;
use weighbridge_heapdump::{Dominators, Error, Graph, Heap};

use self::found::Finder;
use self::suspect::Suspect;
use super::{FORMAT, Facts};
use weighbridge_table::sheet::{Sheet, share};
use weighbridge_table::units::{bytes, count_with_noun};

/// The suspects of a dump.
#[derive(Debug, Clone, Serialize)]
pub struct SuspectReport {
    format: u32,
    dump: Facts,
    reachable_bytes: u64,
    thresholds: SuspectLimits,
    /// Those with the most bytes first.
    suspects: Vec<Suspect>,
    looked_at: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
struct SuspectLimits {
    share_percent: u64,
    waste_percent: u64,
    least_bytes: u64,
    /// What follows from these for this heap.
    retained_bytes: u64,
    wasted_bytes: u64,
}

/// Groups of equal contents that are looked at for arrays of zeros.
const COPIES: usize = 1000;

impl SuspectReport {
    /// Searches a heap. Uses the graph twice: its dominators are those of a copy.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_graph(
        heap: &Heap,
        graph: &Graph,
        facts: Facts,
        threads: usize,
        thresholds: Thresholds,
    ) -> Result<Self, Error> {
        let reachable = graph.reachable();
        let waste = Waste::from_heap(heap, graph, &reachable, threads, COPIES)?;
        let tree = Dominators::from_graph(graph.clone());
        let retained = tree.retained(|node| heap.node_bytes(node));
        let weighed = Weighed { heap, tree: &tree, retained: &retained };
        let all = weighed.reachable_bytes();
        let finder = Finder::new(weighed, graph, &facts, thresholds)?;
        let suspects = finder.all(&waste, &reachable)?;
        let limits = SuspectLimits {
            share_percent: thresholds.share_percent,
            waste_percent: thresholds.waste_percent,
            least_bytes: thresholds.least_bytes,
            retained_bytes: thresholds.retained(all),
            wasted_bytes: thresholds.wasted(all),
        };
        let looked_at = looked_at(&limits, &waste, all);
        Ok(SuspectReport { format: FORMAT, dump: facts, reachable_bytes: all, thresholds: limits, suspects, looked_at })
    }

    /// As sentences and tables.
    pub fn sheet(&self) -> Sheet {
        let mut lines = self.dump.lines();
        lines.push(format!("{} reachable", bytes(self.reachable_bytes)));
        lines.push(match self.suspects.len() as u64 {
            0 => "nothing stands out".to_owned(),
            n => count_with_noun(
                n,
                "suspect; what is large need not grow: heap diff compares two dumps",
                "suspects; what is large need not grow: heap diff compares two dumps",
            ),
        });
        if self.dump.process.is_some() && self.dump.file.starts_with("process ") {
            lines.push("addresses are of this dump, which is gone; --keep FILE keeps it for heap object".to_owned());
        }
        let looked = weighbridge_table::sheet::SheetTable {
            title: "What was looked at".to_owned(),
            lines: self.looked_at.clone(),
            none: "",
            ..weighbridge_table::sheet::SheetTable::default()
        };
        let suspects = self.suspects.iter().enumerate().map(|(at, suspect)| suspect.table(at + 1));
        Sheet { title: "Suspects in the heap", lines, tables: suspects.chain([looked]).collect() }
    }
}

/// What was looked at, and from where on it is a suspect.
fn looked_at(limits: &SuspectLimits, waste: &Waste, all: u64) -> Vec<String> {
    let retained = format!("from {} on", bytes(limits.retained_bytes));
    let wasted = format!("from {} on", bytes(limits.wasted_bytes));
    let redacted = duplicates::is_redacted(waste);
    let unused: u64 = waste.collections.iter().map(|row| row.empty_bytes + row.sparse_bytes).sum();
    let mut lines = vec![
        format!(
            "limits: {} % of the reachable bytes for what holds, {} % for what wastes, and at least {}",
            limits.share_percent,
            limits.waste_percent,
            bytes(limits.least_bytes)
        ),
        format!("single objects, threads and frames in which memory accumulates, {retained}"),
        format!("objects of one class that nothing holds together, {retained}"),
        format!("values of one thread local in all threads, {retained}"),
        format!(
            "equal strings ({}) and equal arrays ({}, of which those of zeros are no suspect), {wasted}",
            share(waste.strings.saved_bytes, all),
            share(waste.arrays.saved_bytes, all)
        ),
        format!("empty and sparse collections ({}), {wasted}", share(unused, all)),
        format!("{LOADERS} or more class loaders with the same classes, or one that was stopped, {wasted}"),
        format!("objects that wait for their finalizer, {wasted}; what soft references alone hold, {retained}"),
    ];
    if redacted {
        let gone = "the dump is redacted: equal contents and unused slots were not looked at";
        lines.retain(|line| !line.starts_with("equal strings") && !line.starts_with("empty and sparse"));
        lines.push(gone.to_owned());
    }
    lines
}
