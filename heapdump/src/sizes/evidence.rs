//! Distances between neighbours in the heap, by class: where nothing lies between two objects, the distance is the
//! size of the first.

use crate::class::{ClassIndex, Classes};
use crate::graph::Shape;
use crate::index::AddressIndex;

/// Distances that are counted for a class: the commonest survives if it makes up more than a fifth (Misra and Gries,
/// "Finding repeated elements", 1982).
const KEPT: usize = 4;

/// A greater distance is a hole in the heap, not the size of an object that is no array.
const LARGEST: u64 = 1 << 16;

/// Instances whose distance is taken for their size although it is more than their fields need.
const AGREED: u32 = 16;

/// `-XX:ContendedPaddingWidth`: what `@Contended` adds at the least.
const CONTENDED: u64 = 128;

/// The starts of elements that HotSpot has: 8-byte header and length (compact headers, or 32 bits), 12-byte header,
/// and the two of a 16-byte header, before and since JDK-8139457. The likelier ones first.
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
    fn add(&mut self, value: u64) {
        self.all = self.all.saturating_add(1);
        self.least = self.least.min(value);
        if let Some((_, count)) = self.values.iter_mut().find(|(known, count)| *known == value && *count > 0) {
            *count = count.saturating_add(1);
        } else if let Some(free) = self.values.iter_mut().find(|(_, count)| *count == 0) {
            *free = (value, 1);
        } else {
            self.values.iter_mut().for_each(|(_, count)| *count -= 1);
        }
    }

    /// The value that at least two and more than half of all have, and how many these are.
    fn majority(&self) -> Option<(u64, u32)> {
        let (value, count) = *self.values.iter().max_by_key(|(_, count)| *count)?;
        (count >= 2 && count > self.all / 2).then_some((value, count))
    }
}

/// What distances tell of the layout.
pub(super) struct Evidence {
    instances: Vec<Commonest>,
    /// Arrays whose distance fits a start of elements, by the bytes of an element (index: their logarithm).
    primitives: [[u64; ARRAY_BASES.len()]; 4],
    /// The same for arrays of references of 4 and of 8 bytes.
    references: [[u64; ARRAY_BASES.len()]; 2],
    /// Bits that are set in any address.
    address_bits: u64,
}

/// Each object's shape and distance to the next object.
fn distances<'a>(index: &'a AddressIndex, shape_of: &'a [u32]) -> impl Iterator<Item = (u64, u32, u64)> + 'a {
    let mut addresses = index.addresses().zip(shape_of).peekable();
    std::iter::from_fn(move || {
        let (address, shape) = addresses.next()?;
        let (next, _) = addresses.peek()?;
        Some((address, *shape, next - address))
    })
}

impl Evidence {
    pub(super) fn gather(classes: &Classes, index: &AddressIndex, shapes: &[Shape], shape_of: &[u32]) -> Self {
        let mut evidence = Evidence {
            instances: vec![Commonest::default(); classes.len()],
            primitives: [[0; ARRAY_BASES.len()]; 4],
            references: [[0; ARRAY_BASES.len()]; 2],
            address_bits: 0,
        };
        for address in index.addresses() {
            evidence.address_bits |= address;
        }
        let alignment = evidence.alignment();
        for (_, shape, distance) in distances(index, shape_of) {
            match shapes[shape as usize] {
                Shape::Instance(class) if distance <= LARGEST => evidence.instances[class.as_usize()].add(distance),
                Shape::Array(class, length) => match classes.get(class).primitive {
                    Some(kind) => {
                        let bytes = kind.bytes(8);
                        let votes = &mut evidence.primitives[bytes.ilog2() as usize];
                        vote(votes, distance, u64::from(length) * u64::from(bytes), alignment);
                    }
                    None => {
                        vote(&mut evidence.references[0], distance, u64::from(length) * 4, alignment);
                        vote(&mut evidence.references[1], distance, u64::from(length) * 8, alignment);
                    }
                },
                _ => {}
            }
        }
        evidence
    }

    /// What the virtual machine puts in front of the static fields of a `java.lang.Class` object.
    pub(super) fn mirrors(
        index: &AddressIndex,
        shapes: &[Shape],
        shape_of: &[u32],
        statics: impl Fn(ClassIndex) -> u64,
    ) -> Option<u64> {
        let mut commonest = Commonest::default();
        for (_, shape, distance) in distances(index, shape_of) {
            if let Shape::Mirror(class) = shapes[shape as usize]
                && let Some(before) = distance.checked_sub(statics(class)).filter(|before| *before <= LARGEST)
            {
                commonest.add(before);
            }
        }
        commonest.majority().map(|(before, _)| before)
    }

    /// Bytes between the starts of objects that are next to each other, at the least: a power of two from 8 to 256.
    pub(super) fn alignment(&self) -> u64 {
        1 << self.address_bits.trailing_zeros().clamp(3, 8)
    }

    /// The distance that most instances of a class have.
    pub(super) fn commonest(&self, class: ClassIndex) -> Option<u64> {
        self.instances[class.as_usize()].majority().map(|(distance, _)| distance)
    }

    /// The size of a class's instances, which have at least `formula` bytes, as far as their distances show it.
    ///
    /// No distance is less than the size. It is more where a dead object lies between: a collection that frees little
    /// leaves these where they are.
    pub(super) fn instance(&self, class: ClassIndex, formula: u64) -> Option<u64> {
        let seen = &self.instances[class.as_usize()];
        let surplus = seen.least.checked_sub(formula)?;
        let agreed = seen.majority().filter(|(distance, _)| *distance == seen.least).map_or(0, |(_, count)| count);
        // No object fits into 8 bytes, but for those of compact headers without a field.
        let injected = surplus <= 8;
        (injected || agreed >= AGREED || agreed >= 2 && surplus >= CONTENDED).then_some(seen.least)
    }

    /// Start of the elements of arrays of primitive values; `None` without arrays.
    pub(super) fn array_base(&self, element_bytes: u32) -> Option<u64> {
        best(&self.primitives[element_bytes.ilog2() as usize]).map(|(base, _)| base)
    }

    /// Bytes of a reference, and start of the elements of arrays of them.
    pub(super) fn references(&self) -> Option<(u32, u64)> {
        match (best(&self.references[0]), best(&self.references[1])) {
            (Some((base, four)), eight) if eight.is_none_or(|(_, eight)| four >= eight) => Some((4, base)),
            (_, Some((base, _))) => Some((8, base)),
            _ => None,
        }
    }
}

fn vote(votes: &mut [u64; ARRAY_BASES.len()], distance: u64, elements: u64, alignment: u64) {
    for (base, votes) in ARRAY_BASES.iter().zip(votes) {
        *votes += u64::from((base + elements).next_multiple_of(alignment) == distance);
    }
}

/// The base with the most votes; the likelier one of two with equally many.
fn best(votes: &[u64; ARRAY_BASES.len()]) -> Option<(u64, u64)> {
    let most = *votes.iter().max()?;
    let at = votes.iter().position(|votes| *votes == most)?;
    (most > 0).then_some((ARRAY_BASES[at], most))
}
