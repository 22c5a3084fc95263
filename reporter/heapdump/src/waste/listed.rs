//! Classes whose instances a search for waste lists one by one.

use crate::class::{ClassIndex, Classes};

/// Classes whose instances form chains in the buckets of hash tables.
pub(super) const NODES: [&str; 2] = ["java.util.HashMap$Node", "java.util.concurrent.ConcurrentHashMap$Node"];

pub(super) const BOXES: [&str; 8] = ["Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short"];

/// Whether instances of a class are listed one by one. Sums by class take little memory.
pub(crate) fn is_listed(classes: &Classes, class: ClassIndex) -> bool {
    let name = |class: ClassIndex| classes.get(class).name.as_str();
    let boxed = name(class).strip_prefix("java.lang.").is_some_and(|name| name == "String" || BOXES.contains(&name));
    boxed || classes.ancestry(class).any(|class| NODES.contains(&name(class)))
}
