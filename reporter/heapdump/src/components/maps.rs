//! The entries of maps of `java.util`, by the names of their fields (JDK 8 to 25).

use std::collections::{HashMap, HashSet};

use crate::error::Error;
use crate::heap::Heap;
use crate::index::ObjectIndex;
use crate::links::{FieldNames, ObjectLink};

/// An entry of a map.
pub(super) struct MapEntry {
    pub(super) map: ObjectIndex,
    /// Absent if it is null.
    pub(super) key: Option<ObjectIndex>,
    pub(super) value: ObjectIndex,
}

/// The fields from a map to its entries, and from one entry to others: the tables of `HashMap`, `LinkedHashMap`,
/// `ConcurrentHashMap` (while it grows, two) and `Hashtable`; the trees of `TreeMap` and of tables with many equal hashes;
/// the map in a synchronized or unmodifiable one.
const INSIDE: [&str; 8] = ["table", "nextTable", "next", "first", "root", "left", "right", "m"];

/// The entries of some maps that have a value. Keys and values are not entered.
///
/// # Errors
/// The dump's file cannot be read any more.
pub(super) fn entries(heap: &Heap, maps: &[ObjectIndex]) -> Result<Vec<MapEntry>, Error> {
    let of_jdk = |object: ObjectIndex| heap.classes().get(heap.class_of(object)).name.starts_with("java.util.");
    let mut names = FieldNames::new(heap);
    let mut seen: HashSet<ObjectIndex> = maps.iter().copied().collect();
    let mut open: HashMap<ObjectIndex, ObjectIndex> = maps.iter().map(|map| (*map, *map)).collect();
    let mut entries = Vec::new();
    while !open.is_empty() {
        let objects: Vec<ObjectIndex> = open.keys().copied().collect();
        let mut further = HashMap::new();
        heap.reread(&objects, |object, record| {
            let Some(&map) = open.get(&object) else { return };
            let (mut key, mut value) = (None, None);
            heap.each_link(&mut names, object, record, |link, target| match link() {
                ObjectLink::Field(name) if name == "key" => key = Some(target),
                ObjectLink::Field(name) if name == "value" || name == "val" => value = Some(target),
                ObjectLink::Field(name) if !INSIDE.contains(&name.as_str()) => {}
                ObjectLink::Field(_) | ObjectLink::Element(_) if of_jdk(target) && seen.insert(target) => {
                    further.insert(target, map);
                }
                _ => {}
            });
            entries.extend(value.map(|value| MapEntry { map, key, value }));
        })?;
        open = further;
    }
    Ok(entries)
}
