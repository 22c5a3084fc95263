//! Which classes of a dump are chosen, and what of their objects is followed: as the runtime's walk does (`Shapes`).

use std::collections::HashMap;

use super::figures::ChosenFigures;
use super::holders::{ROWS, holders};
use super::labels::{Belongs, ClassMembership};
use super::registered::values;
use super::walk::{Links, walk};
use crate::class::ClassIndex;
use crate::components::Names;
use crate::error::Error;
use crate::graph::{Graph, GraphNode, NodeIndex, NodeSet};
use crate::heap::Heap;
use crate::hprof::{FieldType, Record};
use crate::index::ObjectIndex;

/// A class that is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenClass {
    /// Its dotted name.
    pub name: String,
    /// The addresses of its loaders; 0 is the boot loader. None: whatever loader defines it.
    pub loaders: Vec<u64>,
    /// Whether it is a row; else its objects are only counted.
    pub is_row: bool,
    /// By number.
    pub component: Option<u32>,
    /// The fields that its row follows, where the configuration lists them.
    pub fields: Option<Vec<String>>,
}

/// The component of a class, by its name.
pub type ComponentOf = Box<dyn Fn(&str) -> Option<u32>>;

/// Classes that a configuration names: a pattern stands for the classes that it matches, a name alone also for those below it.
pub struct Covered {
    /// Whether a class is named itself.
    pub itself: Names,
    /// Whether it is named with all below it.
    pub with_those_below: Names,
}

/// What is measured, and how.
pub struct Chosen {
    /// Classes; the rows are those of [`ChosenClass::is_row`], in this order.
    pub classes: Vec<ChosenClass>,
    /// Components.
    pub components: u32,
    /// The component of a class that is not chosen.
    pub component_of: ComponentOf,
    /// Own labels do not enter the objects of these classes.
    pub hubs: Covered,
    /// Objects of these are neither counted nor entered.
    pub excluded: Covered,
    /// Whether soft references are followed. The graph follows them in any case: their objects live.
    pub soft: bool,
    /// Combinations of tags, and the one of each object that has tags.
    pub tags: (u32, HashMap<ObjectIndex, u32>),
    /// Whether to look for what holds the objects of the largest rows.
    pub holders: bool,
}

/// Classes of the JDK whose own fields are not followed, as all lead from there to the whole JVM: those declared by these,
const MACHINERY: [&str; 2] = ["java.lang.ref.Reference", "java.lang.Module"];
/// and those declared by these or by classes of the JDK below them.
const MACHINERY_ABOVE: [&str; 3] = ["java.lang.ref.PhantomReference", "java.lang.Thread", "java.lang.ClassLoader"];

impl ChosenFigures {
    /// Measures the chosen classes of a dump. The rows are in the order of the chosen classes.
    ///
    /// # Errors
    /// The dump cannot be read any more.
    pub fn from_heap(heap: &Heap, graph: &Graph, reachable: &NodeSet, chosen: &Chosen) -> Result<ChosenFigures, Error> {
        let plan = MeasurePlan::from_heap(heap, chosen);
        let links = plan.links(heap, reachable)?;
        let off_heap = off_heap(heap, reachable)?;
        let object = |node: NodeIndex| match graph.node(node) {
            GraphNode::Object(object) => object,
            _ => unreachable!("the walk asks for objects"),
        };
        let kind = |node| {
            let object = object(node);
            match heap.class_object(object) {
                Some(_) => ClassMembership { is_skipped: true, ..ClassMembership::default() },
                None => plan.kinds[heap.class_of(object).as_usize()],
            }
        };
        let weight = |node| (heap.node_bytes(node), off_heap.get(&object(node)).copied().unwrap_or(0));
        let tag = |node| chosen.tags.1.get(&object(node)).copied();
        let mut figures = walk(graph, reachable, &plan.belongs, kind, tag, &links, weight);
        if chosen.holders {
            let of_row = |row: u32| -> Vec<ObjectIndex> {
                let is_of_row =
                    |object: &ObjectIndex| reachable.has(*object) && kind((*object).into()).row == Some(row);
                heap.objects().filter(is_of_row).collect()
            };
            figures.holders = holders(heap, graph, figures.largest(ROWS), kind, of_row)?;
        }
        Ok(figures)
    }
}

struct MeasurePlan {
    /// By class.
    kinds: Vec<ClassMembership>,
    belongs: Belongs,
    /// Classes whose instances do not pass on all that they refer to: the fields that are followed, and those that are
    /// followed but not for the row. As offsets into the values of an instance.
    fields: HashMap<ClassIndex, (Vec<u32>, Vec<u32>)>,
}

impl MeasurePlan {
    fn from_heap(heap: &Heap, chosen: &Chosen) -> MeasurePlan {
        let classes = heap.classes();
        let rows: Vec<&ChosenClass> = chosen.classes.iter().filter(|class| class.is_row).collect();
        let belongs = Belongs {
            rows: rows.iter().map(|row| row.component).collect(),
            components: chosen.components,
            tags: chosen.tags.0,
        };
        let mut row_of = HashMap::new();
        let mut by_name: HashMap<&str, Vec<(usize, &ChosenClass)>> = HashMap::new();
        for (at, class) in chosen.classes.iter().enumerate() {
            if class.is_row {
                row_of.insert(at, row_of.len() as u32);
            }
            by_name.entry(&class.name).or_default().push((at, class));
        }
        let is_chosen = |class: ClassIndex| {
            let class = classes.get(class);
            let named = by_name.get(class.name.as_str())?;
            let is_of = |known: &ChosenClass| known.loaders.is_empty() || known.loaders.contains(&class.loader);
            named.iter().find(|(_, known)| is_of(known)).copied()
        };
        let covers = |covered: &Covered, class| {
            (covered.itself)(&classes.get(class).name)
                || classes.ancestry(class).any(|class| (covered.with_those_below)(&classes.get(class).name))
        };
        let named = |names: &[&str]| -> Vec<ClassIndex> {
            names.iter().filter_map(|name| classes.find_by_name(name)).collect()
        };
        let (machinery, above) = (named(&MACHINERY), named(&MACHINERY_ABOVE));
        let is_machinery = |class: ClassIndex| {
            classes.get(class).loader == 0
                && (machinery.contains(&class) || classes.ancestry(class).any(|class| above.contains(&class)))
        };
        let soft = classes.find_by_name("java.lang.ref.SoftReference").filter(|_| chosen.soft);
        let mut fields = HashMap::new();
        let mut kinds = Vec::new();
        for (index, class) in classes.iter() {
            let nearest = classes.ancestry(index).find_map(is_chosen);
            let component = || (chosen.component_of)(class.name.trim_end_matches("[]"));
            // Arrays are no hubs, and are never left out.
            let is_instance = !class.name.ends_with("[]");
            kinds.push(ClassMembership {
                row: nearest.and_then(|(at, _)| row_of.get(&at).copied()),
                is_chosen: nearest.is_some(),
                component: nearest.map_or_else(component, |(_, known)| known.component),
                is_hub: is_instance && covers(&chosen.hubs, index),
                is_skipped: is_instance && covers(&chosen.excluded, index),
            });
            let listed = nearest.and_then(|(_, known)| known.fields.as_ref());
            if listed.is_none() && !classes.ancestry(index).any(is_machinery) {
                continue;
            }
            let is_soft = soft.is_some_and(|soft| classes.is_a(index, soft));
            let (mut followed, mut unlisted) = (Vec::new(), Vec::new());
            for (declaring, field, offset) in classes.instance_fields(index, heap.dump().ids().bytes()) {
                let name = || heap.name_of_field(field.name);
                let is_own = is_machinery(declaring);
                if field.kind != FieldType::Object || is_own && !(is_soft && name() == "referent") {
                    continue;
                }
                match listed {
                    Some(listed) if !listed.contains(&name()) => unlisted.push(offset),
                    _ => followed.push(offset),
                }
            }
            fields.insert(index, (followed, unlisted));
        }
        MeasurePlan { kinds, belongs, fields }
    }

    /// The references of the objects of these classes.
    fn links(&self, heap: &Heap, reachable: &NodeSet) -> Result<HashMap<NodeIndex, Links>, Error> {
        let is_wanted = |object: &ObjectIndex| {
            reachable.has(*object)
                && heap.class_object(*object).is_none()
                && self.fields.contains_key(&heap.class_of(*object))
        };
        let wanted: Vec<ObjectIndex> = heap.objects().filter(is_wanted).collect();
        let mut links = HashMap::with_capacity(wanted.len());
        heap.reread(&wanted, |object, record| {
            let Record::Instance { fields, .. } = record else { return };
            let (followed, unlisted) = &self.fields[&heap.class_of(object)];
            let ids = heap.dump().ids();
            let targets = |offsets: &[u32]| -> Vec<NodeIndex> {
                let whole = offsets.iter().filter(|offset| fields.len() >= (**offset + ids.bytes()) as usize);
                let addresses = whole.map(|offset| ids.read(fields, *offset as usize)).filter(|address| *address != 0);
                addresses.filter_map(|address| heap.find(address)).map(NodeIndex::from).collect()
            };
            links.insert(object.into(), Links { followed: targets(followed), unlisted: targets(unlisted) });
        })?;
        Ok(links)
    }
}

/// The memory outside the heap that direct buffers keep allocated, as the runtime's `OffHeap` counts it.
fn off_heap(heap: &Heap, reachable: &NodeSet) -> Result<HashMap<ObjectIndex, u64>, Error> {
    let Some(direct) = heap.classes().find_by_name("java.nio.DirectByteBuffer") else { return Ok(HashMap::new()) };
    let buffers: Vec<ObjectIndex> = heap.instances(direct).filter(|object| reachable.has(*object)).collect();
    let mut bytes = HashMap::new();
    values(heap, &buffers, ["cleaner", "fd", "capacity"], |object, [cleaner, file, capacity]| {
        if cleaner != 0 && file == 0 {
            bytes.insert(object, capacity);
        }
    })?;
    Ok(bytes)
}
