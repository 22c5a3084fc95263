//! How much memory the analysis of a dump will take (docs/heap-memory.md).

/// What is to be done with a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Counting without the graph.
    Census,
    /// The graph alone: histograms.
    Graph,
    /// Dominators and retained bytes, which use the graph up.
    Dominators,
    /// The same, shown in groups of classes, packages or loaders.
    Groups,
    /// The same, shown in groups of components, with the component of each object.
    ComponentGroups,
    /// Dominators of a copy of the graph: threads.
    DominatorsAndGraph,
    /// Dominators of a copy of the graph in which components hold their objects, and the component of each object.
    Components,
    /// Shortest paths through the graph.
    Paths,
    /// The graph, and what is wasted by each object.
    Waste,
    /// Any question: all of [`Work::DominatorsAndGraph`], and the tables that find objects by class, referent, dominator
    /// and record.
    Any,
    /// What is wasted, then dominators of a copy of the graph, and shortest paths through the graph.
    Suspects,
}

/// The most memory that may be used, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: u64,
    /// What is to be done.
    pub work: Work,
}

/// The figures that decide. They are known once the objects are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Objects, reachable or not.
    pub objects: u64,
    /// References, or an upper bound of their number.
    pub references: u64,
    /// Objects that have references, or an upper bound of their number.
    pub lists: u64,
    /// Arrays of primitive values.
    pub primitive_arrays: u64,
    /// Objects that [`Work::Waste`] lists beside these arrays.
    pub listed: u64,
    /// Bytes of the index of addresses.
    pub index_bytes: u64,
    /// Bytes of names, classes, and the buffers of threads.
    pub fixed_bytes: u64,
}

/// The program itself, and all that is not counted below.
const BASE: u64 = 17 << 19;
/// What follows the graph: sizes, threads, reports.
const REPORTS: u64 = 2 << 20;
/// Buffers and caches of a thread that reads.
const THREAD: u64 = 3 << 19;
/// A name, in a hash table that has just grown.
const NAME: u64 = 64;

/// Memory that does not grow with the objects.
pub(crate) fn fixed(threads: usize, names: usize) -> u64 {
    BASE + THREAD * threads as u64 + NAME * names as u64
}

impl Footprint {
    /// Bytes at the peak, if every object is reachable; docs/heap-memory.md has the stages.
    pub fn peak(&self, work: Work) -> u64 {
        let &Footprint { objects: n, references: e, lists, .. } = self;
        // While the index is made, its bitmaps are there too: 8 bytes for each 12 of it.
        let fixed = self.fixed_bytes + self.index_bytes + self.index_bytes / 3 * 2;
        // The shape of each object, and the index of its list.
        let base = fixed + REPORTS + 8 * n;
        let pool = 4 * (e + lists);
        let set = n / 8;
        let search = set + n / 4 + set;
        match work {
            Work::Census => self.fixed_bytes,
            Work::Graph => base + pool + search,
            Work::Dominators => base + tree(n, e, lists).max(retained(n)),
            Work::Groups => base + tree(n, e, lists).max(retained(n) + 4 * n),
            Work::ComponentGroups => base + 4 * n + tree(n, e, lists).max(retained(n) + 4 * n),
            Work::Any => {
                let tables = 4 * n + 4 * (n + e) + 8 * n;
                base + pool + search + tables + 4 * n + tree(n, e, lists).max(retained(n) + 20 * n)
            }
            // Its own starts; then the unit of each node.
            Work::DominatorsAndGraph => base + pool + 4 * n + tree(n, e, lists).max(retained(n) + 4 * n),
            Work::Components => {
                // If each object has a component, and no reference is left out.
                let copied = e + n;
                let copying = 4 * n + 4 * (copied + n);
                let held = 12 * n + set;
                let semantic = 4 * n + copying.max(tree(n, copied, n)).max(retained(n));
                // References between components, if all are.
                base + pool + set + 4 * n + semantic.max(held).max(8 * e)
            }
            // The last 4 n for the requested objects, if all are.
            Work::Paths => base + pool + 12 * n + 2 * set + 4 * n,
            // A 64th of the arrays is sorted by each thread.
            Work::Waste => base + pool + set + (search - set).max(17 * self.primitive_arrays + 8 * self.listed),
            Work::Suspects => {
                // The copy's starts; beside the tree the uppermost neighbours of each node, then the paths.
                let weighed = retained(n) + (4 * n + 2 * set).max(16 * n + 2 * set);
                self.peak(Work::Waste).max(base + pool + set + 4 * n + tree(n, e, lists).max(weighed))
            }
        }
    }
}

/// Bytes that the computation of dominators takes beside the base.
fn tree(n: u64, e: u64, lists: u64) -> u64 {
    let others = e.saturating_sub(n.saturating_sub(1));
    // The lists, parents, and the path of the search, which has only lists of two or more references; then bounds.
    let open = lists.min(e.saturating_sub(lists));
    let numbering = 4 * (e + lists) + 4 * n + (8 * open).max(4 * n);
    // Parents, bounds, the lists without tree edges, and their sources by target.
    let grouping = 8 * n + 4 * (others + others.min(lists)) + 4 * others;
    // Parents, bounds, ancestors and labels, and sources.
    let semi_nca = 16 * n + 4 * others;
    numbering.max(grouping).max(semi_nca)
}

/// Nodes, dominators, their bytes, and a bit for what is shown.
fn retained(n: u64) -> u64 {
    16 * n + n / 8
}

#[cfg(test)]
mod tests {
    use super::{Footprint, Work};

    #[test]
    fn more_work_never_takes_less() {
        for (references, lists) in [(0, 0), (10, 5), (1_000_000, 1000)] {
            let footprint = Footprint {
                objects: 1000,
                references,
                lists,
                primitive_arrays: 100,
                listed: 50,
                index_bytes: 4096,
                fixed_bytes: 1 << 20,
            };
            let rising = |works: &[Work]| {
                let peaks: Vec<u64> = works.iter().map(|work| footprint.peak(*work)).collect();
                assert!(peaks.is_sorted(), "{works:?}: {peaks:?}");
            };
            rising(&[Work::Census, Work::Graph, Work::Paths]);
            rising(&[Work::Census, Work::Graph, Work::Waste, Work::Suspects]);
            rising(&[Work::Paths, Work::Suspects]);
            rising(&[Work::Dominators, Work::Groups, Work::ComponentGroups, Work::DominatorsAndGraph]);
            rising(&[Work::ComponentGroups, Work::Components]);
            rising(&[Work::DominatorsAndGraph, Work::Any]);
        }
    }
}
