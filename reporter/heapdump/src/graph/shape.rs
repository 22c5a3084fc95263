//! Shapes: what decides an object's size, which is its class and, for arrays, the length.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::class::ClassIndex;

/// Objects of one shape have one size. A shape's number, four bytes an object, tells class, length and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Instance(ClassIndex),
    /// The `java.lang.Class` object of a class, which has its static fields.
    Mirror(ClassIndex),
    Array(ClassIndex, u32),
}

/// The shapes of a heap: those of instances and of `Class` objects in the order of the classes, then arrays as they
/// are met.
pub(crate) struct Shapes {
    classes: u32,
    arrays: Mutex<Arrays>,
}

#[derive(Default)]
struct Arrays {
    numbers: HashMap<(ClassIndex, u32), u32>,
    list: Vec<(ClassIndex, u32)>,
}

/// One thread's cache of array shapes.
pub(super) struct Lately(Box<[(u32, u32, u32)]>);

const LATELY: usize = 1 << 12;

impl Shapes {
    pub(crate) fn new(classes: usize) -> Self {
        Shapes { classes: classes as u32, arrays: Mutex::default() }
    }

    pub(super) fn instance(&self, class: ClassIndex) -> u32 {
        class.0
    }

    pub(super) fn mirror(&self, class: ClassIndex) -> u32 {
        self.classes + class.0
    }

    #[inline]
    pub(super) fn array(&self, class: ClassIndex, length: u32, lately: &mut Lately) -> u32 {
        // Fibonacci hashing (Knuth, TAOCP 6.4).
        let key = u64::from(class.0) << 32 | u64::from(length);
        let at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize;
        let (known_class, known_length, number) = lately.0[at];
        if (known_class, known_length) == (class.0, length) {
            return number;
        }
        let number = self.register(class, length);
        lately.0[at] = (class.0, length, number);
        number
    }

    #[inline(never)]
    fn register(&self, class: ClassIndex, length: u32) -> u32 {
        let mut arrays = self.arrays.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Arrays { numbers, list } = &mut *arrays;
        2 * self.classes
            + *numbers.entry((class, length)).or_insert_with(|| {
                list.push((class, length));
                list.len() as u32 - 1
            })
    }

    /// All shapes, in the order of their numbers.
    pub(crate) fn finish(self) -> Vec<Shape> {
        let arrays = self.arrays.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).list;
        let classes = (0..self.classes).map(ClassIndex);
        let instances = classes.clone().map(Shape::Instance);
        let mirrors = classes.map(Shape::Mirror);
        instances.chain(mirrors).chain(arrays.into_iter().map(|(class, length)| Shape::Array(class, length))).collect()
    }
}

impl Lately {
    pub(super) fn new() -> Self {
        Lately(vec![(u32::MAX, 0, 0); LATELY].into_boxed_slice())
    }
}
