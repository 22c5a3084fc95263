//! Bytes of fields and elements, without the virtual machine's additions.

use crate::class::{ClassIndex, Classes};
use crate::graph::Shape;
use crate::hprof::FieldType;

/// Type of an array's elements.
pub(super) fn element(classes: &Classes, array: ClassIndex) -> FieldType {
    classes.get(array).primitive.unwrap_or(FieldType::Object)
}

/// Sums of the fields of each class.
pub(super) struct FieldBytes {
    reference: u32,
    /// All fields of an instance, those of superclasses included.
    pub(super) instance: Vec<u64>,
}

impl FieldBytes {
    pub(super) fn from_classes(classes: &Classes, reference: u32) -> Self {
        let own = |class| classes.get(class).fields.iter().map(|f| u64::from(f.kind.bytes(reference))).sum::<u64>();
        let instance = classes.iter().map(|(class, _)| classes.ancestry(class).map(own).sum()).collect();
        FieldBytes { reference, instance }
    }

    pub(super) fn statics(&self, classes: &Classes, class: ClassIndex) -> u64 {
        classes.static_bytes(class, self.reference)
    }

    pub(super) fn payload(&self, classes: &Classes, shape: Shape) -> u64 {
        match shape {
            Shape::Instance(class) => self.instance[class.as_usize()],
            Shape::Mirror(class) => self.instance[classes.mirror().as_usize()] + self.statics(classes, class),
            Shape::Array(class, length) => u64::from(length) * u64::from(element(classes, class).bytes(self.reference)),
        }
    }
}
