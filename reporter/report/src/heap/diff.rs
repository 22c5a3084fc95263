//! Compares two dumps: by class, by component, and by what the roots hold.
//!
//! Matches are by name, never by address: the dumps may be of two virtual machines. Names that a virtual machine makes up
//! are reduced to the part that is the same in the next one ([`normal`]).

use std::collections::BTreeMap;

use serde::Serialize;
use weighbridge_heapdump::components::{Definition, has_nodes};
use weighbridge_heapdump::{Dominators, Error, Graph, GraphNode, Heap, Histogram};

use super::{FORMAT, Facts, components};
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable, share};
use weighbridge_table::units::bytes;

/// Objects and bytes of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
struct Amount {
    instances: u64,
    bytes: u64,
}

type Amounts = BTreeMap<(String, String), Amount>;

/// The figures of one dump that are compared.
#[derive(Debug, Clone)]
pub struct Side {
    dump: Facts,
    all: Amount,
    classes: Amounts,
    components: Amounts,
    held: Amounts,
}

/// The differences of two dumps.
#[derive(Debug, Clone, Serialize)]
pub struct HeapDiffReport {
    format: u32,
    before: Facts,
    after: Facts,
    summary: HeapDiffSummary,
    /// Reachable objects by class and loader, with their shallow bytes.
    classes: Vec<HeapDiffRow>,
    /// Assigned objects by component, with the component's semantic bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<Vec<HeapDiffRow>>,
    /// Threads, and objects that no single object holds, by class, with the bytes that they retain.
    dominators: Vec<HeapDiffRow>,
}

#[derive(Debug, Clone, Serialize)]
struct HeapDiffSummary {
    instances_before: u64,
    instances_after: u64,
    bytes_before: u64,
    bytes_after: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct HeapDiffRow {
    name: String,
    /// Empty if names have no loader.
    loader: String,
    /// `appeared`, `grew`, `shrank`, `vanished`; or `moved`: the bytes are the same, the number of instances is not.
    change: &'static str,
    instances_before: u64,
    instances_after: u64,
    bytes_before: u64,
    bytes_after: u64,
}

impl Side {
    /// The figures of a dump. Uses up the graph for its dominators.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_graph(heap: &Heap, graph: Graph, facts: Facts, definitions: &[Definition]) -> Result<Self, Error> {
        let mut classes = Amounts::new();
        let histogram = Histogram::from_heap(heap, Some(&graph.reachable()));
        let loader = |class| normal_loader(&heap.loader_name(class));
        for row in &histogram.rows {
            let key = (normal(&heap.classes().get(row.class).name), loader(row.class));
            classes.entry(key).or_default().add(row.instances, row.bytes);
        }
        // Components are defined by rules or named by the program.
        let components = if definitions.is_empty() && !has_nodes(heap) {
            Amounts::new()
        } else {
            let figures = components::HeapComponentReport::from_graph(heap, &graph, facts.clone(), definitions, None)?;
            let rows = figures.components().iter().map(|row| {
                let amount = Amount { instances: row.instances, bytes: row.semantic_bytes };
                ((row.component.clone(), String::new()), amount)
            });
            rows.collect()
        };
        let threads = heap.thread_names(graph.threads())?;
        let tree = Dominators::from_graph(graph);
        let retained = tree.retained(|node| heap.node_bytes(node));
        let mut held = Amounts::new();
        for preorder in tree.numbers() {
            let above = tree.node(tree.immediate(preorder));
            let key = match (tree.node(preorder), above) {
                (GraphNode::Thread(thread), _) => {
                    (format!("thread \"{}\"", without_numbers(&threads[thread])), String::new())
                }
                (GraphNode::Object(object), GraphNode::Root | GraphNode::AllThreads) => match heap.class_object(object)
                {
                    Some(class) => (format!("class {}", normal(&heap.classes().get(class).name)), loader(class)),
                    None => {
                        let class = heap.class_of(object);
                        (normal(&heap.classes().get(class).name), loader(class))
                    }
                },
                _ => continue,
            };
            held.entry(key).or_default().add(1, retained[preorder.as_usize()]);
        }
        let all = Amount { instances: histogram.instances(), bytes: histogram.bytes() };
        Ok(Side { dump: facts, all, classes, components, held })
    }
}

impl Amount {
    fn add(&mut self, instances: u64, bytes: u64) {
        self.instances += instances;
        self.bytes += bytes;
    }
}

impl HeapDiffReport {
    /// Compares two dumps.
    pub fn from_sides(before: Side, after: Side) -> Self {
        HeapDiffReport {
            format: FORMAT,
            summary: HeapDiffSummary {
                instances_before: before.all.instances,
                instances_after: after.all.instances,
                bytes_before: before.all.bytes,
                bytes_after: after.all.bytes,
            },
            classes: rows(&before.classes, &after.classes),
            components: (!before.components.is_empty() || !after.components.is_empty())
                .then(|| rows(&before.components, &after.components)),
            dominators: rows(&before.held, &after.held),
            before: before.dump,
            after: after.dump,
        }
    }

    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let HeapDiffSummary { bytes_before, bytes_after, instances_before, instances_after } = self.summary;
        let side = |name: &str, dump: &Facts, objects: u64, all: u64| {
            format!(
                "{name} {}: {} reachable in {} objects",
                dump.file,
                bytes(all),
                weighbridge_table::units::count(objects)
            )
        };
        let grown = bytes_after.abs_diff(bytes_before);
        let way = if bytes_after >= bytes_before { "more" } else { "less" };
        let mut lines = vec![
            side("before", &self.before, instances_before, bytes_before),
            side("after", &self.after, instances_after, bytes_after),
            format!("{} {way}", share(grown, bytes_before)),
            "matched by name; names that the virtual machine makes up lose their numbers".to_owned(),
        ];
        if self.before.reference_bytes != self.after.reference_bytes
            || self.before.header_bytes != self.after.header_bytes
        {
            lines.push("the layouts of objects differ: equal objects have different sizes".to_owned());
        }
        let table = |title: &str, name, rows: &[HeapDiffRow], bytes| SheetTable {
            title: title.to_owned(),
            head: vec![name, bytes, "before", "objects", "loader", "change"],
            rows: rows.iter().map(HeapDiffRow::cells).collect(),
            may_be_cut: true,
            none: "no difference",
            ..SheetTable::default()
        };
        let mut tables = vec![table("By class", "class", &self.classes, "bytes")];
        if let Some(components) = &self.components {
            tables.push(table("By component", "component", components, "semantic bytes"));
        }
        tables.push(table("By what the roots hold", "class or thread", &self.dominators, "retained bytes"));
        Sheet { title: "Heap difference", lines, tables }
    }
}

impl HeapDiffRow {
    fn cells(&self) -> Vec<SheetCell> {
        let more = |before: u64, after: u64| after.cast_signed().saturating_sub(before.cast_signed());
        vec![
            SheetCell::text(&self.name),
            SheetCell::MoreBytes(more(self.bytes_before, self.bytes_after)),
            SheetCell::Bytes(self.bytes_before),
            SheetCell::MoreObjects(more(self.instances_before, self.instances_after)),
            SheetCell::text(&self.loader),
            SheetCell::text(self.change),
        ]
    }
}

/// The rows that differ, the greatest difference of bytes first.
fn rows(before: &Amounts, after: &Amounts) -> Vec<HeapDiffRow> {
    let keys: std::collections::BTreeSet<&(String, String)> = before.keys().chain(after.keys()).collect();
    let mut rows: Vec<HeapDiffRow> = Vec::new();
    for key in keys {
        let (old, new) = (before.get(key), after.get(key));
        if old == new {
            continue;
        }
        let change = match (old, new) {
            (None, _) => "appeared",
            (_, None) => "vanished",
            (Some(old), Some(new)) => match new.bytes.cmp(&old.bytes) {
                std::cmp::Ordering::Greater => "grew",
                std::cmp::Ordering::Less => "shrank",
                std::cmp::Ordering::Equal => "moved",
            },
        };
        let (old, new) = (old.copied().unwrap_or_default(), new.copied().unwrap_or_default());
        rows.push(HeapDiffRow {
            name: key.0.clone(),
            loader: key.1.clone(),
            change,
            instances_before: old.instances,
            instances_after: new.instances,
            bytes_before: old.bytes,
            bytes_after: new.bytes,
        });
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.bytes_after.abs_diff(row.bytes_before)));
    rows
}

/// A class's name without made-up parts: addresses of hidden classes (JEP 371), numbers of lambdas, proxies and accessors,
/// and hash codes after `$$`, which code generators append.
fn normal(name: &str) -> String {
    let element = name.trim_end_matches("[]");
    let dimensions = &name[element.len()..];
    let hidden = element.find("/0x").or_else(|| element.find("+0x")).unwrap_or(element.len());
    let mut normal = String::new();
    for (at, segment) in element[..hidden].split('.').enumerate() {
        if at > 0 {
            normal.push('.');
        }
        normal += &without_numbers_at_ends(segment);
    }
    normal + if hidden < element.len() { "/*" } else { "" } + dimensions
}

/// Names after which a number is made up. `proxy` is a package of proxies.
const NUMBERED: [&str; 6] = [
    "$Proxy",
    "proxy",
    "GeneratedMethodAccessor",
    "GeneratedConstructorAccessor",
    "GeneratedSerializationConstructorAccessor",
    "$$Lambda$",
];

fn without_numbers_at_ends(segment: &str) -> String {
    let base = segment.trim_end_matches(|c: char| c.is_ascii_digit());
    if base.len() < segment.len() && NUMBERED.iter().any(|known| base.ends_with(known)) {
        return format!("{base}*");
    }
    if let Some((base, code)) = segment.rsplit_once("$$")
        && code.len() >= 6
        && code.chars().all(|c| c.is_ascii_hexdigit())
        && code.contains(|c: char| c.is_ascii_digit())
    {
        return format!("{base}$$*");
    }
    segment.to_owned()
}

/// A loader's name without its address.
fn normal_loader(name: &str) -> String {
    match name.rsplit_once("@0x") {
        Some((class, _)) => normal(class),
        None if name.starts_with("0x") => "(unknown)".to_owned(),
        None => name.to_owned(),
    }
}

/// A thread's name with `*` for each number: pools number their threads.
fn without_numbers(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('*') => {}
            true => text.push('*'),
            false => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_virtual_machine_makes_up_lose_their_numbers_and_others_keep_them() {
        let names = [
            ("com.acme.F$$Lambda+0x00007f01", "com.acme.F$$Lambda/*"),
            ("com.acme.F$$Lambda/0x00007f01[]", "com.acme.F$$Lambda/*[]"),
            ("com.acme.F$$Lambda$14/0x0000000800066840", "com.acme.F$$Lambda$*/*"),
            ("jdk.proxy2.$Proxy12", "jdk.proxy*.$Proxy*"),
            ("com.sun.proxy.$Proxy3", "com.sun.proxy.$Proxy*"),
            ("jdk.internal.reflect.GeneratedMethodAccessor7", "jdk.internal.reflect.GeneratedMethodAccessor*"),
            ("com.acme.S$$EnhancerBySpringCGLIB$$1a2b3c4d", "com.acme.S$$EnhancerBySpringCGLIB$$*"),
            ("com.acme.S$$Enhancer", "com.acme.S$$Enhancer"),
            ("com.acme.Cache$1", "com.acme.Cache$1"),
            ("com.acme.V2", "com.acme.V2"),
            ("byte[][]", "byte[][]"),
        ];
        for (name, expected) in names {
            assert_eq!(normal(name), expected);
        }
        assert_eq!(normal_loader("com.acme.PluginLoader@0x7f00"), "com.acme.PluginLoader");
        assert_eq!(normal_loader("app"), "app");
        assert_eq!(without_numbers("pool-12-thread-3"), "pool-*-thread-*");
    }

    #[test]
    fn only_differences_are_reported_and_the_greatest_first() {
        let amounts = |rows: &[(&str, u64, u64)]| -> Amounts {
            let amount = |(name, instances, bytes): &(&str, u64, u64)| {
                ((name.to_string(), "app".to_owned()), Amount { instances: *instances, bytes: *bytes })
            };
            rows.iter().map(amount).collect()
        };
        let before =
            amounts(&[("same", 5, 50), ("grows", 1, 10), ("goes", 2, 500), ("shrinks", 9, 90), ("moves", 1, 8)]);
        let after =
            amounts(&[("same", 5, 50), ("grows", 3, 30), ("comes", 1, 1000), ("shrinks", 8, 80), ("moves", 2, 8)]);
        let rows = rows(&before, &after);
        let rows: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.change)).collect();
        assert_eq!(
            rows,
            [("comes", "appeared"), ("goes", "vanished"), ("grows", "grew"), ("shrinks", "shrank"), ("moves", "moved")]
        );
    }
}
