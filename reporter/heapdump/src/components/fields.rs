//! What objects refer to, by the names of their fields.

use std::collections::HashMap;

use crate::error::Error;
use crate::heap::Heap;
use crate::hprof::Record;
use crate::index::ObjectIndex;
use crate::links::{FieldNames, ObjectLink};

/// The texts of a string field of some objects. If several classes declare a field of that name, the subclass's counts.
pub(super) fn texts_of_field(
    heap: &Heap,
    objects: &[ObjectIndex],
    field: &str,
) -> Result<HashMap<ObjectIndex, String>, Error> {
    let values = values_of_field(heap, objects, field)?;
    let strings: Vec<ObjectIndex> = values.iter().map(|(_, value)| *value).collect();
    let texts = heap.texts(&strings)?;
    let mut named = HashMap::new();
    for (object, value) in values {
        if let Some(text) = texts.get(&value) {
            named.entry(object).or_insert_with(|| text.clone());
        }
    }
    Ok(named)
}

/// The objects to which objects refer by an instance field, in the order of their records.
pub(super) fn values_of_field(
    heap: &Heap,
    objects: &[ObjectIndex],
    field: &str,
) -> Result<Vec<(ObjectIndex, ObjectIndex)>, Error> {
    values(heap, objects, |link| matches!(link, ObjectLink::Field(name) if name == field))
}

/// The objects to which objects refer by references that pass a test, in the order of their records.
pub(super) fn values(
    heap: &Heap,
    objects: &[ObjectIndex],
    wanted: impl Fn(&ObjectLink) -> bool,
) -> Result<Vec<(ObjectIndex, ObjectIndex)>, Error> {
    let mut names = FieldNames::new(heap);
    let mut values = Vec::new();
    heap.reread(objects, |object, record: Record<'_, '_>| {
        heap.each_link(&mut names, object, record, |link, target| {
            if wanted(&link()) {
                values.push((object, target));
            }
        });
    })?;
    Ok(values)
}
