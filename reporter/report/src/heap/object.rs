//! One object, the objects to which it refers, and those that refer to it.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use weighbridge_heapdump::{Dominators, Error, Graph, Heap, NodeIndex, ObjectIndex, Preorder};

use super::names::{Namer, address, class_of, object_of};
use super::soft::Soft;
use super::{FORMAT, Facts};
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable};
use weighbridge_table::units::{bytes, count_with_noun};

/// An object and its neighbours.
#[derive(Debug, Clone, Serialize)]
pub struct ObjectReport {
    format: u32,
    dump: Facts,
    object: String,
    class: String,
    loader: String,
    reachable: bool,
    shallow_bytes: u64,
    /// Absent for garbage.
    retained_bytes: Option<u64>,
    /// Whether only a soft reference holds it, or an object that dominates it.
    held_softly: bool,
    /// What alone holds it: an address, a thread, a frame or the virtual machine.
    dominator: Option<String>,
    length: Option<u32>,
    /// The text of a string.
    text: Option<String>,
    /// Primitive values of its fields.
    fields: Vec<PrimitiveField>,
    referents: Vec<Neighbour>,
    referrers: Vec<Neighbour>,
}

#[derive(Debug, Clone, Serialize)]
struct PrimitiveField {
    name: String,
    value: String,
}

#[derive(Debug, Clone, Serialize)]
struct Neighbour {
    /// By which field or element.
    link: Option<String>,
    object: Option<String>,
    class: String,
    /// The text of a string, or the value of a boxed number.
    value: Option<String>,
    shallow_bytes: u64,
    retained_bytes: Option<u64>,
    /// Whether the reference is followed, so that it keeps its target alive.
    followed: bool,
}

/// The bytes that objects retain.
struct Retained {
    tree: Dominators,
    bytes: Vec<u64>,
}

impl ObjectReport {
    /// The figures of an object. Uses up the graph for its dominators.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_graph(heap: &Heap, graph: Graph, facts: Facts, object: ObjectIndex) -> Result<Self, Error> {
        let referents = heap.referents(object)?;
        let followed: HashSet<NodeIndex> = graph.references(object.into()).collect();
        let referrers = graph.referrers(object.into());
        let names = Namer::new(heap, &graph)?;
        // Threads and frames have names; objects have indices, which are valid without the graph.
        let referrers: Vec<(Option<ObjectIndex>, String, NodeIndex)> =
            referrers.into_iter().map(|node| (object_of(&graph, node), names.node(node), node)).collect();
        let synthetic: HashMap<NodeIndex, String> =
            graph.synthetic().map(|(node, _)| (node, names.node(node))).collect();
        let pairs: Vec<(ObjectIndex, ObjectIndex)> =
            referrers.iter().filter_map(|(from, ..)| Some(((*from)?, object))).collect();
        let links = heap.links(&pairs)?;
        let tree = Dominators::from_graph(graph);
        let retained = Retained { bytes: tree.retained(|node| heap.node_bytes(node)), tree };
        let shown: Vec<ObjectIndex> = referents.iter().map(|(_, target)| *target).chain([object]).collect();
        let mut texts = heap.texts(&shown)?;
        for target in &shown {
            if let Some(value) = boxed(heap, *target)? {
                texts.insert(*target, value);
            }
        }
        let neighbour = |link: Option<String>, target: ObjectIndex, followed: bool| Neighbour {
            link,
            object: Some(address(heap, target)),
            class: class_of(heap, target),
            value: texts.get(&target).cloned(),
            shallow_bytes: heap.bytes(target),
            retained_bytes: retained.retained_bytes(target.into()),
            followed,
        };
        let mut from: Vec<Neighbour> = referrers
            .iter()
            .map(|(holder, name, node)| match holder {
                Some(holder) => neighbour(links.get(&(*holder, object)).map(ToString::to_string), *holder, true),
                None => Neighbour {
                    link: None,
                    object: None,
                    class: name.clone(),
                    value: None,
                    shallow_bytes: 0,
                    retained_bytes: retained.retained_bytes(*node),
                    followed: true,
                },
            })
            .collect();
        from.sort_by_key(|row| std::cmp::Reverse(row.retained_bytes));
        let preorder = retained.tree.number_of(object.into());
        let dominator = preorder.map(|preorder| {
            let above = retained.tree.index(retained.tree.immediate(preorder));
            let named = |object: ObjectIndex| format!("{} {}", class_of(heap, object), address(heap, object));
            synthetic.get(&above).cloned().unwrap_or_else(|| {
                match retained.tree.node(retained.tree.immediate(preorder)) {
                    weighbridge_heapdump::GraphNode::Object(object) => named(object),
                    _ => String::new(),
                }
            })
        });
        let held_softly = match preorder {
            Some(preorder) => Soft::from_tree(heap, &retained.tree, &facts)?.holds(&retained.tree, preorder),
            None => false,
        };
        let fields =
            heap.primitive_fields(object)?.into_iter().map(|(name, value)| PrimitiveField { name, value }).collect();
        Ok(ObjectReport {
            format: FORMAT,
            dump: facts,
            object: address(heap, object),
            class: class_of(heap, object),
            loader: heap.loader_name(heap.class_object(object).unwrap_or_else(|| heap.class_of(object))),
            reachable: dominator.is_some(),
            shallow_bytes: heap.bytes(object),
            retained_bytes: retained.retained_bytes(object.into()),
            held_softly,
            dominator,
            length: heap.array_length(object),
            text: texts.get(&object).cloned(),
            fields,
            referents: referents
                .iter()
                .map(|(link, target)| neighbour(Some(link.to_string()), *target, followed.contains(&(*target).into())))
                .collect(),
            referrers: from,
        })
    }

    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let mut lines = self.dump.lines();
        let length = self
            .length
            .map_or(String::new(), |length| format!(" of {}", count_with_noun(length.into(), "element", "elements")));
        lines.push(format!("{} {}{length}, loader {}", self.class, self.object, self.loader));
        lines.extend(self.text.iter().map(|text| format!("value: {text}")));
        lines.push(match self.retained_bytes {
            Some(retained) => {
                format!("{} of its own, {} with all that it alone holds", bytes(self.shallow_bytes), bytes(retained))
            }
            None => format!("{} of its own; no root reaches it", bytes(self.shallow_bytes)),
        });
        lines.extend(self.dominator.iter().map(|dominator| format!("held by {dominator} alone")));
        if self.held_softly {
            lines.push("held only softly: by one soft reference and nothing else".to_owned());
        }
        let fields = self.fields.iter().map(|field| vec![SheetCell::text(&field.name), SheetCell::text(&field.value)]);
        let neighbours = |key, title: &str, rows: &[Neighbour], none| SheetTable {
            key,
            keys: vec!["link", "class", "object", "value", "shallow_bytes", "retained_bytes", "followed"],
            title: format!("{title} ({})", rows.len()),
            head: vec!["by", "class", "object", "value", "bytes", "retained", "keeps alive"],
            rows: rows.iter().map(Neighbour::cells).collect(),
            may_be_cut: true,
            none,
            ..SheetTable::default()
        };
        let mut tables = vec![
            neighbours("referents", "Refers to", &self.referents, "nothing"),
            neighbours("referrers", "Referred to by", &self.referrers, "nothing that keeps it alive"),
        ];
        if !self.fields.is_empty() {
            let (head, rows) = (vec!["field", "value"], fields.collect());
            tables.insert(
                0,
                SheetTable { key: "fields", title: "Values".to_owned(), head, rows, ..SheetTable::default() },
            );
        }
        Sheet { title: "Object", lines, tables }
    }
}

impl Neighbour {
    fn cells(&self) -> Vec<SheetCell> {
        vec![
            SheetCell::text(self.link.clone().unwrap_or_default()),
            SheetCell::text(&self.class),
            SheetCell::text(self.object.clone().unwrap_or_default()),
            SheetCell::text(self.value.clone().unwrap_or_default()),
            SheetCell::Bytes(self.shallow_bytes),
            self.retained_bytes.map_or(SheetCell::Nothing, SheetCell::Bytes),
            SheetCell::text(if self.followed { "yes" } else { "no" }),
        ]
    }
}

impl Retained {
    fn retained_bytes(&self, node: NodeIndex) -> Option<u64> {
        self.tree.number_of(node).map(|preorder: Preorder| self.bytes[preorder.as_usize()])
    }
}

/// The value of a boxed number.
fn boxed(heap: &Heap, object: ObjectIndex) -> Result<Option<String>, Error> {
    let name = class_of(heap, object);
    let boxes = ["Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short"];
    if !name.strip_prefix("java.lang.").is_some_and(|name| boxes.contains(&name)) {
        return Ok(None);
    }
    Ok(heap.primitive_fields(object)?.into_iter().find(|(name, _)| name == "value").map(|(_, value)| value))
}
