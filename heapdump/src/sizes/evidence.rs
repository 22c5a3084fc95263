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

/// Bytes that the virtual machine injects into a class's instances at the most.
const INJECTED: u64 = 24;

/// Classes into whose instances HotSpot injects fields, and so into those of their subclasses (`javaClasses.hpp`, the
/// lists `..._INJECTED_FIELDS`).
const INJECTED_INTO: [&str; 9] = [
    "java.lang.ClassLoader",
    "java.lang.InternalError",
    "java.lang.Module",
    "java.lang.StackFrameInfo",
    "java.lang.Thread",
    "java.lang.invoke.MemberName",
    "java.lang.invoke.MethodHandleNatives$CallSiteContext",
    "java.lang.invoke.ResolvedMethodName",
    "jdk.internal.reflect.ConstantPool",
];

/// `-XX:ContendedPaddingWidth`: what `@Contended` adds at the least.
const CONTENDED: u64 = 128;

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

    /// The value that at least two and more than half of all have.
    fn majority(&self) -> Option<u64> {
        let (value, count) = *self.values.iter().max_by_key(|(_, count)| *count)?;
        (count >= 2 && count > self.all / 2).then_some(value)
    }
}

/// What distances tell of the layout.
pub(super) struct Evidence {
    instances: Vec<Commonest>,
    /// Of each class's `java.lang.Class` object.
    mirrors: Vec<Option<u64>>,
    /// Arrays whose distance fits a start of elements, by the bytes of an element (index: their logarithm).
    primitives: [[u64; ARRAY_BASES.len()]; 4],
    /// The same for arrays of references of 4 and of 8 bytes.
    references: [[u64; ARRAY_BASES.len()]; 2],
    /// Bits that are set in any address.
    address_bits: u64,
}

/// Each object's shape and distance to the next object.
fn distances<'a>(index: &'a AddressIndex, shape_of: &'a [u32]) -> impl Iterator<Item = (u32, u64)> + 'a {
    let mut addresses = index.addresses().zip(shape_of).peekable();
    std::iter::from_fn(move || {
        let (address, shape) = addresses.next()?;
        let (next, _) = addresses.peek()?;
        Some((*shape, next - address))
    })
}

impl Evidence {
    pub(super) fn gather(classes: &Classes, index: &AddressIndex, shapes: &[Shape], shape_of: &[u32]) -> Self {
        let mut evidence = Evidence {
            instances: vec![Commonest::default(); classes.len()],
            mirrors: vec![None; classes.len()],
            primitives: [[0; ARRAY_BASES.len()]; 4],
            references: [[0; ARRAY_BASES.len()]; 2],
            address_bits: 0,
        };
        for address in index.addresses() {
            evidence.address_bits |= address;
        }
        let alignment = evidence.alignment();
        for (shape, distance) in distances(index, shape_of) {
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
                Shape::Mirror(class) => evidence.mirrors[class.as_usize()] = Some(distance),
                Shape::Instance(_) => {}
            }
        }
        evidence
    }

    /// The size of a `java.lang.Class` object without static fields, as those of primitive types are, and that of each
    /// class's: what the virtual machine puts in front of the static fields is the same for all. `None` if no object
    /// lies behind any.
    pub(super) fn mirrors(&self, statics: impl Fn(ClassIndex) -> u64) -> Option<(u64, Vec<u64>)> {
        let classes = || (0..self.mirrors.len() as u32).map(ClassIndex);
        let before = classes().filter_map(|class| self.mirrors[class.as_usize()]?.checked_sub(statics(class))).min()?;
        let size = |class: ClassIndex| {
            let formula = before + statics(class);
            // Gaps among the static fields, as no object has room there.
            let distance = self.mirrors[class.as_usize()].filter(|distance| distance - formula <= self.alignment());
            distance.unwrap_or(formula)
        };
        Some((before, classes().map(size).collect()))
    }

    /// Bytes between the starts of objects that are next to each other, at the least: a power of two from 8 to 256.
    pub(super) fn alignment(&self) -> u64 {
        1 << self.address_bits.trailing_zeros().clamp(3, 8)
    }

    /// The distance that most instances of a class have.
    pub(super) fn commonest(&self, class: ClassIndex) -> Option<u64> {
        self.instances[class.as_usize()].majority()
    }

    /// The size of a class's instances, which have `formula` bytes, as far as their distances show it; `fields` is what
    /// the formula gives without what superclasses have beyond it.
    ///
    /// No distance is less than the size. It is more where a dead object lies between: a collection that frees little
    /// leaves these where they are, and some are laid out as regularly as the living.
    pub(super) fn instance(&self, classes: &Classes, class: ClassIndex, fields: u64, formula: u64) -> Option<u64> {
        let seen = &self.instances[class.as_usize()];
        let Some(surplus) = seen.least.checked_sub(formula) else {
            // Its own fields stand in a gap that a superclass left.
            return (seen.least >= fields).then_some(seen.least);
        };
        let named = |class: ClassIndex, names: &[&str]| names.contains(&classes.get(class).name.as_str());
        // No object is as small as the alignment, but for those of compact headers without a field.
        let no_room = surplus <= self.alignment();
        let injected = || classes.ancestry(class).any(|class| named(class, &INJECTED_INTO));
        // Padding on both sides of the fields; a pool is often the only one.
        let padded = surplus == 2 * CONTENDED || seen.majority() == Some(seen.least);
        let contended = || named(class, &CONTENDED_CLASSES) && padded;
        (no_room || surplus <= INJECTED && injected() || surplus >= CONTENDED && contended()).then_some(seen.least)
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
