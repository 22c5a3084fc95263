//! The objects of each class.

use crate::class::ClassIndex;
use crate::graph::NodeSet;
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// The objects of a set by class: classes by name, objects of a class by address. Four bytes an object.
#[derive(Debug)]
pub struct Instances {
    objects: Vec<u32>,
    /// Where the objects of each class begin, by the class's rank, and their end.
    bounds: Vec<u32>,
    classes: Vec<ClassIndex>,
    /// The rank of each class: its index in `classes`.
    ranks: Vec<u32>,
}

impl Instances {
    /// Sorts the objects of a set. Two passes over the objects.
    pub fn from_heap(heap: &Heap, among: &NodeSet) -> Self {
        let mut classes: Vec<ClassIndex> = heap.classes().iter().map(|(class, _)| class).collect();
        classes.sort_by(|a, b| heap.classes().get(*a).name.cmp(&heap.classes().get(*b).name).then(a.cmp(b)));
        let mut ranks = vec![0_u32; classes.len()];
        (0_u32..).zip(&classes).for_each(|(rank, class)| ranks[class.as_usize()] = rank);
        let mut bounds = vec![0_u32; classes.len() + 1];
        let rank = |object| ranks[heap.class_of(object).as_usize()] as usize;
        for object in heap.objects().filter(|object| among.has(*object)) {
            bounds[rank(object) + 1] += 1;
        }
        for at in 1..bounds.len() {
            bounds[at] += bounds[at - 1];
        }
        let mut next = bounds.clone();
        let mut objects = vec![0; bounds[classes.len()] as usize];
        for object in heap.objects().filter(|object| among.has(*object)) {
            let next = &mut next[rank(object)];
            objects[*next as usize] = object.0;
            *next += 1;
        }
        Instances { objects, bounds, classes, ranks }
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// An object by its index in this order.
    pub fn object_at(&self, index: usize) -> ObjectIndex {
        ObjectIndex(self.objects[index])
    }

    /// The indices of the objects of a class.
    pub fn of_class(&self, class: ClassIndex) -> std::ops::Range<usize> {
        let rank = self.ranks[class.as_usize()] as usize;
        self.bounds[rank] as usize..self.bounds[rank + 1] as usize
    }

    /// The indices of the objects of all classes of a name.
    pub fn find_by_class_name(&self, heap: &Heap, name: &str) -> std::ops::Range<usize> {
        let name_of = |class: &ClassIndex| heap.classes().get(*class).name.as_str();
        let from = self.classes.partition_point(|class| name_of(class) < name);
        let to = self.classes.partition_point(|class| name_of(class) <= name);
        self.bounds[from] as usize..self.bounds[to] as usize
    }
}
