//! The order in which a walk looks at objects: each after those that lead to it, as far as circles let it.

use crate::graph::NodeIndex;

/// Stands on the stack above a node of which all targets have been seen.
const CLOSE: u32 = u32::MAX;

/// Objects in the reverse of the order in which a depth-first search leaves them (reverse postorder).
pub(super) struct Order {
    /// By position.
    pub(super) nodes: Vec<NodeIndex>,
    /// By object; of those that nothing leads to it says nothing.
    pub(super) positions: Vec<u32>,
}

impl Order {
    /// Of what some objects lead to. `targets` appends what an object refers to, objects only. 8 bytes an object, and 4 for
    /// each reference that waits.
    pub(super) fn new(
        objects: usize,
        starts: impl Iterator<Item = NodeIndex>,
        mut targets: impl FnMut(NodeIndex, &mut Vec<u32>),
    ) -> Order {
        let mut positions = vec![CLOSE; objects];
        let mut nodes = Vec::new();
        let mut stack = Vec::new();
        for start in starts {
            stack.push(start.0);
            while let Some(top) = stack.pop() {
                if top == CLOSE {
                    nodes.extend(stack.pop().map(NodeIndex));
                } else if positions[top as usize] == CLOSE {
                    // Seen; the position comes at the end.
                    positions[top as usize] = 0;
                    stack.extend([top, CLOSE]);
                    targets(NodeIndex(top), &mut stack);
                }
            }
        }
        nodes.reverse();
        for (position, node) in nodes.iter().enumerate() {
            positions[node.as_usize()] = position as u32;
        }
        Order { nodes, positions }
    }
}
