//! How much memory a dump takes to look into, known before it is taken (docs/heap-memory.md).

/// What is to be done with a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Counting without the graph.
    Census,
    /// The graph alone: histograms.
    Graph,
    /// Dominators and retained bytes, which use the graph up.
    Dominators,
    /// Dominators of a copy of the graph: threads.
    DominatorsAndGraph,
    /// The same, and who each object belongs to.
    Components,
    /// Shortest paths through the graph.
    Paths,
    /// The graph, and what is wasted by each object.
    Waste,
}

/// The most memory that may be used, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: u64,
    /// What is to be done.
    pub work: Work,
}

/// What decides: known once the objects are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Objects, reachable or not.
    pub objects: u64,
    /// References, or what their number cannot exceed.
    pub references: u64,
    /// Of the objects the arrays of primitive values.
    pub primitive_arrays: u64,
    /// Bytes of the index of addresses.
    pub index_bytes: u64,
}

/// Buffers of the readers, names, classes, threads.
pub(crate) const BASE: u64 = 32 << 20;

impl Footprint {
    /// Bytes at the peak, if every object is reachable and no reference of a record is `null`; docs/heap-memory.md has
    /// the stages.
    pub fn peak(&self, work: Work) -> u64 {
        let (n, e) = (self.objects, self.references);
        // A bit an object for what is reachable, and one for what else is picked.
        let sets = n / 4;
        let numbered = BASE + self.index_bytes + 8 * n;
        let graph = 4 * n + 4 * e;
        let others = e.saturating_sub(n);
        let search = graph + 4 * n;
        let sources = 8 * n + 4 * others + 4 * others.min(n) + 4 * others;
        let tree = search.max(sources).max(16 * n + sets);
        match work {
            Work::Census => BASE,
            Work::Graph => numbered + graph + sets,
            Work::Dominators => numbered + tree,
            Work::DominatorsAndGraph => numbered + tree + 4 * n + graph,
            Work::Components => numbered + tree + 4 * n + graph + 4 * n + sets,
            Work::Paths => numbered + graph + 12 * n,
            Work::Waste => numbered + graph + sets + 24 * self.primitive_arrays + 8 * (n - self.primitive_arrays),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Footprint, Work};

    #[test]
    fn more_work_never_takes_less() {
        for references in [0, 10, 1_000_000] {
            let footprint = Footprint { objects: 1000, references, primitive_arrays: 100, index_bytes: 4096 };
            let works = [Work::Census, Work::Graph, Work::Dominators, Work::DominatorsAndGraph, Work::Components];
            let peaks = works.map(|work| footprint.peak(work));
            assert!(peaks.is_sorted(), "{peaks:?}");
        }
    }
}
