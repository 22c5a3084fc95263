//! Memory that a program could do without: equal strings and arrays, collections with few elements, equal boxed numbers,
//! arrays longer than their content, and hash tables whose keys collide.
//!
//! One pass over the dump with several threads, of reachable objects only. Each kind is counted separately: an array may
//! be both a copy and mostly empty, so the sums of different kinds must not be added.

mod boxes;
mod chains;
mod collections;
mod contents;
mod listed;
mod plans;

pub use boxes::Boxed;
pub use chains::HashChain;
pub use collections::{Collections, Trailing};
pub use contents::{Copies, Duplicates};

use crate::error::Error;
use crate::graph::{Graph, NodeSet};
use crate::heap::Heap;
use crate::hprof::Record;
use crate::index::ObjectIndex;

pub(crate) use listed::is_listed;
use plans::{InstancePlan, Plans};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waste {
    /// Strings of equal text.
    pub strings: Duplicates,
    /// Arrays of primitive values with equal type and content that belong to no string.
    pub arrays: Duplicates,
    /// Collections, by class; most bytes first.
    pub collections: Vec<Collections>,
    /// Boxed values, by class; most bytes first.
    pub boxed: Vec<Boxed>,
    /// Arrays whose last half or more, and at least 16 elements, is zero or `null`; by class, most bytes first.
    pub trailing: Vec<Trailing>,
    /// The longest chains of colliding keys, longest first.
    pub chains: Vec<HashChain>,
}

/// What one thread of the pass found.
#[derive(Default)]
struct WastePass {
    contents: contents::HashedContents,
    collections: collections::CollectionSums,
    boxes: boxes::BoxedValues,
    chains: chains::BucketNodes,
    recent: Recent,
}

/// A cache of whether instances of a class are examined. Most are not; then neither their index nor their shape is needed.
struct Recent(Box<[(u64, bool)]>);

const RECENT: usize = 1 << 9;

impl Default for Recent {
    fn default() -> Self {
        Recent(vec![(0, true); RECENT].into_boxed_slice())
    }
}

impl Recent {
    #[inline]
    fn is_examined(&mut self, heap: &Heap, plans: &Plans, class: u64) -> bool {
        let slot = &mut self.0[(class >> 3) as usize & (RECENT - 1)];
        if slot.0 != class {
            let known = heap
                .classes()
                .find_by_address(class)
                .is_some_and(|class| !matches!(plans.of_class(class), InstancePlan::None));
            *slot = (class, known);
        }
        slot.1
    }
}

impl Waste {
    /// Searches the dump. `most` bounds the listed groups of copies and chains; sums include all.
    ///
    /// Takes 16 bytes for each array of primitive values, and 8 for each string, boxed value and node of a chain.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_heap(
        heap: &Heap,
        graph: &Graph,
        reachable: &NodeSet,
        threads: usize,
        most: usize,
    ) -> Result<Self, Error> {
        let plans = Plans::from_heap(heap);
        let reference = heap.layout().map_or(heap.dump().ids().bytes(), |layout| layout.reference_bytes);
        let visit = |found: &mut WastePass, _, record: Record<'_, '_>| {
            let address = match &record {
                Record::Instance { address, class, .. } if found.recent.is_examined(heap, &plans, *class) => *address,
                Record::Objects { address, .. } | Record::Primitives { address, .. } => *address,
                Record::Instance { .. } | Record::Root(_) | Record::Class(_) => return,
            };
            if let Some(object) = heap.find(address).filter(|object| reachable.has(*object)) {
                found.see(heap, &plans, reference, object, record);
            }
        };
        let mut all = WastePass::default();
        for found in heap.dump().fold(threads, WastePass::default, visit)? {
            all.contents.add(found.contents);
            all.collections.add(found.collections);
            all.boxes.add(found.boxes);
            all.chains.add(found.chains);
        }
        let (strings, arrays) = all.contents.finish(heap, threads, most)?;
        let (collections, trailing) = all.collections.finish(heap);
        let chains = all.chains.finish(heap, graph, most);
        Ok(Waste { strings, arrays, collections, boxed: all.boxes.finish(heap), trailing, chains })
    }
}

impl WastePass {
    fn see(&mut self, heap: &Heap, plans: &Plans, reference: u32, object: ObjectIndex, record: Record<'_, '_>) {
        let ids = heap.dump().ids();
        match record {
            Record::Instance { fields, .. } => match plans.of_class(heap.class_of(object)) {
                InstancePlan::None => {}
                InstancePlan::String { value, coder } => {
                    let coder = coder.and_then(|at| fields.get(at as usize)).copied().unwrap_or_default();
                    if let Some(array) = heap.reference(fields, *value) {
                        self.contents.string(object, array, coder);
                    }
                }
                InstancePlan::Boxed { value, kind } => self.boxes.see(heap.class_of(object), fields, *value, *kind),
                InstancePlan::Collection(shape) => self.collections.see(heap, reference, object, fields, shape),
                InstancePlan::Node { next } => {
                    if let Some(next) = heap.reference(fields, *next) {
                        self.chains.see(object, next);
                    }
                }
            },
            Record::Primitives { kind, length, mut elements, .. } => {
                let zeros = self.contents.array(object, kind, &mut elements);
                self.collections.array(heap.class_of(object), length, zeros, kind.bytes(ids.bytes()));
            }
            Record::Objects { length, mut elements, .. } => {
                let mut zeros = 0;
                while let Some(piece) = elements.next_piece() {
                    zeros = contents::trailing_zeros(piece, zeros);
                }
                let nulls = zeros / u64::from(ids.bytes());
                self.collections.array(heap.class_of(object), length, nulls * u64::from(reference), reference);
            }
            Record::Root(_) | Record::Class(_) => {}
        }
    }
}
