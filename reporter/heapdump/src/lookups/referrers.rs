//! What refers to each object.

use crate::graph::{Graph, NodeIndex, NodeSet};
use crate::index::ObjectIndex;

/// The objects that refer to each object, one for each reference of the graph. Four bytes an object and four a reference.
#[derive(Debug)]
pub struct Referrers {
    /// Where the sources of each object begin, and their end.
    bounds: Vec<u32>,
    sources: Vec<u32>,
}

impl Referrers {
    /// Turns the references of a set of objects around. Two passes over all references.
    pub fn from_graph(graph: &Graph, among: &NodeSet) -> Self {
        let objects = graph.objects();
        let sources_of = || graph.nodes().take(objects).filter(|node| among.contains(*node));
        let mut bounds = vec![0_u32; objects + 1];
        for target in sources_of().flat_map(|source| graph.references(source)) {
            bounds[target.as_usize()] += 1;
        }
        let mut total = 0;
        for bound in &mut bounds {
            // Cannot overflow: there are fewer than 2^31 references.
            total += *bound;
            *bound = total;
        }
        let mut sources = vec![0; total as usize];
        for source in sources_of() {
            for target in graph.references(source) {
                let bound = &mut bounds[target.as_usize()];
                *bound -= 1;
                sources[*bound as usize] = source.0;
            }
        }
        Referrers { bounds, sources }
    }

    /// How many references lead to an object.
    pub fn count(&self, object: ObjectIndex) -> usize {
        (self.bounds[object.as_usize() + 1] - self.bounds[object.as_usize()]) as usize
    }

    /// The source of one of the references to an object, given its number below [`Referrers::count`].
    pub fn source(&self, object: ObjectIndex, number: usize) -> ObjectIndex {
        ObjectIndex(self.sources[self.bounds[object.as_usize()] as usize + number])
    }
}

impl Graph {
    /// The object of a node, if it is one.
    pub fn object(&self, node: NodeIndex) -> Option<ObjectIndex> {
        (node.as_usize() < self.objects()).then_some(ObjectIndex(node.0))
    }
}

#[cfg(test)]
mod tests {
    use super::Referrers;
    use crate::graph::Graph;
    use crate::index::ObjectIndex;

    #[test]
    fn every_reference_of_the_set_is_found_by_its_target() {
        let graph = Graph::of_lists(&[vec![1, 1, 2], vec![2], vec![0], vec![2]], &[0]);
        let referrers = Referrers::from_graph(&graph, &graph.reachable());
        let of = |object| {
            let object = ObjectIndex(object);
            let mut sources: Vec<u32> =
                (0..referrers.count(object)).map(|number| referrers.source(object, number).0).collect();
            sources.sort_unstable();
            sources
        };
        assert_eq!([of(0), of(1), of(2), of(3)], [vec![2], vec![0, 0], vec![0, 1], vec![]], "3 is not reachable");
    }
}
