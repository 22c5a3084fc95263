//! Where the live objects of a snapshot were constructed: a call tree with own and cumulative shares.

use std::collections::BTreeMap;

use serde::Serialize;
use weighbridge_recording::{ClassLine, Sites};

/// The call tree of one snapshot of one JVM, or the sum over the last snapshots of many JVMs.
#[derive(Debug, Clone, Serialize)]
pub struct CallTree {
    /// Index of the JVM in the report; `None` for a sum.
    pub jvm: Option<usize>,
    /// The number of its JVMs.
    pub jvms: usize,
    /// The snapshot's number; 0 for a sum.
    pub seq: u64,
    /// Why the snapshot was taken.
    pub reason: Option<String>,
    /// Objects whose site is not known.
    pub unknown_objects: Option<u64>,
    /// Callers before callees; callees of one caller by cumulative bytes, the largest first.
    pub nodes: Vec<CallNode>,
}

/// A method below its caller.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CallNode {
    /// Its number in the recording.
    pub id: u64,
    /// The caller's number; `None` for the outermost frame kept.
    pub parent: Option<u64>,
    /// Dotted class name and method.
    pub frame: String,
    /// Frames kept above it.
    pub depth: usize,
    /// Live objects constructed by the method itself.
    pub own_objects: u64,
    /// Their shallow bytes.
    pub own_bytes: u64,
    /// Live objects constructed by the method and by everything that it called.
    pub cumulative_objects: u64,
    /// Their shallow bytes.
    pub cumulative_bytes: u64,
    /// Own bytes as a part of all bytes whose site is known, 0 to 1.
    pub own_share: Option<f64>,
    /// Cumulative bytes as a part of the same.
    pub cumulative_share: Option<f64>,
    /// The classes of the objects that it constructed, the most bytes first.
    pub classes: Vec<ConstructedClass>,
    /// Whether the node is no method, but the callers of longer stacks that the option `sites` did not keep.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// The frame of the node above stacks whose outer frames were not kept.
const CUT: &str = "(callers cut off)";

/// Live objects of one class constructed by one node's method.
#[derive(Debug, Clone, Serialize)]
pub struct ConstructedClass {
    /// Dotted binary name.
    pub class: String,
    /// Objects: exact or estimated, like the live count of the class.
    pub objects: u64,
    /// Their shallow bytes.
    pub bytes: u64,
}

impl CallNode {
    /// The node above stacks whose outer frames were not kept.
    pub(crate) fn of_cut(id: u64) -> CallNode {
        CallNode { id, frame: CUT.to_owned(), cut: true, ..CallNode::default() }
    }
}

impl CallTree {
    pub(crate) fn from_sites(sites: &Sites, reason: Option<String>, classes: &BTreeMap<u64, ClassLine>) -> CallTree {
        let mut nodes: Vec<CallNode> = Vec::with_capacity(sites.nodes.len() + 1);
        let mut index_of: BTreeMap<u64, usize> = BTreeMap::new();
        let cut = sites.nodes.iter().map(|node| node.id).max().filter(|_| sites.nodes.iter().any(|node| node.cut));
        let cut = cut.map(|last| last.saturating_add(1));
        if let Some(id) = cut {
            index_of.insert(id, 0);
            nodes.push(CallNode::of_cut(id));
        }
        for node in &sites.nodes {
            // A caller that the recording lost makes its callee an outermost frame.
            let parent = node.parent.filter(|parent| index_of.contains_key(parent)).or(cut.filter(|_| node.cut));
            index_of.insert(node.id, nodes.len());
            let depth = parent.map_or(0, |parent| nodes[index_of[&parent]].depth + 1);
            nodes.push(CallNode { id: node.id, parent, frame: node.frame.clone(), depth, ..CallNode::default() });
        }
        for row in &sites.objects {
            let Some(&index) = index_of.get(&row.site) else { continue };
            let node = &mut nodes[index];
            node.own_objects = node.own_objects.saturating_add(row.objects);
            node.own_bytes = node.own_bytes.saturating_add(row.bytes);
            let class = classes.get(&row.class).map_or_else(|| format!("(class {})", row.class), |c| c.class.clone());
            node.classes.push(ConstructedClass { class, objects: row.objects, bytes: row.bytes });
        }
        let unknown_objects = sites.unknown_objects;
        let nodes = finished(nodes, &index_of);
        CallTree { jvm: None, jvms: 1, seq: sites.seq, reason, unknown_objects, nodes }
    }
}

/// Completes nodes that have only their own figures. Callers come first.
pub(crate) fn finished(mut nodes: Vec<CallNode>, index_of: &BTreeMap<u64, usize>) -> Vec<CallNode> {
    let total = nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(node.own_bytes));
    for index in (0..nodes.len()).rev() {
        let node = &mut nodes[index];
        node.cumulative_objects = node.cumulative_objects.saturating_add(node.own_objects);
        node.cumulative_bytes = node.cumulative_bytes.saturating_add(node.own_bytes);
        node.classes.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.class.cmp(&b.class)));
        let share = |part: u64| (total > 0).then(|| part as f64 / total as f64);
        node.own_share = share(node.own_bytes);
        node.cumulative_share = share(node.cumulative_bytes);
        let (objects, bytes) = (node.cumulative_objects, node.cumulative_bytes);
        if let Some(parent) = node.parent.map(|parent| index_of[&parent]) {
            let parent = &mut nodes[parent];
            parent.cumulative_objects = parent.cumulative_objects.saturating_add(objects);
            parent.cumulative_bytes = parent.cumulative_bytes.saturating_add(bytes);
        }
    }
    in_order(nodes)
}

/// Sorts depth first, the most cumulative bytes first. Not recursive, because a recording is foreign data.
fn in_order(nodes: Vec<CallNode>) -> Vec<CallNode> {
    let mut children: BTreeMap<Option<u64>, Vec<CallNode>> = BTreeMap::new();
    for node in nodes {
        children.entry(node.parent).or_default().push(node);
    }
    for siblings in children.values_mut() {
        // `pop` takes the last one first.
        siblings.sort_by(|a, b| a.cumulative_bytes.cmp(&b.cumulative_bytes).then_with(|| b.frame.cmp(&a.frame)));
    }
    let mut ordered = Vec::new();
    let mut waiting = children.remove(&None).unwrap_or_default();
    while let Some(node) = waiting.pop() {
        waiting.extend(children.remove(&Some(node.id)).unwrap_or_default());
        ordered.push(node);
    }
    ordered
}
