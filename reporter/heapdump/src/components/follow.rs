//! The objects at the end of paths: a class or some objects, then fields.

use std::collections::{HashMap, HashSet};

use super::fields::values;
use crate::class::ClassIndex;
use crate::error::Error;
use crate::heap::Heap;
use crate::index::ObjectIndex;
use crate::links::ObjectLink;

/// The objects at the end of a path: its longest prefix that names classes of the dump, then fields.
pub(super) fn from_class(heap: &Heap, path: &str) -> Result<Vec<ObjectIndex>, Error> {
    let dots: Vec<usize> = path.match_indices('.').map(|(dot, _)| dot).collect();
    let named = |name: &str| -> Vec<ClassIndex> {
        heap.classes().iter().filter(|(_, class)| class.name == name).map(|(class, _)| class).collect()
    };
    let start =
        dots.iter().rev().map(|dot| (named(&path[..*dot]), &path[dot + 1..])).find(|(found, _)| !found.is_empty());
    let Some((classes, fields)) = start else { return Ok(Vec::new()) };
    let is = |class: ClassIndex| classes.iter().any(|ancestor| heap.classes().is_a(class, *ancestor));
    let is: Vec<bool> = heap.classes().iter().map(|(class, _)| is(class)).collect();
    let holds = |object: &ObjectIndex| match heap.class_object(*object) {
        Some(class) => classes.contains(&class),
        None => is[heap.class_of(*object).as_usize()],
    };
    // They count as one start, so that an end is kept once.
    let all = ObjectIndex(0);
    let pairs = heap.objects().filter(holds).map(|object| (all, object)).collect();
    Ok(ends(heap, pairs, fields)?.into_iter().map(|(_, end)| end).collect())
}

/// The objects at the end of a path of fields from each of some objects: pairs of a start and an end, each once.
pub(crate) fn from_objects(
    heap: &Heap,
    starts: &[ObjectIndex],
    fields: &str,
) -> Result<Vec<(ObjectIndex, ObjectIndex)>, Error> {
    ends(heap, starts.iter().map(|start| (*start, *start)).collect(), fields)
}

/// The text of each object at the end of the first of some paths that ends at one which is not empty; else an empty one.
pub(super) fn texts(
    heap: &Heap,
    objects: &[ObjectIndex],
    paths: &[String],
) -> Result<HashMap<ObjectIndex, String>, Error> {
    let mut named: HashMap<ObjectIndex, String> = HashMap::new();
    for path in paths {
        let is_open = |object: &&ObjectIndex| named.get(object).is_none_or(String::is_empty);
        let open: Vec<ObjectIndex> = objects.iter().filter(is_open).copied().collect();
        let found = from_objects(heap, &open, path)?;
        let texts = heap.texts(&found.iter().map(|(_, end)| *end).collect::<Vec<_>>())?;
        for (object, end) in found {
            if let Some(text) = texts.get(&end) {
                let name = named.entry(object).or_default();
                if name.is_empty() {
                    name.clone_from(text);
                }
            }
        }
    }
    Ok(named)
}

fn ends(
    heap: &Heap,
    mut pairs: Vec<(ObjectIndex, ObjectIndex)>,
    fields: &str,
) -> Result<Vec<(ObjectIndex, ObjectIndex)>, Error> {
    for field in fields.split('.') {
        let name = field.trim_end_matches("[]");
        pairs = step(
            heap,
            pairs,
            |link| matches!(link, ObjectLink::Field(found) | ObjectLink::Static(found) if found == name),
        )?;
        for _ in 0..(field.len() - name.len()) / 2 {
            pairs = step(heap, pairs, |link| matches!(link, ObjectLink::Element(_)))?;
        }
    }
    Ok(pairs)
}

/// One reference further. The order is that of the records: if several classes declare a field, the subclass's is first.
fn step(
    heap: &Heap,
    pairs: Vec<(ObjectIndex, ObjectIndex)>,
    wanted: impl Fn(&ObjectLink) -> bool,
) -> Result<Vec<(ObjectIndex, ObjectIndex)>, Error> {
    let mut starts: HashMap<ObjectIndex, Vec<ObjectIndex>> = HashMap::new();
    pairs.into_iter().for_each(|(start, at)| starts.entry(at).or_default().push(start));
    let objects: Vec<ObjectIndex> = starts.keys().copied().collect();
    let further = values(heap, &objects, wanted)?.into_iter();
    let mut seen = HashSet::new();
    let further = further.flat_map(|(at, end)| starts[&at].iter().map(move |start| (*start, end)));
    Ok(further.filter(|pair| seen.insert(*pair)).collect())
}
