//! The upper part of the dominator tree: what would be freed together.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;
use weighbridge_heapdump::components::Assignment;
use weighbridge_heapdump::unfold::{self, Branch, Bytes, Extent};
use weighbridge_heapdump::{Class, ClassIndex, Dominators, Error, GraphNode, Heap, ObjectIndex, Preorder, ThreadPart};

use super::names::{address, class_of};
use super::soft::Soft;
use super::{FORMAT, Facts};
use crate::text::TextOptions;
use weighbridge_table::Sheet;
use weighbridge_table::page::{Area, Areas, Page, escaped, unfolds};
use weighbridge_table::section::{heading, opening};
use weighbridge_table::sheet::{SheetCell, SheetTable};
use weighbridge_table::text_table::{TextColumn, render};
use weighbridge_table::units::{ByteUnit, bytes, count, count_with_noun, percent};

/// The nodes of the shown tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DominatorGrouping {
    /// Objects, threads and frames.
    Object,
    /// Groups of a level by class.
    Class,
    /// Groups by the package of the class.
    Package,
    /// Groups by the loader of the class.
    Loader,
    /// Groups by component.
    Component,
}

/// What to compute.
#[derive(Debug, Clone, Copy)]
pub struct DominatorRequest<'a> {
    /// The nodes of the tree.
    pub by: DominatorGrouping,
    /// How much of it.
    pub extent: Extent,
    /// Whether to list the nodes at which memory accumulates.
    pub drops: bool,
    /// The components of objects, for [`By::Component`].
    pub components: Option<&'a Assignment>,
}

/// The columns of the table of accumulations, in text and page.
const DROPS: [&str; 5] = ["object", "address", "retained", "largest below", "below"];

/// An accumulation is listed if it is at least one of this many parts of the reachable bytes.
const LEAST_DROP: u64 = 100;

/// The figures of a dominator tree.
#[derive(Debug, Clone, Serialize)]
pub struct DominatorReport {
    format: u32,
    dump: Facts,
    /// `object`, `class`, `package`, `loader` or `component`.
    by: &'static str,
    reachable_objects: u64,
    reachable_bytes: u64,
    /// The part of these that single soft references hold alone; 0 if they are not followed.
    softly_held_bytes: u64,
    /// The nodes directly below the root, largest first.
    nodes: Vec<DominatorRow>,
    /// How many there are, shown or not.
    nodes_total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    drops: Option<Vec<DropRow>>,
}

#[derive(Debug, Clone, Serialize)]
struct DominatorRow {
    /// Address; null for threads, frames and groups.
    object: Option<String>,
    /// Class, or the name of a thread, frame or group.
    class: String,
    /// `object`, `thread`, `frame`, `threads`; or `group` for several nodes.
    kind: &'static str,
    /// How many nodes a group has.
    #[serde(rename = "places")]
    nodes: u64,
    shallow_bytes: u64,
    retained_bytes: u64,
    /// Whether only a soft reference holds it, or a node above it.
    held_softly: bool,
    children: Vec<DominatorRow>,
    children_total: u64,
}

#[derive(Debug, Clone, Serialize)]
struct DropRow {
    object: Option<String>,
    class: String,
    retained_bytes: u64,
    largest_child_bytes: u64,
    children: u64,
}

/// Names of nodes.
struct Names<'a> {
    heap: &'a Heap,
    tree: &'a Dominators,
    threads: Vec<String>,
    traces: HashMap<usize, Vec<String>>,
    soft: Soft,
}

impl DominatorReport {
    /// Computes them from the tree of a heap.
    ///
    /// # Errors
    /// Names of threads are read from the dump's file, which may be gone.
    pub fn from_tree(
        heap: &Heap,
        tree: &Dominators,
        facts: Facts,
        wanted: DominatorRequest<'_>,
    ) -> Result<Self, Error> {
        let retained = tree.retained(|node| heap.node_bytes(node));
        let shallow = |preorder| heap.node_bytes(tree.index(preorder));
        let bytes = Bytes { shallow: &shallow, retained: &retained };
        let names = Names::new(heap, tree, &facts)?;
        let root = match wanted.by {
            DominatorGrouping::Object => names.node_rows(unfold::by_node(tree, bytes, wanted.extent)),
            DominatorGrouping::Class => {
                let key = |preorder| names.class(preorder).ok_or_else(|| names.name(preorder));
                let group = unfold::by_key(tree, bytes, wanted.extent, Err(String::new()), key);
                groups(group, &|key: &Result<ClassIndex, String>| match key {
                    Ok(class) => heap.classes().get(*class).name.clone(),
                    Err(name) => name.clone(),
                })
            }
            DominatorGrouping::Component => {
                let key = |preorder| match tree.node(preorder) {
                    GraphNode::Object(object) => {
                        Ok(wanted.components.and_then(|components| components.component_of(object)))
                    }
                    _ => Err(names.name(preorder)),
                };
                let group = unfold::by_key(tree, bytes, wanted.extent, Err(String::new()), key);
                groups(group, &|key: &Result<Option<usize>, String>| match key {
                    Ok(Some(number)) => {
                        let component = wanted.components.and_then(|all| all.components().get(*number));
                        component.map_or(String::new(), |component| component.name.clone())
                    }
                    Ok(None) => "(framework)".to_owned(),
                    Err(name) => name.clone(),
                })
            }
            DominatorGrouping::Package | DominatorGrouping::Loader => {
                // The package or loader is looked up once for each class: there are fewer classes than nodes.
                let of_class = heap.classes().iter().map(|(class, described)| match wanted.by {
                    DominatorGrouping::Package => Class::package(&described.name).to_owned(),
                    _ => heap.loader_name(class),
                });
                let of_class: Vec<String> = of_class.collect();
                let mut numbers: HashMap<&str, usize> = HashMap::new();
                let keys: Vec<usize> = of_class
                    .iter()
                    .map(|name| {
                        let next = numbers.len();
                        *numbers.entry(name).or_insert(next)
                    })
                    .collect();
                let mut texts = vec![String::new(); numbers.len()];
                numbers.iter().for_each(|(name, number)| texts[*number] = (*name).to_owned());
                let key = |preorder| {
                    names.class_of(preorder).map(|class| keys[class.as_usize()]).ok_or_else(|| names.name(preorder))
                };
                let group = unfold::by_key(tree, bytes, wanted.extent, Err(String::new()), key);
                groups(group, &|key: &Result<usize, String>| match key {
                    Ok(number) => texts[*number].clone(),
                    Err(name) => name.clone(),
                })
            }
        };
        let drops = wanted.drops.then(|| {
            let found = unfold::drops(tree, &retained, retained[0] / LEAST_DROP);
            let row = |drop: unfold::Accumulation| DropRow {
                object: names.address(drop.preorder),
                class: names.name(drop.preorder),
                retained_bytes: drop.retained_bytes,
                largest_child_bytes: drop.largest_below_bytes,
                children: drop.below,
            };
            found.into_iter().map(row).collect()
        });
        let synthetic = tree.numbers().filter(|preorder| !matches!(tree.node(*preorder), GraphNode::Object(_))).count();
        Ok(DominatorReport {
            format: FORMAT,
            dump: facts,
            by: match wanted.by {
                DominatorGrouping::Object => "object",
                DominatorGrouping::Class => "class",
                DominatorGrouping::Package => "package",
                DominatorGrouping::Loader => "loader",
                DominatorGrouping::Component => "component",
            },
            softly_held_bytes: names.soft.bytes(tree, &retained),
            reachable_objects: (tree.len() - 1 - synthetic) as u64,
            reachable_bytes: retained[0],
            nodes: root.children,
            nodes_total: root.children_total,
            drops,
        })
    }

    /// Writes tables for people.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        opening("Dominator tree", self.dump.lines().into_iter().chain(self.statements()), options, output)?;
        writeln!(output)?;
        heading(&format!("What would be freed, by {}", self.by), options, output)?;
        let mut rows = Vec::new();
        flatten(&self.nodes, self.nodes_total, 0, &mut rows);
        let unit = ByteUnit::or_bytes(rows.iter().map(|(_, row)| row.map(|row| row.retained_bytes)));
        let columns = [
            TextColumn::name(self.by),
            TextColumn::name("address").spare(2),
            TextColumn::number(&format!("shallow\n{}", unit.name())).spare(1),
            TextColumn::number(&format!("retained\n{}", unit.name())),
            TextColumn::number("share"),
        ];
        let cells = rows.into_iter().map(|(name, row)| match row {
            Some(row) => vec![
                name,
                row.object.clone().unwrap_or_default(),
                unit.cell(row.shallow_bytes),
                unit.cell(row.retained_bytes),
                percent(row.retained_bytes, self.reachable_bytes).unwrap_or_default(),
            ],
            None => vec![name, String::new(), String::new(), String::new(), String::new()],
        });
        writeln!(output, "{}", render(&columns, cells.collect(), options))?;
        if let Some(drops) = &self.drops {
            writeln!(output)?;
            heading("Where memory accumulates", options, output)?;
            let unit = ByteUnit::or_bytes(drops.iter().map(|drop| Some(drop.retained_bytes)));
            let [object, address, retained, largest, below] = DROPS;
            let columns = [
                TextColumn::name(object),
                TextColumn::name(address).spare(1),
                TextColumn::number(&format!("{retained}\n{}", unit.name())),
                TextColumn::number(&format!("{largest}\n{}", unit.name())),
                TextColumn::number(below),
            ];
            let cells = drops.iter().map(|drop| {
                let address = drop.object.clone().unwrap_or_default();
                let (retained, largest) = (unit.cell(drop.retained_bytes), unit.cell(drop.largest_child_bytes));
                vec![drop.class.clone(), address, retained, largest, count(drop.children)]
            });
            writeln!(output, "{}", render(&columns, cells.collect(), options))?;
        }
        Ok(())
    }

    /// As tables: the tree, and where memory accumulates.
    pub fn sheet(&self) -> Sheet {
        let mut nodes = SheetTable {
            key: "nodes",
            title: format!("What would be freed, by {}", self.by),
            head: vec![self.by, "address", "nodes", "shallow", "retained", "share"],
            keys: vec!["class", "object", "places", "shallow_bytes", "retained_bytes", ""],
            ..SheetTable::default()
        };
        let mut open: Vec<(usize, &DominatorRow)> = self.nodes.iter().rev().map(|node| (0, node)).collect();
        while let Some((level, node)) = open.pop() {
            nodes.levels.push(level);
            nodes.rows.push(vec![
                SheetCell::text(node.class.as_str()),
                SheetCell::text(node.object.as_deref().unwrap_or_default()),
                SheetCell::Count(node.nodes),
                SheetCell::Bytes(node.shallow_bytes),
                SheetCell::Bytes(node.retained_bytes),
                SheetCell::Share(node.retained_bytes, self.reachable_bytes),
            ]);
            open.extend(node.children.iter().rev().map(|child| (level + 1, child)));
        }
        let drops = self.drops.as_ref().map(|drops| SheetTable {
            key: "drops",
            title: "Where memory accumulates".to_owned(),
            head: DROPS.to_vec(),
            keys: vec!["class", "object", "retained_bytes", "largest_child_bytes", "children"],
            rows: drops
                .iter()
                .map(|drop| {
                    vec![
                        SheetCell::text(drop.class.as_str()),
                        SheetCell::text(drop.object.as_deref().unwrap_or_default()),
                        SheetCell::Bytes(drop.retained_bytes),
                        SheetCell::Bytes(drop.largest_child_bytes),
                        SheetCell::Count(drop.children),
                    ]
                })
                .collect(),
            ..SheetTable::default()
        });
        Sheet {
            title: "Dominator tree",
            lines: self.dump.lines().into_iter().chain(self.statements()).collect(),
            tables: [nodes].into_iter().chain(drops).collect(),
        }
    }

    /// Writes one page that needs no other file and whose nodes unfold.
    pub fn html(&self, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new("Dominator tree");
        page.lines(self.dump.lines().into_iter().chain(self.statements()));
        page.heading(&format!("What would be freed, by {}", self.by));
        page.areas(Areas {
            by: self.by,
            groups: self.nodes.iter().map(area).collect(),
            rest: self.reachable_bytes - self.nodes.iter().map(|node| node.retained_bytes).sum::<u64>(),
        });
        let mut html = String::new();
        unfolding(&self.nodes, self.nodes_total, self.reachable_bytes, 0, &mut html);
        page.raw(&html);
        if let Some(drops) = &self.drops {
            let cells = drops.iter().map(|drop| {
                let figures = [drop.retained_bytes, drop.largest_child_bytes, drop.children].map(count);
                [vec![escaped(&drop.class), drop.object.clone().unwrap_or_default()], figures.to_vec()].concat()
            });
            let [object, address, retained, largest, below] = DROPS;
            let (retained, largest) = (format!("{retained}\nbytes"), format!("{largest}\nbytes"));
            let head = [object.to_owned(), address.to_owned(), retained, largest, below.to_owned()];
            page.table("Where memory accumulates", &head, cells.collect());
        }
        page.write(output)
    }

    fn statements(&self) -> Vec<String> {
        let objects = count_with_noun(self.reachable_objects, "object", "objects");
        let mut lines = vec![format!("{objects} reachable: {}", bytes(self.reachable_bytes))];
        if self.softly_held_bytes > 0 {
            let soft = bytes(self.softly_held_bytes);
            lines.push(format!("of these {soft} are held only softly: by one soft reference and nothing else"));
        }
        lines
    }
}

impl<'a> Names<'a> {
    fn new(heap: &'a Heap, tree: &'a Dominators, facts: &Facts) -> Result<Self, Error> {
        let threads = heap.thread_names(tree.threads())?;
        let trace = |serial| {
            let frames = heap.dump().trace(serial).into_iter();
            let name = |frame: weighbridge_heapdump::StackFrame| match frame.class.is_empty() {
                true => frame.method,
                false => format!("{}.{}", frame.class, frame.method),
            };
            frames.map(name).collect()
        };
        let traces = tree.threads().iter().enumerate().map(|(at, thread)| (at, trace(thread.trace))).collect();
        let soft = Soft::from_tree(heap, tree, facts)?;
        Ok(Names { heap, tree, threads, traces, soft })
    }

    fn object(&self, preorder: Preorder) -> Option<ObjectIndex> {
        match self.tree.node(preorder) {
            GraphNode::Object(object) => Some(object),
            _ => None,
        }
    }

    fn class(&self, preorder: Preorder) -> Option<ClassIndex> {
        self.object(preorder).map(|object| self.heap.class_of(object))
    }

    /// The class of an object. The class of a `Class` object is the one that it represents, whose static fields it has.
    fn class_of(&self, preorder: Preorder) -> Option<ClassIndex> {
        self.object(preorder).map(|object| self.heap.class_object(object).unwrap_or(self.heap.class_of(object)))
    }

    fn address(&self, preorder: Preorder) -> Option<String> {
        self.object(preorder).map(|object| address(self.heap, object))
    }

    fn name(&self, preorder: Preorder) -> String {
        match self.tree.node(preorder) {
            GraphNode::Object(object) => class_of(self.heap, object),
            GraphNode::Root => "(root)".to_owned(),
            GraphNode::AllThreads => "(all threads)".to_owned(),
            GraphNode::Thread(thread) => format!("thread \"{}\"", self.threads[thread]),
            GraphNode::Frame(thread, frame) => match self.tree.threads()[thread].frames[frame].part {
                ThreadPart::Frame(depth) => {
                    let method = self.traces[&thread].get(depth as usize).map_or("(unknown method)", String::as_str);
                    format!("frame {depth} {method}")
                }
                ThreadPart::Native => "native code".to_owned(),
                ThreadPart::Own => "thread object, task and thread locals".to_owned(),
            },
            GraphNode::Added(number) => format!("(added {number})"),
        }
    }

    fn node_rows(&self, branch: Branch<Preorder>) -> DominatorRow {
        let preorder = branch.what;
        DominatorRow {
            object: self.address(preorder),
            class: self.name(preorder),
            kind: match self.tree.node(preorder) {
                GraphNode::Object(_) => "object",
                GraphNode::Root | GraphNode::AllThreads => "threads",
                GraphNode::Added(_) => "group",
                GraphNode::Thread(_) => "thread",
                GraphNode::Frame(..) => "frame",
            },
            nodes: 1,
            shallow_bytes: branch.shallow_bytes,
            retained_bytes: branch.retained_bytes,
            held_softly: self.soft.holds(self.tree, preorder),
            children: branch.below.into_iter().map(|branch| self.node_rows(branch)).collect(),
            children_total: branch.below_total,
        }
    }
}

fn groups<K>(branch: Branch<K>, name: &impl Fn(&K) -> String) -> DominatorRow {
    DominatorRow {
        object: None,
        class: name(&branch.what),
        kind: "group",
        nodes: branch.nodes,
        shallow_bytes: branch.shallow_bytes,
        retained_bytes: branch.retained_bytes,
        held_softly: false,
        children: branch.below.into_iter().map(|branch| groups(branch, name)).collect(),
        children_total: branch.below_total,
    }
}

/// The rows of a text table, indented by level.
fn flatten<'a>(rows: &'a [DominatorRow], total: u64, level: usize, into: &mut Vec<(String, Option<&'a DominatorRow>)>) {
    let indent = "\u{a0}\u{a0}".repeat(level);
    for row in rows {
        let name = match row.nodes {
            1 => row.class.clone(),
            nodes => format!("{} ({})", row.class, count(nodes)),
        };
        let soft = if row.held_softly { " (held only softly)" } else { "" };
        into.push((format!("{indent}{name}{soft}"), Some(row)));
        if !row.children.is_empty() {
            flatten(&row.children, row.children_total, level + 1, into);
        }
    }
    let left = total - rows.len() as u64;
    if left > 0 {
        into.push((format!("{indent}... and {} more", count(left)), None));
    }
}

/// A node and those directly below it.
fn area(row: &DominatorRow) -> Area {
    let address = row.object.as_ref().map_or(String::new(), |object| format!(" {object}"));
    let below =
        row.children.iter().map(|row| Area { name: row.class.clone(), bytes: row.retained_bytes, children: vec![] });
    Area { name: row.class.clone() + &address, bytes: row.retained_bytes, children: below.collect() }
}

fn unfolding(rows: &[DominatorRow], total: u64, all: u64, level: usize, html: &mut String) {
    for row in rows {
        let nodes =
            if row.nodes == 1 { String::new() } else { format!(" <span class=q>({})</span>", count(row.nodes)) };
        let address = row.object.as_ref().map_or(String::new(), |object| format!(" <span class=q>{object}</span>"));
        let soft = if row.held_softly { " <span class=q>held only softly</span>" } else { "" };
        let figures = format!(
            "<span class=n>{}</span> {} <b>{}</b>{nodes}{soft}{address} <span class=q>shallow {}</span>",
            bytes(row.retained_bytes),
            percent(row.retained_bytes, all).unwrap_or_default(),
            escaped(&row.class),
            bytes(row.shallow_bytes)
        );
        if row.children.is_empty() {
            *html += &format!("<p>{figures}</p>\n");
        } else {
            *html += &format!("{}{figures}</summary>\n", unfolds(level, false));
            unfolding(&row.children, row.children_total, all, level + 1, html);
            *html += "</details>\n";
        }
    }
    let left = total - rows.len() as u64;
    if left > 0 {
        *html += &format!("<p class=q>... and {} more</p>\n", count(left));
    }
}
