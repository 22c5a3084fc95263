//! Equal arrays that are worth sharing: not the buffers that are still, or again, full of zeros.

use std::collections::HashSet;

use weighbridge_heapdump::waste::{Duplicates, Waste};
use weighbridge_heapdump::{Error, Heap, ObjectIndex, Record};

/// Whether the values of a dump are gone ([`weighbridge_heapdump::redact`]): all its strings are zeros.
pub(super) fn is_redacted(waste: &Waste) -> bool {
    let is_zeros = |text: &Option<String>| text.as_ref().is_some_and(|text| text.chars().all(|c| c == '\0'));
    !waste.strings.groups.is_empty() && waste.strings.groups.iter().all(|group| is_zeros(&group.text))
}

/// Leaves out the groups whose content is zeros: the program may still write to them. Reads an example of each group.
///
/// # Errors
/// The dump's file cannot be read any more.
pub(super) fn with_values(heap: &Heap, found: &Duplicates) -> Result<Duplicates, Error> {
    let examples: Vec<ObjectIndex> = found.groups.iter().map(|group| group.example).collect();
    let mut zeros = HashSet::new();
    heap.reread(&examples, |array, record| {
        if let Record::Primitives { mut elements, .. } = record {
            let mut only_zeros = true;
            while let Some(piece) = elements.next_piece() {
                only_zeros &= piece.iter().all(|byte| *byte == 0);
            }
            if only_zeros {
                zeros.insert(array);
            }
        }
    })?;
    let mut rest = found.clone();
    rest.groups.retain(|group| !zeros.contains(&group.example));
    let left_out = found.groups.iter().filter(|group| zeros.contains(&group.example));
    rest.saved_bytes -= left_out.map(|group| group.saved_bytes).sum::<u64>().min(rest.saved_bytes);
    Ok(rest)
}
