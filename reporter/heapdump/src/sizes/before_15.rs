//! Where the fields of an instance end in virtual machines before JDK 15.
//!
//! Since JDK 15 (JDK-8237767) a class's fields fill the gaps of its superclasses, and the bytes of all fields add up to
//! the size. Before, each class laid out its fields after those of its superclass (`ClassFileParser::layout_fields`), and
//! the gaps stayed.

use super::injected;
use crate::class::{ClassIndex, Classes};
use crate::hprof::{Dump, FieldType};

/// Classes whose references come first and whose gaps stay open: the virtual machine knows the offsets.
const REFERENCES_FIRST: [&str; 16] = [
    "java.lang.AssertionStatusDirectives",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Class",
    "java.lang.ClassLoader",
    "java.lang.Double",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
    "java.lang.StackTraceElement",
    "java.lang.String",
    "java.lang.Throwable",
    "java.lang.ref.Reference",
    "java.lang.ref.SoftReference",
];

/// Whether such a virtual machine wrote the dump: `Class.classData` came with JDK 15 (JEP 371).
pub(super) fn wrote(dump: &Dump, classes: &Classes) -> bool {
    let fields = &classes.get(classes.mirror()).fields;
    !fields.is_empty() && !fields.iter().any(|field| dump.text(field.name).as_deref() == Some("classData"))
}

/// For each class the offset at which the fields of its instances end.
pub(super) fn ends(classes: &Classes, header: u32, reference: u32, pointer: u32) -> Vec<u64> {
    let mut ends: Vec<Option<u64>> = vec![None; classes.len()];
    for (class, _) in classes.iter() {
        let unknown: Vec<ClassIndex> =
            classes.ancestry(class).take_while(|class| ends[class.as_usize()].is_none()).collect();
        for class in unknown.into_iter().rev() {
            let above = classes.get(class).superclass.and_then(|above| ends[above.as_usize()]);
            ends[class.as_usize()] =
                Some(end(classes, class, above.unwrap_or(header.into()), reference.into(), pointer));
        }
    }
    ends.into_iter().map(|end| end.unwrap_or(header.into())).collect()
}

/// The offset at which a class's own fields end if they start at `start`.
fn end(classes: &Classes, class: ClassIndex, start: u64, reference: u64, pointer: u32) -> u64 {
    let described = classes.get(class);
    let count = |bytes: u32| {
        let of_size = |kind: FieldType| kind != FieldType::Object && kind.bytes(8) == bytes;
        let injected = pointer == bytes && injected::pointer(&described.name);
        described.fields.iter().filter(|field| of_size(field.kind)).count() as u64 + u64::from(injected)
    };
    let (longs, mut ints, mut shorts, mut bytes) = (count(8), count(4), count(2), count(1));
    let mut references = described.fields.iter().filter(|field| field.kind == FieldType::Object).count() as u64;
    let references_first = REFERENCES_FIRST.contains(&described.name.as_str());
    let mut at = start;
    if references_first {
        at = at.next_multiple_of(reference) + references * reference;
        references = 0;
    }
    if longs > 0 {
        let aligned = at.next_multiple_of(8);
        let mut gap = if references_first { 0 } else { aligned - at };
        let mut fill = |count: &mut u64, size: u64, most: u64| {
            let fitting = (gap / size).min(*count).min(most);
            *count -= fitting;
            gap -= fitting * size;
        };
        fill(&mut ints, 4, 1);
        fill(&mut shorts, 2, u64::MAX);
        fill(&mut bytes, 1, u64::MAX);
        fill(&mut references, reference, 1);
        at = aligned + longs * 8;
    }
    at += ints * 4 + shorts * 2 + bytes;
    if references > 0 {
        at = at.next_multiple_of(reference) + references * reference;
    }
    at.next_multiple_of(reference)
}
