//! The call trees as folded stacks, which every flame-graph tool reads.
//!
//! A line is `outermost;...;method;class BYTES`: the shallow bytes of the class's live objects that the method
//! constructed, added over JVMs. <https://github.com/brendangregg/FlameGraph#2-fold-stacks>

use std::collections::BTreeMap;
use std::io::{self, Write};

use weighbridge_outside::printable;

use crate::aggregate::Aggregate;

/// Writes a line for each stack, in alphabetical order. Without call trees (option `sites`) there is none.
pub fn write(aggregate: &Aggregate, output: &mut impl Write) -> io::Result<()> {
    let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
    for tree in aggregate.last_call_trees() {
        // The stack of the current node: nodes are in depth-first order.
        let mut path: Vec<String> = Vec::new();
        for node in &tree.nodes {
            path.truncate(node.depth);
            path.push(frame(&node.frame));
            for class in &node.classes {
                let stack = format!("{};{}", path.join(";"), frame(&class.class));
                let bytes = stacks.entry(stack).or_default();
                *bytes = bytes.saturating_add(class.bytes);
            }
        }
    }
    stacks.iter().try_for_each(|(stack, bytes)| writeln!(output, "{stack} {bytes}"))
}

/// A frame without the characters that separate frames and counts.
fn frame(name: &str) -> String {
    printable(name).replace(';', ",").replace(char::is_whitespace, "_")
}
