//! Why objects are alive: the shortest paths to them, merged by class.

use serde::Serialize;
use weighbridge_heapdump::paths::{Branch, MergedStep, ShortestPaths};
use weighbridge_heapdump::{Error, Graph, Heap, ObjectIndex};

use super::names::{Namer, address, object_of};
use super::soft::OnlySoftly;
use super::{FORMAT, Facts};
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable};
use weighbridge_table::units::{bytes, count, count_with_noun};

/// The paths to some objects.
#[derive(Debug, Clone, Serialize)]
pub struct PathReport {
    format: u32,
    dump: Facts,
    /// The name of the requested objects.
    target: String,
    objects: u64,
    shallow_bytes: u64,
    reachable_objects: u64,
    /// Requested objects that only soft references hold, whether these are followed or not.
    softly_held_objects: u64,
    /// The addresses of some of them.
    softly_held: Vec<String>,
    ways: u64,
    ways_shown: u64,
    objects_not_shown: u64,
    /// Each before those below it.
    paths: Vec<PathStep>,
}

/// A step of the merged paths.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PathStep {
    pub(super) depth: u32,
    /// `root`, `thread`, `frame`, `class` or `object`.
    pub(super) kind: &'static str,
    /// Reason, thread, frame or class.
    pub(super) name: String,
    /// The reference by which the object above holds the example; `None` if no object holds it.
    pub(super) via: Option<String>,
    /// Requested objects whose paths end here or pass here, and those that are here.
    pub(super) objects: u64,
    ends: u64,
    /// Objects of the class that are here.
    passed: u64,
    /// The address of one of these.
    example: Option<String>,
    /// Whether only soft references hold it.
    held_softly: bool,
}

/// Addresses of softly held objects that are listed.
const SOFTLY_HELD: usize = 10;

impl PathReport {
    /// Finds the paths to some objects, which have the name `target`, and keeps the `most` commonest.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_graph(
        heap: &Heap,
        graph: &Graph,
        facts: Facts,
        target: &str,
        objects: &[ObjectIndex],
        most: usize,
    ) -> Result<Self, Error> {
        let merged = ShortestPaths::from_graph(graph).merged(heap, graph, objects, most);
        let names = Namer::new(heap, graph)?;
        let only_softly = OnlySoftly::from_graph(heap, graph, &facts)?;
        let softly_held: Vec<ObjectIndex> = objects.iter().copied().filter(|object| only_softly.has(*object)).collect();
        Ok(PathReport {
            format: FORMAT,
            dump: facts,
            target: target.to_owned(),
            objects: merged.asked,
            shallow_bytes: objects.iter().map(|object| heap.bytes(*object)).sum(),
            reachable_objects: merged.reached,
            softly_held_objects: softly_held.len() as u64,
            softly_held: softly_held.iter().take(SOFTLY_HELD).map(|object| address(heap, *object)).collect(),
            ways: merged.ways,
            ways_shown: merged.ways_shown,
            objects_not_shown: merged.objects_not_shown,
            paths: rows(graph, &names, &only_softly, &merged.branches)?,
        })
    }

    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let mut lines = self.dump.lines();
        lines.push(format!(
            "{}: {}, {} of their own; {} reachable",
            self.target,
            count_with_noun(self.objects, "object", "objects"),
            bytes(self.shallow_bytes),
            count(self.reachable_objects)
        ));
        if self.softly_held_objects > 0 {
            let more = if self.softly_held_objects > self.softly_held.len() as u64 { ", ..." } else { "" };
            lines.push(format!(
                "{} held only softly: {}{more}",
                count(self.softly_held_objects),
                self.softly_held.join(", ")
            ));
            if self.dump.soft == Some("weak") {
                lines.push("soft references hold these and nothing else; --soft strong shows how".to_owned());
            }
        }
        let mut said =
            vec!["each object on one of its shortest paths; neighbours of one class are one step".to_owned()];
        if self.ways > self.ways_shown {
            said.push(format!(
                "{} more with {} (--most)",
                count_with_noun(self.ways - self.ways_shown, "way", "ways"),
                count_with_noun(self.objects_not_shown, "object", "objects")
            ));
        }
        let table = SheetTable {
            none: "no root reaches any of them: they are garbage, or only weak references hold them",
            ..table("From the roots".to_owned(), said, &self.paths)
        };
        Sheet { title: "Paths from the roots", lines, tables: vec![table] }
    }
}

/// Merged paths as a table that unfolds.
pub(super) fn table(title: String, lines: Vec<String>, paths: &[PathStep]) -> SheetTable {
    let row = |row: &PathStep| {
        let via = row.via.as_deref().map_or(String::new(), |via| format!("{via} "));
        vec![
            SheetCell::text(via + &row.name + if row.held_softly { " (held only softly)" } else { "" }),
            SheetCell::Count(row.objects),
            SheetCell::Count(row.passed),
            SheetCell::text(row.example.clone().unwrap_or_default()),
        ]
    };
    SheetTable {
        title,
        lines,
        head: vec!["held by", "objects", "on the way", "for example"],
        rows: paths.iter().map(row).collect(),
        levels: paths.iter().map(|row| row.depth as usize).collect(),
        ..SheetTable::default()
    }
}

/// Merged paths in words. Reads the links again.
///
/// # Errors
/// The dump's file cannot be read any more.
pub(super) fn rows(
    graph: &Graph,
    names: &Namer<'_>,
    only_softly: &OnlySoftly,
    branches: &[Branch],
) -> Result<Vec<PathStep>, Error> {
    let heap = names.heap;
    let pairs: Vec<(ObjectIndex, ObjectIndex)> = branches.iter().filter_map(|b| pair(graph, b)).collect();
    let links = heap.links(&pairs)?;
    let row = |branch: &Branch| {
        let (kind, name) = match branch.step {
            MergedStep::Held(by) => ("root", by.name().to_owned()),
            MergedStep::Thread(thread) => ("thread", names.thread(thread)),
            MergedStep::Frame(thread, frame) => ("frame", names.frame(thread, frame)),
            MergedStep::Instances(class) => ("object", heap.classes().get(class).name.clone()),
            MergedStep::ClassObject(class) => ("class", format!("class {}", heap.classes().get(class).name)),
        };
        let example = object_of(graph, branch.example.0).filter(|_| !matches!(branch.step, MergedStep::Held(_)));
        PathStep {
            depth: branch.depth,
            kind,
            name,
            via: pair(graph, branch).and_then(|pair| links.get(&pair)).map(ToString::to_string),
            objects: branch.objects,
            ends: branch.ends,
            passed: branch.passed,
            example: example.map(|object| address(heap, object)),
            held_softly: example.is_some_and(|object| only_softly.has(object)),
        }
    };
    Ok(branches.iter().map(row).collect())
}

/// The objects of a branch's example.
fn pair(graph: &Graph, branch: &Branch) -> Option<(ObjectIndex, ObjectIndex)> {
    let (node, before) = branch.example;
    Some((object_of(graph, before)?, object_of(graph, node)?))
}
