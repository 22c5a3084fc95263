//! Memory that the program could do without.

use serde::Serialize;
use weighbridge_heapdump::waste::{self, Waste};
use weighbridge_heapdump::{ClassIndex, Error, Graph, Heap};

use super::names::{address, class_of};
use super::{FORMAT, Facts};
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable, share};
use weighbridge_table::units::{bytes, count_with_noun};

/// Characters of a text in a table.
const TEXT: usize = 60;

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct WasteReport {
    format: u32,
    dump: Facts,
    reachable_bytes: u64,
    strings: Duplicates,
    arrays: Duplicates,
    collections: Vec<Collections>,
    boxed: Vec<Boxed>,
    trailing: Vec<Trailing>,
    chains: Vec<BucketChain>,
}

#[derive(Debug, Clone, Serialize)]
struct Duplicates {
    objects: u64,
    distinct: u64,
    saved_bytes: u64,
    groups: Vec<Group>,
}

#[derive(Debug, Clone, Serialize)]
struct Group {
    example: String,
    class: String,
    text: Option<String>,
    copies: u64,
    saved_bytes: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Collections {
    class: String,
    collections: u64,
    empty: u64,
    empty_bytes: u64,
    sparse: u64,
    sparse_bytes: u64,
    unknown: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Boxed {
    class: String,
    instances: u64,
    shallow_bytes: u64,
    distinct: u64,
    saved_bytes: u64,
    commonest: String,
    commonest_instances: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Trailing {
    class: String,
    arrays: u64,
    zero_bytes: u64,
}

#[derive(Debug, Clone, Serialize)]
struct BucketChain {
    length: u64,
    tree: bool,
    first: String,
    map: Option<String>,
    map_class: Option<String>,
}

impl WasteReport {
    /// Searches the dump. `most` bounds the listed groups of copies and chains.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_graph(heap: &Heap, graph: &Graph, facts: Facts, threads: usize, most: usize) -> Result<Self, Error> {
        let reachable = graph.reachable();
        let found = Waste::from_heap(heap, graph, &reachable, threads, most)?;
        let name = |class: ClassIndex| heap.classes().get(class).name.clone();
        let duplicates = |all: &waste::Duplicates| Duplicates {
            objects: all.objects,
            distinct: all.distinct,
            saved_bytes: all.saved_bytes,
            groups: all
                .groups
                .iter()
                .map(|group| Group {
                    example: address(heap, group.example),
                    class: class_of(heap, group.example),
                    text: group.text.clone(),
                    copies: group.copies,
                    saved_bytes: group.saved_bytes,
                })
                .collect(),
        };
        let collections = found.collections.iter().map(|row| Collections {
            class: name(row.class),
            collections: row.collections,
            empty: row.empty,
            empty_bytes: row.empty_bytes,
            sparse: row.sparse,
            sparse_bytes: row.sparse_bytes,
            unknown: row.unknown,
        });
        let boxed = found.boxed.iter().map(|row| Boxed {
            class: name(row.class),
            instances: row.instances,
            shallow_bytes: row.bytes,
            distinct: row.distinct,
            saved_bytes: row.saved_bytes,
            commonest: row.commonest.0.clone(),
            commonest_instances: row.commonest.1,
        });
        let trailing = found.trailing.iter().map(|row| Trailing {
            class: name(row.class),
            arrays: row.arrays,
            zero_bytes: row.bytes,
        });
        let chains = found.chains.iter().map(|chain| BucketChain {
            length: chain.length,
            tree: chain.tree,
            first: address(heap, chain.first),
            map: chain.map.map(|map| address(heap, map)),
            map_class: chain.map.map(|map| class_of(heap, map)),
        });
        Ok(WasteReport {
            format: FORMAT,
            dump: facts,
            reachable_bytes: heap
                .objects()
                .filter(|object| reachable.has(*object))
                .map(|object| heap.bytes(object))
                .sum(),
            strings: duplicates(&found.strings),
            arrays: duplicates(&found.arrays),
            collections: collections.collect(),
            boxed: boxed.collect(),
            trailing: trailing.collect(),
            chains: chains.collect(),
        })
    }

    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let all = self.reachable_bytes;
        let mut lines = self.dump.lines();
        lines.push(format!("{} reachable; only these are looked at", bytes(all)));
        let kinds = [
            ("equal strings", self.strings.saved_bytes),
            ("equal arrays of primitive values", self.arrays.saved_bytes),
            ("empty collections", self.collections.iter().map(|row| row.empty_bytes).sum()),
            ("slots that sparse collections do not need", self.collections.iter().map(|row| row.sparse_bytes).sum()),
            ("equal boxed values", self.boxed.iter().map(|row| row.saved_bytes).sum()),
            ("zeros at the ends of arrays", self.trailing.iter().map(|row| row.zero_bytes).sum()),
        ];
        let summary = SheetTable {
            key: "summary",
            keys: vec!["kind", "saved_bytes", ""],
            title: "Bytes that the program could do without".to_owned(),
            lines: vec!["each kind for itself: one byte can be in several, so that they do not add up".to_owned()],
            head: vec!["kind", "bytes", "of the heap"],
            rows: kinds
                .iter()
                .map(|(kind, saved)| {
                    vec![SheetCell::text(*kind), SheetCell::Bytes(*saved), SheetCell::text(share(*saved, all))]
                })
                .collect(),
            ..SheetTable::default()
        };
        let copies = |key, title: &str, noun: (&str, &str), copies: &Duplicates| SheetTable {
            key,
            title: title.to_owned(),
            lines: vec![format!(
                "{}, {} different; one of each would save {}",
                count_with_noun(copies.objects, noun.0, noun.1),
                weighbridge_table::units::count(copies.distinct),
                bytes(copies.saved_bytes)
            )],
            head: vec!["content", "saved", "copies", "for example"],
            keys: vec!["text", "saved_bytes", "copies", "example"],
            rows: copies.groups.iter().map(Group::cells).collect(),
            may_be_cut: true,
            none: "no two are equal",
            ..SheetTable::default()
        };
        let tables = vec![
            summary,
            copies("strings", "Equal strings", ("string", "strings"), &self.strings),
            copies("arrays", "Equal arrays", ("array of no string", "arrays of no string"), &self.arrays),
            self.collections(),
            self.boxed(),
            self.trailing(),
            self.chains(),
        ];
        Sheet { title: "Waste in the heap", lines, tables }
    }

    fn collections(&self) -> SheetTable {
        let row = |row: &Collections| {
            vec![
                SheetCell::text(&row.class),
                SheetCell::Count(row.collections),
                SheetCell::Count(row.empty),
                SheetCell::Bytes(row.empty_bytes),
                SheetCell::Count(row.sparse),
                SheetCell::Bytes(row.sparse_bytes),
            ]
        };
        SheetTable {
            title: "Collections".to_owned(),
            lines: vec![
                "empty: the collection and its table; sparse: less than a quarter of the slots used, bytes of slots that \
                 the elements do not need"
                    .to_owned(),
            ],
            head: vec!["class", "collections", "empty", "empty bytes", "sparse", "sparse bytes"],
            keys: vec!["class", "collections", "empty", "empty_bytes", "sparse", "sparse_bytes"],
            key: "collections",
            rows: self.collections.iter().map(row).collect(),
            may_be_cut: true,
            none: "none of the known classes",
            ..SheetTable::default()
        }
    }

    fn boxed(&self) -> SheetTable {
        let row = |row: &Boxed| {
            vec![
                SheetCell::text(&row.class),
                SheetCell::Count(row.instances),
                SheetCell::Count(row.distinct),
                SheetCell::Bytes(row.shallow_bytes),
                SheetCell::Bytes(row.saved_bytes),
                SheetCell::text(format!(
                    "{} ({})",
                    row.commonest,
                    weighbridge_table::units::count(row.commonest_instances)
                )),
            ]
        };
        SheetTable {
            title: "Boxed values".to_owned(),
            head: vec!["class", "instances", "different", "bytes", "saved", "commonest"],
            keys: vec!["class", "instances", "distinct", "shallow_bytes", "saved_bytes", "commonest"],
            key: "boxed",
            rows: self.boxed.iter().map(row).collect(),
            none: "none",
            ..SheetTable::default()
        }
    }

    fn trailing(&self) -> SheetTable {
        let row = |row: &Trailing| {
            vec![SheetCell::text(&row.class), SheetCell::Count(row.arrays), SheetCell::Bytes(row.zero_bytes)]
        };
        SheetTable {
            title: "Arrays longer than their content".to_owned(),
            lines: vec!["at least the last half, and 16 elements, are zero or null; zeros can be content".to_owned()],
            head: vec!["class", "arrays", "zeros"],
            keys: vec!["class", "arrays", "zero_bytes"],
            key: "trailing",
            rows: self.trailing.iter().map(row).collect(),
            may_be_cut: true,
            none: "none",
            ..SheetTable::default()
        }
    }

    fn chains(&self) -> SheetTable {
        let row = |chain: &BucketChain| {
            let map = chain.map_class.as_deref().unwrap_or("(no map found)");
            vec![
                SheetCell::text(format!("{map} {}", chain.map.as_deref().unwrap_or_default())),
                SheetCell::Count(chain.length),
                SheetCell::text(if chain.tree { "a tree" } else { "a list" }),
                SheetCell::text(&chain.first),
            ]
        };
        SheetTable {
            title: "Keys that share a bucket".to_owned(),
            lines: vec![
                "eight or more: their hash codes collide, or agree in the bits that choose the bucket".to_owned(),
            ],
            head: vec!["map", "keys", "kept as", "first"],
            keys: vec!["map", "length", "kept_as", "first"],
            key: "chains",
            rows: self.chains.iter().map(row).collect(),
            may_be_cut: true,
            none: "none",
            ..SheetTable::default()
        }
    }
}

impl Group {
    fn cells(&self) -> Vec<SheetCell> {
        let content = match &self.text {
            Some(text) if text.chars().count() > TEXT => {
                format!("\"{}\u{2026}", text.chars().take(TEXT).collect::<String>())
            }
            Some(text) => format!("\"{text}\""),
            None => self.class.clone(),
        };
        vec![
            SheetCell::text(content),
            SheetCell::Bytes(self.saved_bytes),
            SheetCell::Count(self.copies),
            SheetCell::text(&self.example),
        ]
    }
}
