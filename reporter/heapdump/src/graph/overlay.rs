//! A copy of a graph with nodes added and references moved or left out.

use std::sync::atomic::AtomicU32;

use super::pool::{NODE, Pool, Writer};
use super::{Graph, GraphNode, NodeIndex};

impl Graph {
    /// The number of the first node that [`Graph::overlay`] adds. The next ones follow, then the root.
    pub fn first_added(&self) -> NodeIndex {
        self.root()
    }

    /// A copy with a node for each list of `added`, numbered from [`Graph::first_added`], and a root that references
    /// `roots`. `redirect` gives the new target of each other reference from its source and target, or leaves it out.
    ///
    /// The references of the old root are left out. If `redirect` gives one target twice in a row, the list has it once.
    /// Takes the memory of the graph once more.
    ///
    /// # Panics
    /// If there are 2^30 nodes, or 2^31 references, or more.
    pub fn overlay(
        &self,
        added: &[Vec<NodeIndex>],
        roots: &[NodeIndex],
        mut redirect: impl FnMut(NodeIndex, NodeIndex) -> Option<NodeIndex>,
    ) -> Graph {
        let old = self.root().as_usize();
        let nodes = old + added.len() + 1;
        assert!(nodes < NODE as usize, "too many nodes");
        let next = AtomicU32::new(0);
        let mut writer = Writer::new(&next, u64::MAX);
        let mut starts = vec![0_u32; nodes];
        let mut list: Vec<u32> = Vec::new();
        for (source, start) in starts.iter_mut().enumerate() {
            list.clear();
            if source < old {
                let from = NodeIndex(source as u32);
                for target in self.references(from) {
                    if let Some(to) = redirect(from, target)
                        && list.last() != Some(&to.0)
                    {
                        list.push(to.0);
                    }
                }
            } else {
                let own = added.get(source - old).map_or(roots, Vec::as_slice);
                list.extend(own.iter().map(|node| node.0));
            }
            if !list.is_empty() {
                *start = writer.add(source as u32, &list).expect("few enough references");
            }
        }
        let mut above = self.above.clone();
        above.pop();
        above.extend((0..added.len()).map(GraphNode::Added));
        above.push(GraphNode::Root);
        let pool = Pool::from_chunks(writer.finish());
        Graph { starts, pool, objects: self.objects, above, threads: self.threads.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlay_that_changes_nothing_is_the_graph() {
        let graph = Graph::of_lists(&[vec![1, 2], vec![2], vec![]], &[0]);
        let roots: Vec<NodeIndex> = graph.references(graph.root()).collect();
        let copy = graph.overlay(&[], &roots, |_, to| Some(to));
        assert_eq!(copy.len(), graph.len());
        for node in 0..graph.len() as u32 {
            let list = |graph: &Graph| graph.references(NodeIndex(node)).collect::<Vec<_>>();
            assert_eq!(list(&copy), list(&graph));
        }
        assert_eq!(copy.node(copy.root()), GraphNode::Root);
    }

    #[test]
    fn added_nodes_come_before_the_root_and_references_are_redirected() {
        let graph = Graph::of_lists(&[vec![1, 2], vec![0], vec![]], &[0]);
        let added = graph.first_added();
        let overlay = graph.overlay(&[vec![NodeIndex(1)]], &[added, NodeIndex(0)], |_, to| match to.0 {
            1 => Some(added),
            2 => None,
            _ => Some(to),
        });
        assert_eq!(overlay.node(added), GraphNode::Added(0));
        let list = |node| overlay.references(node).map(|node| node.0).collect::<Vec<_>>();
        assert_eq!(list(NodeIndex(0)), [added.0]);
        assert_eq!(list(NodeIndex(1)), [0]);
        assert_eq!(list(added), [1]);
        assert_eq!(list(overlay.root()), [added.0, 0]);
    }
}
