//! Padding around fields that the JDK marks `@Contended` (JEP 142). No dump states it.
//!
//! HotSpot puts a group of such fields after the others, with padding before and after it
//! (`FieldLayoutBuilder::compute_regular_layout`, before JDK 15 `ClassFileParser::layout_fields`). Often a class has only
//! one pool or one counter's cell, so distances between objects do not show the padding.

use crate::class::{ClassIndex, Classes};
use crate::hprof::Dump;

/// `-XX:ContendedPaddingWidth`.
pub(super) const PADDING: u64 = 128;

/// Fields of one group, by class. No names mean all fields of the class.
const GROUPS: [(&str, &[&str]); 3] = [
    ("java.util.concurrent.ConcurrentHashMap$CounterCell", &[]),
    ("java.util.concurrent.ForkJoinPool", &["ctl", "parallelism"]),
    ("java.util.concurrent.atomic.Striped64$Cell", &[]),
];

/// Bytes that padding adds to a class's instances, that of its superclasses included. `end` gives the offset at which
/// all fields end without it.
pub(super) fn bytes(
    dump: &Dump,
    classes: &Classes,
    class: ClassIndex,
    reference: u32,
    end: impl Fn(ClassIndex) -> u64,
) -> u64 {
    let group = |class: ClassIndex| GROUPS.iter().find(|(name, _)| *name == classes.get(class).name);
    let Some((class, (_, names))) = classes.ancestry(class).find_map(|class| Some((class, group(class)?))) else {
        return 0;
    };
    let fields = classes.get(class).fields.iter();
    let of_group = |name| names.is_empty() || dump.text(name).is_some_and(|name| names.contains(&&*name));
    let group: Vec<u64> =
        fields.filter(|field| of_group(field.name)).map(|field| u64::from(field.kind.bytes(reference))).collect();
    let (Some(largest), plain) = (group.iter().max(), end(class)) else { return 0 };
    let fields: u64 = group.iter().sum();
    (plain - fields + PADDING).next_multiple_of(*largest) + fields + PADDING - plain
}
