//! Nodes that the program made through the runtime. A node is an object that has the name of a component and refers
//! weakly to what belongs to it. The runtime and this reader share the class and its fields.

use std::collections::HashSet;

use super::fields::{texts_of_field, values_of_field};
use crate::class::ClassIndex;
use crate::error::Error;
use crate::graph::NodeSet;
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// The name of the class, and its name before the runtime had packages: old dumps stay readable.
const NODES: [&str; 2] = ["io.weighbridge.runtime.record.ComponentNode", "io.weighbridge.runtime.ComponentNode"];
/// Most components that nodes make.
const MOST: usize = 4096;
/// The component of names for which there is no room, not even as parts of their parents.
const OTHER: &str = "other";

fn node_class(heap: &Heap) -> Option<ClassIndex> {
    NODES.into_iter().find_map(|name| heap.classes().find_by_name(name))
}

/// Whether the dump has nodes of the program, live or garbage.
pub fn has_nodes(heap: &Heap) -> bool {
    node_class(heap).is_some_and(|class| heap.instances(class).next().is_some())
}

/// The objects that have nodes, by address, each with the name of its component. Garbage nodes do not count.
pub(super) fn find_named_objects(heap: &Heap, among: &NodeSet) -> Result<Vec<(ObjectIndex, String)>, Error> {
    let Some(class) = node_class(heap) else { return Ok(Vec::new()) };
    let nodes: Vec<ObjectIndex> = heap.instances(class).filter(|object| among.has(*object)).collect();
    let names = texts_of_field(heap, &nodes, "name")?;
    let held = values_of_field(heap, &nodes, "referent")?;
    let named = held.into_iter().filter_map(|(node, held)| Some((held, names.get(&node)?.clone())));
    let mut named: Vec<(ObjectIndex, String)> = named.filter(|(held, _)| among.has(*held)).collect();
    named.retain(|(_, name)| !levels(name).is_empty());
    // The runtime makes one node an object. Of several, the first by name counts.
    named.sort_unstable();
    named.dedup_by_key(|(held, _)| *held);
    fit(&mut named);
    Ok(named)
}

/// Where the names of the components above a node's and its own end: at dots outside brackets, and before brackets.
pub(super) fn levels(name: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut depth = 0_usize;
    for (at, character) in name.char_indices() {
        if depth == 0 && matches!(character, '.' | '[') && !name[..at].is_empty() && !name[..at].ends_with('.') {
            ends.push(at);
        }
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if !name.is_empty() && !name.ends_with('.') {
        ends.push(name.len());
    }
    ends
}

/// Cuts the deepest names to their parents' until there are few enough.
fn fit(named: &mut [(ObjectIndex, String)]) {
    while named.iter().map(|(_, name)| name).collect::<HashSet<_>>().len() > MOST {
        let deepest = named.iter().map(|(_, name)| levels(name).len()).max().unwrap_or(0);
        for (_, name) in named.iter_mut() {
            let ends = levels(name);
            match ends.len() {
                1 if deepest == 1 => OTHER.clone_into(name),
                levels if levels == deepest => name.truncate(ends[levels - 2]),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, fit, levels};
    use crate::index::ObjectIndex;

    fn parts(name: &str) -> Vec<&str> {
        levels(name).into_iter().map(|end| &name[..end]).collect()
    }

    #[test]
    fn dots_and_brackets_make_parts_but_not_dots_in_brackets() {
        assert_eq!(parts("web"), ["web"]);
        assert_eq!(
            parts("web.session[10.0.0.1].page"),
            ["web", "web.session", "web.session[10.0.0.1]", "web.session[10.0.0.1].page"]
        );
        assert_eq!(parts("a..b"), ["a", "a..b"]);
        for (odd, most) in [("", 0), (".", 0), ("[", 1), ("]", 1), ("[[]", 1), ("a[", 2), ("a.", 1), ("ä.ö[ü", 3)] {
            assert_eq!(levels(odd).len(), most, "{odd}");
        }
    }

    #[test]
    fn more_names_than_there_is_room_for_are_cut_to_the_components_above_them() {
        let name = |at: usize| format!("web.session[{at}]");
        let mut named: Vec<_> = (0..=MOST).map(|at| (ObjectIndex(at as u32), name(at))).collect();
        let last = named.pop().expect("one more");
        fit(&mut named);
        assert_eq!(named[7].1, "web.session[7]", "there is room for these");
        named.push(last);
        fit(&mut named);
        assert!(named.iter().all(|(_, name)| name == "web.session"));
        let mut named: Vec<_> = (0..=MOST).map(|at| (ObjectIndex(at as u32), format!("n{at}"))).collect();
        fit(&mut named);
        assert!(named.iter().all(|(_, name)| name == "other"));
    }
}
