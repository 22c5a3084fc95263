//! What is examined in the instances of each class.

use super::listed::{BOXES, NODES};
use crate::class::ClassIndex;
use crate::heap::Heap;
use crate::hprof::FieldType;

/// How an instance of a class is examined. Numbers are offsets into its record.
pub(super) enum InstancePlan {
    None,
    String {
        value: u32,
        coder: Option<u32>,
    },
    Boxed {
        value: u32,
        kind: FieldType,
    },
    Collection(Shape),
    /// A node of a hash table's bucket.
    Node {
        next: u32,
    },
}

/// The fields of a collection with its number of elements and its table.
pub(super) struct Shape {
    pub(super) size: Size,
    /// The array of its slots; `None` for trees.
    pub(super) table: Option<u32>,
    pub(super) slots: Slots,
}

/// How the number of elements is stored.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Int(u32),
    /// A count and, if threads competed, cells that add to it: then the number is unknown.
    Striped {
        base: u32,
        cells: u32,
    },
    /// The ends of a ring.
    Ring {
        head: u32,
        tail: u32,
    },
}

/// How many slots a number of elements needs.
#[derive(Clone, Copy)]
pub(super) enum Slots {
    /// One each.
    List,
    /// The next power of two above four thirds of them (load factor 0.75).
    Hash,
    /// Two for each, key and value, and a third free: `IdentityHashMap`.
    Pairs,
    /// None: nodes without a table.
    Tree,
}

/// Fields of the collections of `java.util` (JDK 11 to 25).
const COLLECTIONS: [(&str, &str, Option<&str>, Slots); 9] = [
    ("java.util.HashMap", "size", Some("table"), Slots::Hash),
    ("java.util.Hashtable", "count", Some("table"), Slots::Hash),
    ("java.util.WeakHashMap", "size", Some("table"), Slots::Hash),
    ("java.util.IdentityHashMap", "size", Some("table"), Slots::Pairs),
    ("java.util.ArrayList", "size", Some("elementData"), Slots::List),
    ("java.util.Vector", "elementCount", Some("elementData"), Slots::List),
    ("java.util.PriorityQueue", "size", Some("queue"), Slots::List),
    ("java.util.TreeMap", "size", None, Slots::Tree),
    ("java.util.LinkedList", "size", None, Slots::Tree),
];

/// The plan of every class.
pub(super) struct Plans(Vec<InstancePlan>);

impl Plans {
    pub(super) fn from_heap(heap: &Heap) -> Self {
        let known = Known::from_heap(heap);
        Plans(heap.classes().iter().map(|(class, _)| known.plan(heap, class).unwrap_or(InstancePlan::None)).collect())
    }

    pub(super) fn of_class(&self, class: ClassIndex) -> &InstancePlan {
        &self.0[class.as_usize()]
    }
}

/// The classes that have plans. Collections have an index into [`COLLECTIONS`].
struct Known {
    collections: Vec<(ClassIndex, usize)>,
    deque: Option<ClassIndex>,
    concurrent: Option<ClassIndex>,
    nodes: Vec<ClassIndex>,
    boxes: Vec<ClassIndex>,
    string: Option<ClassIndex>,
}

impl Known {
    /// Only classes of the boot loader: others may have the same names.
    fn from_heap(heap: &Heap) -> Self {
        let named =
            |name: &str| heap.classes().find_by_name(name).filter(|class| heap.classes().get(*class).loader == 0);
        let collections = COLLECTIONS.iter().enumerate().filter_map(|(at, (name, ..))| Some((named(name)?, at)));
        Known {
            collections: collections.collect(),
            deque: named("java.util.ArrayDeque"),
            concurrent: named("java.util.concurrent.ConcurrentHashMap"),
            nodes: NODES.into_iter().filter_map(named).collect(),
            boxes: BOXES.iter().filter_map(|name| named(&format!("java.lang.{name}"))).collect(),
            string: named("java.lang.String"),
        }
    }

    fn plan(&self, heap: &Heap, class: ClassIndex) -> Option<InstancePlan> {
        let is = |ancestor: Option<ClassIndex>| ancestor.is_some_and(|ancestor| heap.classes().is_a(class, ancestor));
        // The field of that class: a subclass may have one of the same name.
        let field = |declarer: ClassIndex, name: &str| {
            let mut fields = heap.classes().instance_fields(class, heap.dump().ids().bytes());
            fields.find(|(declaring, field, _)| {
                *declaring == declarer && heap.dump().text(field.name).as_deref() == Some(name)
            })
        };
        let at = |declarer, name| field(declarer, name).map(|(_, _, offset)| offset);
        if Some(class) == self.string {
            return Some(InstancePlan::String { value: at(class, "value")?, coder: at(class, "coder") });
        }
        if self.boxes.contains(&class) {
            let (_, value, offset) = field(class, "value")?;
            return Some(InstancePlan::Boxed { value: offset, kind: value.kind });
        }
        if let Some((known, number)) = self.collections.iter().find(|(known, _)| is(Some(*known))) {
            let (_, size, table, slots) = COLLECTIONS[*number];
            let table = match table {
                Some(table) => Some(at(*known, table)?),
                None => None,
            };
            return Some(InstancePlan::Collection(Shape { size: Size::Int(at(*known, size)?), table, slots }));
        }
        if let Some(known) = self.deque.filter(|known| is(Some(*known))) {
            let size = Size::Ring { head: at(known, "head")?, tail: at(known, "tail")? };
            return Some(InstancePlan::Collection(Shape {
                size,
                table: Some(at(known, "elements")?),
                slots: Slots::List,
            }));
        }
        if let Some(known) = self.concurrent.filter(|known| is(Some(*known))) {
            let size = Size::Striped { base: at(known, "baseCount")?, cells: at(known, "counterCells")? };
            return Some(InstancePlan::Collection(Shape {
                size,
                table: Some(at(known, "table")?),
                slots: Slots::Hash,
            }));
        }
        let known = self.nodes.iter().copied().find(|known| is(Some(*known)))?;
        Some(InstancePlan::Node { next: at(known, "next")? })
    }
}
