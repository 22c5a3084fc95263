//! The dominator tree from above: what a node dominates.

use crate::dominators::{Dominators, Preorder};

/// The nodes of a dominator tree in an order in which everything below a node follows it directly. Twelve bytes a node.
#[derive(Debug)]
pub struct Below {
    /// The index of each preorder number in `order`.
    index_of: Vec<u32>,
    /// The preorder number at each index.
    order: Vec<u32>,
    /// How many nodes each node of `order` and those below it are.
    sizes: Vec<u32>,
}

impl Below {
    /// Orders a tree. Three passes over its nodes.
    pub fn from_dominators(tree: &Dominators) -> Self {
        let n = tree.len();
        let above = |at: usize| tree.immediate(Preorder(at as u32)).as_usize();
        let mut size_of = vec![1_u32; n];
        for at in (1..n).rev() {
            size_of[above(at)] += size_of[at];
        }
        // A dominator has a smaller number, so its index is known first. `next` has the next free index below it.
        let mut index_of = vec![0_u32; n];
        let mut next = vec![1_u32; n];
        for at in 1..n {
            let above = above(at);
            index_of[at] = next[above];
            next[above] += size_of[at];
            next[at] = index_of[at] + 1;
        }
        let (mut order, mut sizes) = (next, vec![0_u32; n]);
        for at in 0..n {
            order[index_of[at] as usize] = at as u32;
            sizes[index_of[at] as usize] = size_of[at];
        }
        Below { index_of, order, sizes }
    }

    /// What a node dominates directly.
    pub fn children(&self, preorder: Preorder) -> impl Iterator<Item = Preorder> + '_ {
        let mut next = self.first(preorder);
        std::iter::from_fn(move || {
            let index = next?;
            next = self.sibling(preorder, index);
            Some(self.node_at(index))
        })
    }

    /// The index in the order of the first node that a node dominates directly.
    pub fn first(&self, preorder: Preorder) -> Option<usize> {
        let index = self.index_of[preorder.as_usize()] as usize;
        (self.sizes[index] > 1).then_some(index + 1)
    }

    /// The index in the order of the next node that a node dominates directly.
    pub fn sibling(&self, above: Preorder, index: usize) -> Option<usize> {
        let above = self.index_of[above.as_usize()] as usize;
        let next = index + self.sizes[index] as usize;
        (next < above + self.sizes[above] as usize).then_some(next)
    }

    /// The node at an index of the order.
    pub fn node_at(&self, index: usize) -> Preorder {
        Preorder(self.order[index])
    }

    /// What the nodes of a group retain, each for itself, those below others of the group left out: bytes that are
    /// certainly freed with the group. What only several of them hold together is not in it.
    pub fn retained_once(&self, retained: &[u64], group: impl Iterator<Item = Preorder>) -> u64 {
        let mut indices: Vec<u32> = group.map(|preorder| self.index_of[preorder.as_usize()]).collect();
        indices.sort_unstable();
        let (mut bytes, mut end) = (0_u64, 0);
        for index in indices {
            if index >= end {
                bytes = bytes.saturating_add(retained[self.order[index as usize] as usize]);
                end = index + self.sizes[index as usize];
            }
        }
        bytes
    }

    /// The same for each of several groups, given the group of each node.
    pub fn retained_by_group(
        &self,
        retained: &[u64],
        groups: usize,
        group: impl Fn(Preorder) -> Option<usize>,
    ) -> Vec<u64> {
        let (mut bytes, mut ends) = (vec![0_u64; groups], vec![0_u32; groups]);
        for (index, preorder) in self.order.iter().enumerate() {
            if let Some(group) = group(Preorder(*preorder))
                && index as u32 >= ends[group]
            {
                bytes[group] = bytes[group].saturating_add(retained[*preorder as usize]);
                ends[group] = index as u32 + self.sizes[index];
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Below;
    use crate::dominators::{Dominators, Preorder};
    use crate::graph::{Graph, NodeIndex};

    #[test]
    fn everything_below_a_node_follows_it_and_a_group_counts_nested_nodes_once() {
        // 0 above 1 and 2, 1 above 3, 3 above 4; 5 beside them.
        let graph = Graph::of_lists(&[vec![1, 2], vec![3], vec![], vec![4], vec![], vec![]], &[0, 5]);
        let tree = Dominators::from_graph(graph);
        let retained = tree.retained(|node| if node.as_usize() < 6 { 1 << node.as_usize() } else { 0 });
        let below = Below::from_dominators(&tree);
        let number = |node| tree.number_of(NodeIndex(node)).expect("reachable");
        let nodes = |above: Preorder| {
            let mut nodes: Vec<usize> = below.children(above).map(|child| tree.index(child).as_usize()).collect();
            nodes.sort_unstable();
            nodes
        };
        assert_eq!(nodes(Preorder::ROOT), [0, 5]);
        assert_eq!([nodes(number(0)), nodes(number(1)), nodes(number(4))], [vec![1, 2], vec![3], vec![]]);
        let of = |group: &[u32]| below.retained_once(&retained, group.iter().map(|node| number(*node)));
        assert_eq!(of(&[3, 1, 5]), 2 + 8 + 16 + 32, "3 is below 1");
        let groups = below.retained_by_group(&retained, 2, |preorder| match tree.index(preorder).as_usize() {
            1 | 3 | 5 => Some(0),
            0 | 4 => Some(1),
            _ => None,
        });
        assert_eq!(groups, [of(&[1, 3, 5]), of(&[0, 4])]);
    }
}
