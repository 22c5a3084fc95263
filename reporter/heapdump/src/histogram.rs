//! Objects and bytes of each class.

use crate::class::{ClassIndex, Classes};
use crate::graph::{NodeSet, Shape};
use crate::heap::Heap;
use crate::hprof::Dump;
use crate::sizes::{SizeSource, Sizes};

/// The objects of one class. The bytes of `java.lang.Class` include the static fields of all classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRow {
    /// The class.
    pub class: ClassIndex,
    /// Objects.
    pub instances: u64,
    /// Their shallow bytes.
    pub bytes: u64,
    /// Bytes of headers, padding and injected fields among them; 0 for raw sizes.
    pub administrative_bytes: u64,
    /// How the size of an object was got. Sizes of arrays follow from the layout.
    pub source: SizeSource,
}

/// All classes of a heap that have objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// Most bytes first, then by name and address of the class.
    pub rows: Vec<ClassRow>,
    /// Static fields: part of the bytes of `java.lang.Class`.
    pub static_bytes: u64,
}

impl Histogram {
    /// Counts the objects of a set, or all.
    pub fn from_heap(heap: &Heap, among: Option<&NodeSet>) -> Self {
        let mut objects = vec![0_u64; heap.shapes().len()];
        for object in heap.objects().filter(|object| among.is_none_or(|set| set.has(*object))) {
            objects[heap.shape(object) as usize] += 1;
        }
        Self::of_shapes(heap.dump(), heap.classes(), heap.sizes(), heap.shapes(), &objects)
    }

    /// The histogram of shapes, given the objects of each.
    pub(crate) fn of_shapes(dump: &Dump, classes: &Classes, sizes: &Sizes, shapes: &[Shape], objects: &[u64]) -> Self {
        let mut rows: Vec<ClassRow> = classes
            .iter()
            .map(|(class, _)| ClassRow {
                class,
                instances: 0,
                bytes: 0,
                administrative_bytes: 0,
                source: sizes.sources[class.as_usize()],
            })
            .collect();
        let mut static_bytes = 0;
        for (number, (shape, objects)) in shapes.iter().zip(objects).enumerate().filter(|(_, (_, n))| **n > 0) {
            let (bytes, payload) = (sizes.bytes[number], sizes.payload[number]);
            let class = match *shape {
                Shape::Instance(class) | Shape::Array(class, _) => class,
                Shape::Mirror(class) => {
                    static_bytes += sizes.static_bytes(dump, classes, class);
                    classes.mirror()
                }
            };
            let row = &mut rows[class.as_usize()];
            row.instances += objects;
            row.bytes += bytes * objects;
            row.administrative_bytes += bytes.saturating_sub(payload) * objects;
        }
        rows.retain(|row| row.instances > 0);
        let name = |row: &ClassRow| &classes.get(row.class).name;
        rows.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| name(a).cmp(name(b))).then(a.class.cmp(&b.class)));
        Histogram { rows, static_bytes }
    }

    /// Objects of all classes.
    pub fn instances(&self) -> u64 {
        self.rows.iter().map(|row| row.instances).sum()
    }

    /// Bytes of all classes.
    pub fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.bytes).sum()
    }

    /// Headers, padding and injected fields of all classes.
    pub fn administrative_bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.administrative_bytes).sum()
    }
}
