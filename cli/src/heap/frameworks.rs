//! The shipped rules of the frameworks that a dump has.

use weighbridge_ending::Failure;
use weighbridge_heapdump::Heap;
use weighbridge_heapdump::components::{Definition, Turn};

use super::definitions::defined;

/// Adds the rules of the frameworks of which the heap has a class; gives their names.
pub(super) fn add(heap: &Heap, definitions: &mut Vec<Definition>) -> Result<Vec<&'static str>, Failure> {
    let mut all = weighbridge_config::frameworks()?;
    all.retain(|framework| framework.classes.iter().any(|class| heap.classes().find_by_name(class).is_some()));
    definitions.extend(all.iter().flat_map(|framework| defined(&framework.components, Turn::Frameworks)));
    Ok(all.iter().map(|framework| framework.name).collect())
}
