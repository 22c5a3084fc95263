//! Bytes of objects. A dump states the bytes of their fields only. The distances between objects show what the virtual
//! machine adds: headers, padding and injected fields.

mod before_15;
mod contended;
mod evidence;
mod fields;
mod injected;
mod layout;

pub(crate) use evidence::Evidence;
pub use layout::Layout;

use fields::{FieldBytes, element};

use crate::class::{ClassIndex, Classes};
use crate::graph::Shape;
use crate::hprof::Dump;
use crate::index::AddressIndex;

/// Which bytes are an object's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SizeModel {
    /// Those in the heap of the virtual machine that wrote the dump.
    #[default]
    Heap,
    /// Those of its field values or elements in the dump's record; a reference has the size of an id.
    Raw,
}

/// How the size of a class's objects was got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeSource {
    /// The least distance to the next object. It equals what the fields need, or is greater by less than an object, or
    /// HotSpot is known to inject or pad fields.
    Calibrated,
    /// From the fields, the superclass and the layout found in the dump. Includes injected fields of class loaders,
    /// modules and call sites only, and `@Contended` padding of pools and counters only.
    Formula,
    /// The record's own bytes.
    Raw,
}

/// Bytes of every shape of object in a dump.
#[derive(Debug)]
pub(crate) struct Sizes {
    /// By the number of the shape.
    pub(crate) bytes: Vec<u64>,
    /// The part of `bytes` that fields and elements need.
    pub(crate) payload: Vec<u64>,
    /// By class.
    pub(crate) sources: Vec<SizeSource>,
    /// The layout found; `None` for raw sizes.
    pub(crate) layout: Option<Layout>,
}

impl Sizes {
    /// The records' own bytes.
    pub(crate) fn raw(dump: &Dump, classes: &Classes, shapes: &[Shape]) -> Self {
        let fields = FieldBytes::from_classes(classes, dump.ids().bytes());
        let bytes: Vec<u64> = shapes.iter().map(|shape| fields.payload(classes, *shape)).collect();
        Sizes { payload: bytes.clone(), bytes, sources: vec![SizeSource::Raw; classes.len()], layout: None }
    }

    /// Bytes in the heap. Two passes over all objects in memory.
    pub(crate) fn in_heap(
        dump: &Dump,
        classes: &Classes,
        index: &AddressIndex,
        shapes: &[Shape],
        shape_of: &[u32],
    ) -> Self {
        Self::from_evidence(dump, classes, &Evidence::gather(classes, index, shapes, shape_of), shapes)
    }

    /// Bytes in the heap as the evidence shows them.
    pub(crate) fn from_evidence(dump: &Dump, classes: &Classes, evidence: &Evidence, shapes: &[Shape]) -> Self {
        let layout = Layout::find(dump, classes, evidence);
        let fields = FieldBytes::from_classes(classes, layout.reference_bytes);
        let mut sources = vec![SizeSource::Formula; classes.len()];
        // Bytes of a class's instances beyond the formula; instances of subclasses have them too.
        let mut surplus: Vec<Option<u64>> = vec![None; classes.len()];
        let header = u64::from(layout.header_bytes);
        let pointer = dump.ids().bytes();
        let end = |class: ClassIndex| {
            header + fields.instance[class.as_usize()] + u64::from(injected::bytes(classes, class, pointer))
        };
        let ends: Vec<u64> = match before_15::wrote(dump, classes) {
            true => before_15::ends(classes, layout.header_bytes, layout.reference_bytes, pointer),
            false => classes.iter().map(|(class, _)| end(class)).collect(),
        };
        let padding = |class| contended::bytes(dump, classes, class, layout.reference_bytes, end);
        let formula = |class: ClassIndex| layout.align(ends[class.as_usize()] + padding(class));
        for (class, _) in classes.iter() {
            let unknown: Vec<ClassIndex> =
                classes.ancestry(class).take_while(|class| surplus[class.as_usize()].is_none()).collect();
            for class in unknown.into_iter().rev() {
                let inherited = classes.get(class).superclass.and_then(|above| surplus[above.as_usize()]).unwrap_or(0);
                let least = formula(class) + inherited;
                let calibrated = |class: ClassIndex| sources[class.as_usize()] == SizeSource::Calibrated;
                let injected = injected::unknown(classes, class, calibrated);
                let calibrated =
                    evidence.calibrated(classes, class, [formula(class), least], layout.align(header), injected);
                if calibrated.is_some() {
                    sources[class.as_usize()] = SizeSource::Calibrated;
                }
                surplus[class.as_usize()] = Some(calibrated.unwrap_or(least) - formula(class));
            }
        }
        let instances: Vec<u64> =
            classes.iter().map(|(class, _)| formula(class) + surplus[class.as_usize()].unwrap_or(0)).collect();
        let statics = |class| layout.align(fields.statics(classes, class));
        // `Class` objects of primitive types have instance records; the others are the records of their classes.
        let mirror = classes.mirror().as_usize();
        let by_formula = || {
            let sizes = classes.iter().map(|(class, _)| instances[mirror] + statics(class)).collect();
            (instances[mirror], sizes)
        };
        let found = evidence.mirrors(statics);
        if found.is_some() {
            sources[mirror] = SizeSource::Calibrated;
        }
        let (primitive, mirrors) = found.unwrap_or_else(by_formula);
        let payload: Vec<u64> = shapes.iter().map(|shape| fields.payload(classes, *shape)).collect();
        let size = |(shape, payload): (&Shape, &u64)| match *shape {
            Shape::Instance(class) if class.as_usize() == mirror => primitive,
            Shape::Instance(class) => instances[class.as_usize()],
            Shape::Mirror(class) => mirrors[class.as_usize()],
            Shape::Array(class, _) => layout.array(element(classes, class), *payload),
        };
        let bytes = shapes.iter().zip(&payload).map(size).collect();
        Sizes { bytes, payload, sources, layout: Some(layout) }
    }

    /// Bytes of a class's static fields, which are part of its `Class` object.
    pub(crate) fn static_bytes(&self, dump: &Dump, classes: &Classes, class: ClassIndex) -> u64 {
        let reference = self.layout.map_or(dump.ids().bytes(), |layout| layout.reference_bytes);
        classes.static_bytes(class, reference)
    }
}
