//! Distances between neighbours in the heap, by class. If nothing is between two objects, the distance is the size of the
//! first.

use super::contended::PADDING;
use super::injected;
use crate::class::{ClassIndex, Classes};
use crate::graph::Shape;
use crate::hprof::FieldType;
use crate::index::AddressIndex;

/// Distances that are counted for a class. The commonest is among them if it is more than a fifth of all (Misra and
/// Gries, "Finding repeated elements", 1982).
const KEPT: usize = 4;

/// A greater distance is a hole in the heap, not the size of an object that is no array.
const LARGEST: u64 = 1 << 16;

/// The smallest regions of collectors start at multiples of this (Shenandoah's; those of G1 and ZGC have at least 1 and
/// 2 MiB). The rest of a region after its last object may be too small for any object.
const REGION: u64 = 256 << 10;

/// Classes of the JDK, 11 to 25, that are `@Contended` or have such fields. In other classes the annotation needs
/// `-XX:-RestrictContended`.
const CONTENDED_CLASSES: [&str; 8] = [
    "java.lang.Thread",
    "java.util.concurrent.ConcurrentHashMap$CounterCell",
    "java.util.concurrent.Exchanger$Node",
    "java.util.concurrent.Exchanger$Slot",
    "java.util.concurrent.ForkJoinPool",
    "java.util.concurrent.ForkJoinPool$WorkQueue",
    "java.util.concurrent.SubmissionPublisher$BufferedSubscription",
    "java.util.concurrent.atomic.Striped64$Cell",
];

/// Where HotSpot starts the elements: after an 8-byte header and length (compact headers, or 32 bits), after a 12-byte
/// header, and after a 16-byte header before and since JDK-8139457. The likelier ones first.
pub(super) const ARRAY_BASES: [u64; 4] = [16, 12, 24, 20];

/// The commonest and the least value of a stream, in little memory.
#[derive(Clone, Copy)]
struct Commonest {
    values: [(u64, u32); KEPT],
    least: u64,
    /// Values seen.
    all: u32,
}

impl Default for Commonest {
    fn default() -> Self {
        Commonest { values: [(0, 0); KEPT], least: u64::MAX, all: 0 }
    }
}

impl Commonest {
    #[inline]
    fn add(&mut self, value: u64) {
        self.all = self.all.saturating_add(1);
        self.least = self.least.min(value);
        // Most instances of most classes have one size, and most often it was seen first.
        let (first, count) = &mut self.values[0];
        if *first == value && *count > 0 {
            *count = count.saturating_add(1);
        } else {
            self.add_rare(value);
        }
    }

    #[inline(never)]
    fn add_rare(&mut self, value: u64) {
        if let Some((_, count)) = self.values.iter_mut().find(|(known, count)| *known == value && *count > 0) {
            *count = count.saturating_add(1);
        } else if let Some(free) = self.values.iter_mut().find(|(_, count)| *count == 0) {
            *free = (value, 1);
        } else {
            self.values.iter_mut().for_each(|(_, count)| *count -= 1);
        }
    }

    /// Adds another stream (Agarwal and others, "Mergeable summaries", 2012): values that are too rare to keep lower the
    /// counts of the rest.
    fn join(&mut self, other: Commonest) {
        let mut values: Vec<(u64, u32)> = self.values.into_iter().filter(|(_, count)| *count > 0).collect();
        for (value, count) in other.values.into_iter().filter(|(_, count)| *count > 0) {
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, known)) => *known = known.saturating_add(count),
                None => values.push((value, count)),
            }
        }
        values.sort_unstable_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
        let lost = values.get(KEPT).map_or(0, |(_, count)| *count);
        values.truncate(KEPT);
        values.resize(KEPT, (0, 0));
        for (kept, (value, count)) in self.values.iter_mut().zip(values) {
            *kept = (value, count.saturating_sub(lost));
        }
        self.least = self.least.min(other.least);
        self.all = self.all.saturating_add(other.all);
    }

    /// The value of more than half of all, if it occurs at least twice.
    fn majority(&self) -> Option<u64> {
        let (value, count) = *self.values.iter().max_by_key(|(_, count)| *count)?;
        (count >= 2 && count > self.all / 2).then_some(value)
    }
}

/// What distances show of the layout. The caller numbers the classes until [`Evidence::join`].
#[derive(Default)]
pub(crate) struct Evidence {
    instances: Vec<Commonest>,
    /// The distance from each class's `java.lang.Class` object.
    mirrors: Vec<Option<u64>>,
    /// How many arrays fit each start of elements, by the logarithm of the bytes of an element.
    primitives: [[u64; ARRAY_BASES.len()]; 4],
    /// The same for arrays of references of 4 and of 8 bytes.
    references: [[u64; ARRAY_BASES.len()]; 2],
    /// Bits that are set in any address.
    address_bits: u64,
}

impl Evidence {
    /// No evidence yet, for a number of classes.
    pub(crate) fn new(classes: usize) -> Self {
        Evidence { instances: vec![Commonest::default(); classes], mirrors: vec![None; classes], ..Self::default() }
    }

    /// The evidence of all objects in the order of their addresses.
    pub(super) fn gather(classes: &Classes, index: &AddressIndex, shapes: &[Shape], shape_of: &[u32]) -> Self {
        let mut evidence = Evidence::new(classes.len());
        evidence.address(index.address_bits());
        let mut shape_of = shape_of.iter();
        let mut before = None;
        index.each_address(|address| {
            // The shape is that of the object before, to which the distance belongs.
            if let Some(before) = before.replace(address)
                && let Some(shape) = shape_of.next()
                && let Some(distance) = Evidence::distance(before, address)
            {
                match shapes[*shape as usize] {
                    Shape::Instance(class) => evidence.instance(class.as_usize(), distance),
                    Shape::Array(class, length) => evidence.array(classes.get(class).primitive, length, distance),
                    Shape::Mirror(class) => evidence.mirror(class, distance),
                }
            }
        });
        evidence
    }

    /// Adds the address of an object.
    #[inline]
    pub(crate) fn address(&mut self, address: u64) {
        self.address_bits |= address;
    }

    /// The distance between two neighbours; `None` at the border of two regions of the heap.
    #[inline]
    pub(crate) fn distance(address: u64, next: u64) -> Option<u64> {
        next.checked_sub(address).filter(|_| !next.is_multiple_of(REGION))
    }

    /// Adds the distance from an instance to the next object.
    #[inline]
    pub(crate) fn instance(&mut self, class: usize, distance: u64) {
        if distance <= LARGEST {
            self.instances[class].add(distance);
        }
    }

    /// Room for one more class.
    pub(crate) fn grow(&mut self) {
        self.instances.push(Commonest::default());
    }

    /// Adds the distance from an array, of references or of primitive values, to the next object.
    #[inline]
    pub(crate) fn array(&mut self, primitive: Option<FieldType>, length: u32, distance: u64) {
        let alignment = self.alignment();
        let length = u64::from(length);
        match primitive {
            Some(kind) => {
                let bytes = kind.bytes(8);
                vote(&mut self.primitives[bytes.ilog2() as usize], distance, length * u64::from(bytes), alignment);
            }
            None => {
                vote(&mut self.references[0], distance, length * 4, alignment);
                vote(&mut self.references[1], distance, length * 8, alignment);
            }
        }
    }

    /// Sets the distance from a class's `java.lang.Class` object to the next object.
    pub(crate) fn mirror(&mut self, class: ClassIndex, distance: u64) {
        self.mirrors[class.as_usize()] = Some(distance);
    }

    /// Adds the evidence of another reader. `class` gives the class of its number.
    pub(crate) fn join(&mut self, other: Evidence, class: impl Fn(usize) -> ClassIndex) {
        for (number, seen) in other.instances.into_iter().enumerate() {
            self.instances[class(number).as_usize()].join(seen);
        }
        let arrays = |all: &mut [[u64; ARRAY_BASES.len()]], other: &[[u64; ARRAY_BASES.len()]]| {
            all.as_flattened_mut().iter_mut().zip(other.as_flattened()).for_each(|(all, votes)| *all += votes);
        };
        arrays(&mut self.primitives, &other.primitives);
        arrays(&mut self.references, &other.references);
        self.address_bits |= other.address_bits;
    }

    /// The size of a `java.lang.Class` object without static fields, such as those of primitive types, and the size of
    /// each class's object. The part before the static fields is the same in all. `None` if no distance is known.
    pub(super) fn mirrors(&self, statics: impl Fn(ClassIndex) -> u64) -> Option<(u64, Vec<u64>)> {
        let classes = || (0..self.mirrors.len() as u32).map(ClassIndex);
        let before = classes().filter_map(|class| self.mirrors[class.as_usize()]?.checked_sub(statics(class))).min()?;
        let size = |class: ClassIndex| {
            let formula = before + statics(class);
            // Accepts gaps among the static fields that are too small for an object.
            let fits = |distance: &u64| distance.checked_sub(formula).is_some_and(|gap| gap <= self.alignment());
            self.mirrors[class.as_usize()].filter(fits).unwrap_or(formula)
        };
        Some((before, classes().map(size).collect()))
    }

    /// The alignment of objects in bytes: a power of two from 8 to 256.
    pub(super) fn alignment(&self) -> u64 {
        1 << self.address_bits.trailing_zeros().clamp(3, 8)
    }

    /// The distance of most instances of a class.
    pub(super) fn commonest(&self, class: ClassIndex) -> Option<u64> {
        self.instances[class.as_usize()].majority()
    }

    /// The size of a class's instances, if their distances show it. `formula` is their size by formula, `fields` the same
    /// without the surplus of superclasses, `smallest` the size of the smallest object, and `injected` whether the
    /// virtual machine may inject more than the formula has.
    ///
    /// No distance is less than the size. It is greater if a dead object is between: a collection that frees little
    /// does not move objects, and dead ones may follow as regularly as live ones.
    pub(super) fn calibrated(
        &self,
        classes: &Classes,
        class: ClassIndex,
        [fields, formula]: [u64; 2],
        smallest: u64,
        injected: bool,
    ) -> Option<u64> {
        let seen = &self.instances[class.as_usize()];
        let Some(surplus) = seen.least.checked_sub(formula) else {
            // Its own fields are in a gap of a superclass.
            return (seen.least >= fields).then_some(seen.least);
        };
        // With compact headers, an object without fields may be as small as the alignment.
        let usual = seen.majority() == Some(seen.least);
        let no_room = surplus < smallest || surplus <= self.alignment() && usual;
        // Padding on both sides of the fields. A pool is often the only one of its class.
        let padded = surplus == 2 * PADDING || usual;
        let contended = || CONTENDED_CLASSES.contains(&classes.get(class).name.as_str()) && padded;
        (no_room || surplus <= injected::MOST && injected || surplus >= PADDING && contended()).then_some(seen.least)
    }

    /// Start of the elements of arrays of primitive values; `None` without arrays.
    pub(super) fn array_base(&self, element_bytes: u32) -> Option<u64> {
        best(&self.primitives[element_bytes.ilog2() as usize]).map(|(base, _)| base)
    }

    /// Bytes of a reference, and start of the elements of arrays of references. Only a `wide` virtual machine, of 64 bits,
    /// can have references of 8 bytes.
    pub(super) fn references(&self, wide: bool) -> Option<(u32, u64)> {
        match (best(&self.references[0]), best(&self.references[1]).filter(|_| wide)) {
            (Some((base, four)), eight) if eight.is_none_or(|(_, eight)| four >= eight) => Some((4, base)),
            (_, Some((base, _))) => Some((8, base)),
            _ => None,
        }
    }
}

#[inline]
fn vote(votes: &mut [u64; ARRAY_BASES.len()], distance: u64, elements: u64, alignment: u64) {
    // The alignment is a power of two; `next_multiple_of` would divide for each base of each array.
    let below = alignment - 1;
    for (base, votes) in ARRAY_BASES.iter().zip(votes) {
        *votes += u64::from((base + elements + below) & !below == distance);
    }
}

/// The base with the most votes, and how many; of equal ones the likelier.
fn best(votes: &[u64; ARRAY_BASES.len()]) -> Option<(u64, u64)> {
    let most = *votes.iter().max()?;
    let at = votes.iter().position(|votes| *votes == most)?;
    (most > 0).then_some((ARRAY_BASES[at], most))
}
