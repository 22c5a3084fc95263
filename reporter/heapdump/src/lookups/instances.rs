//! The objects of each class.

use crate::class::ClassIndex;
use crate::graph::NodeSet;
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// The objects of a set by class: classes by name, objects of a class by address. Four bytes an object.
#[derive(Debug)]
pub struct Instances {
    objects: Vec<u32>,
    /// Where the objects of each class begin, by the class's place in `classes`, and their end.
    bounds: Vec<u32>,
    classes: Vec<ClassIndex>,
    /// The place of each class in `classes`.
    places: Vec<u32>,
}

impl Instances {
    /// Sorts the objects of a set. Two passes over the objects.
    pub fn from_heap(heap: &Heap, among: &NodeSet) -> Self {
        let mut classes: Vec<ClassIndex> = heap.classes().iter().map(|(class, _)| class).collect();
        classes.sort_by(|a, b| heap.classes().get(*a).name.cmp(&heap.classes().get(*b).name).then(a.cmp(b)));
        let mut places = vec![0_u32; classes.len()];
        (0_u32..).zip(&classes).for_each(|(place, class)| places[class.as_usize()] = place);
        let mut bounds = vec![0_u32; classes.len() + 1];
        let place = |object| places[heap.class_of(object).as_usize()] as usize;
        for object in heap.objects().filter(|object| among.has(*object)) {
            bounds[place(object) + 1] += 1;
        }
        for at in 1..bounds.len() {
            bounds[at] += bounds[at - 1];
        }
        let mut next = bounds.clone();
        let mut objects = vec![0; bounds[classes.len()] as usize];
        for object in heap.objects().filter(|object| among.has(*object)) {
            let next = &mut next[place(object)];
            objects[*next as usize] = object.0;
            *next += 1;
        }
        Instances { objects, bounds, classes, places }
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// An object by its place in this order.
    pub fn object_at(&self, place: usize) -> ObjectIndex {
        ObjectIndex(self.objects[place])
    }

    /// The places of the objects of a class.
    pub fn of_class(&self, class: ClassIndex) -> std::ops::Range<usize> {
        let place = self.places[class.as_usize()] as usize;
        self.bounds[place] as usize..self.bounds[place + 1] as usize
    }

    /// The places of the objects of all classes of a name.
    pub fn find_by_class_name(&self, heap: &Heap, name: &str) -> std::ops::Range<usize> {
        let name_of = |class: &ClassIndex| heap.classes().get(*class).name.as_str();
        let from = self.classes.partition_point(|class| name_of(class) < name);
        let to = self.classes.partition_point(|class| name_of(class) <= name);
        self.bounds[from] as usize..self.bounds[to] as usize
    }
}
