//! Collections with few elements, and arrays longer than their content.

use std::collections::BTreeMap;

use super::plans::{Shape, Size, Slots};
use crate::class::ClassIndex;
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// The collections of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collections {
    /// Their class.
    pub class: ClassIndex,
    /// All of them.
    pub collections: u64,
    /// Those without elements.
    pub empty: u64,
    /// Shallow bytes of the empty ones and their tables: what `null` instead would save.
    pub empty_bytes: u64,
    /// Those with elements that use less than a quarter of their slots.
    pub sparse: u64,
    /// Bytes of slots that the elements of the sparse ones do not need, at the load factor of 0.75 for hash tables.
    pub sparse_bytes: u64,
    /// Those whose number of elements is in no single field; apart from `collections` no figure includes them.
    pub unknown: u64,
    /// The one with the most bytes among those of `empty_bytes` and `sparse_bytes`, and its bytes.
    pub worst: Option<(ObjectIndex, u64)>,
}

impl Collections {
    /// Of equal ones the first by address, in whatever order they come.
    fn see_worst(&mut self, object: ObjectIndex, bytes: u64) {
        let rank = |(object, bytes): (ObjectIndex, u64)| (bytes, std::cmp::Reverse(object));
        if bytes > 0 && self.worst.is_none_or(|worst| rank(worst) < rank((object, bytes))) {
            self.worst = Some((object, bytes));
        }
    }
}

/// Arrays of a class with zeros at their ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailing {
    /// The class of the arrays.
    pub class: ClassIndex,
    /// Arrays.
    pub arrays: u64,
    /// Bytes of their zero or `null` elements at the end.
    pub bytes: u64,
}

/// Fewer zero elements at an array's end are not reported.
const LEAST_TRAILING: u64 = 16;

#[derive(Default)]
pub(super) struct CollectionSums {
    collections: BTreeMap<ClassIndex, Collections>,
    trailing: BTreeMap<ClassIndex, Trailing>,
}

impl CollectionSums {
    pub(super) fn see(&mut self, heap: &Heap, reference: u32, object: ObjectIndex, fields: &[u8], shape: &Shape) {
        let class = heap.class_of(object);
        let row = self.collections.entry(class).or_insert_with(|| empty(class));
        row.collections += 1;
        let table = shape.table.and_then(|table| heap.reference(fields, table));
        let slots = table.and_then(|table| heap.array_length(table)).map_or(0, u64::from);
        let Some(size) = size(heap, fields, shape.size, slots) else {
            row.unknown += 1;
            return;
        };
        if size == 0 {
            row.empty += 1;
            // All new lists share one array without elements.
            let table = table.filter(|_| slots > 0).map_or(0, |table| heap.bytes(table));
            row.empty_bytes += heap.bytes(object) + table;
            row.see_worst(object, heap.bytes(object) + table);
        } else if size.saturating_mul(4) < slots {
            let needed = match shape.slots {
                Slots::List | Slots::Tree => size,
                Slots::Hash => (size.saturating_mul(4) / 3 + 1).next_power_of_two(),
                Slots::Pairs => (size.saturating_mul(3) / 2 + 1).next_power_of_two() * 2,
            };
            if needed < slots {
                row.sparse += 1;
                row.sparse_bytes += (slots - needed) * u64::from(reference);
                row.see_worst(object, (slots - needed) * u64::from(reference));
            }
        }
    }

    /// An array with `zeros` bytes of zero elements at its end.
    pub(super) fn array(&mut self, class: ClassIndex, length: u32, zeros: u64, element: u32) {
        let elements = zeros / u64::from(element);
        if elements >= LEAST_TRAILING && elements * 2 >= u64::from(length) {
            let row = self.trailing.entry(class).or_insert(Trailing { class, arrays: 0, bytes: 0 });
            row.arrays += 1;
            row.bytes += elements * u64::from(element);
        }
    }

    pub(super) fn add(&mut self, other: CollectionSums) {
        for (class, row) in other.collections {
            let all = self.collections.entry(class).or_insert_with(|| empty(class));
            all.collections += row.collections;
            all.empty += row.empty;
            all.empty_bytes += row.empty_bytes;
            all.sparse += row.sparse;
            all.sparse_bytes += row.sparse_bytes;
            all.unknown += row.unknown;
            if let Some((object, bytes)) = row.worst {
                all.see_worst(object, bytes);
            }
        }
        for (class, row) in other.trailing {
            let all = self.trailing.entry(class).or_insert(Trailing { class, arrays: 0, bytes: 0 });
            all.arrays += row.arrays;
            all.bytes += row.bytes;
        }
    }

    pub(super) fn finish(self, heap: &Heap) -> (Vec<Collections>, Vec<Trailing>) {
        let name = |class: ClassIndex| &heap.classes().get(class).name;
        let mut collections: Vec<Collections> = self.collections.into_values().collect();
        let wasted = |row: &Collections| row.empty_bytes + row.sparse_bytes;
        collections.sort_by(|a, b| wasted(b).cmp(&wasted(a)).then_with(|| name(a.class).cmp(name(b.class))));
        let mut trailing: Vec<Trailing> = self.trailing.into_values().collect();
        trailing.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| name(a.class).cmp(name(b.class))));
        (collections, trailing)
    }
}

fn empty(class: ClassIndex) -> Collections {
    Collections { class, collections: 0, empty: 0, empty_bytes: 0, sparse: 0, sparse_bytes: 0, unknown: 0, worst: None }
}

/// The number of elements; `None` if it is in no single field, or is impossible.
fn size(heap: &Heap, fields: &[u8], size: Size, slots: u64) -> Option<u64> {
    let int = |at: u32| {
        let bytes = fields.get(at as usize..)?.get(..4)?;
        u64::try_from(i32::from_be_bytes(bytes.try_into().ok()?)).ok()
    };
    match size {
        Size::Int(at) => int(at),
        Size::Striped { base, cells } => {
            let bytes = fields.get(base as usize..)?.get(..8)?;
            let base = u64::try_from(i64::from_be_bytes(bytes.try_into().ok()?)).ok()?;
            heap.reference(fields, cells).is_none().then_some(base)
        }
        Size::Ring { head, tail } => match slots {
            0 => Some(0),
            // The tail is after the last element, modulo the slots; one slot stays free (JDK 12) or none is full.
            slots => Some((int(tail)? + slots).checked_sub(int(head)?)? % slots),
        },
    }
}
