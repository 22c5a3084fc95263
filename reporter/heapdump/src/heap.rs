//! A dump read into memory: objects by number, their classes and sizes.

use std::collections::HashSet;
use std::path::Path;

use crate::class::{ClassIndex, Classes};
use crate::error::{DumpErrorKind, Error, Warning};
use crate::footprint::{self, Footprint, MemoryLimit};
use crate::graph::{self, Graph, Modes, NodeIndex, Shape};
use crate::hprof::{ClassRecord, Dump, GcRoot, Record};
use crate::index::{AddressIndex, AddressMarks, ObjectIndex};
use crate::ranges::Ranges;
use crate::sizes::{Layout, SizeModel, Sizes};

/// Nodes have 30 bits; a million are kept for threads and frames.
const MOST_OBJECTS: usize = (1 << 30) - (1 << 20);

/// Bytes of a class and of what is found about its instances.
const CLASS: u64 = 1 << 9;

/// How a dump is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapOptions {
    /// Which references count.
    pub modes: Modes,
    /// Which bytes count.
    pub sizes: SizeModel,
    /// Threads that read.
    pub threads: usize,
    /// The memory limit, if any.
    pub memory: Option<MemoryLimit>,
}

impl Default for HeapOptions {
    /// One thread per processor.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        HeapOptions { modes: Modes::default(), sizes: SizeModel::default(), threads, memory: None }
    }
}

/// The objects of a dump. Five bytes an object, and its names; the dump's file stays open.
#[derive(Debug)]
pub struct Heap {
    dump: Dump,
    index: AddressIndex,
    classes: Classes,
    shapes: Vec<Shape>,
    shape_of: Vec<u32>,
    sizes: Sizes,
    warnings: Vec<Warning>,
    ranges: Ranges,
    roots: Vec<GcRoot>,
    missing: graph::Dangling,
}

/// What each thread collects in the first pass.
#[derive(Default)]
struct FirstPass {
    marks: AddressMarks,
    classes: Vec<ClassRecord>,
    roots: Vec<GcRoot>,
    ranges: Ranges,
    /// An upper bound of the number of references.
    references: u64,
    primitive_arrays: u64,
}

impl Heap {
    /// Reads a dump, twice: objects first, then what they reference.
    ///
    /// The graph is separate because the computation of dominators uses it up.
    ///
    /// # Errors
    /// Those of [`Dump::open`]. The dump has no objects, or more than 2^30 objects or 2^31 references.
    pub fn open(path: &Path, options: &HeapOptions) -> Result<(Heap, Graph), Error> {
        Self::read(Dump::open(path)?, options)
    }

    /// The same of a dump that is open.
    ///
    /// # Errors
    /// Those of [`Heap::open`].
    pub fn read(dump: Dump, options: &HeapOptions) -> Result<(Heap, Graph), Error> {
        let visit = |found: &mut FirstPass, offset: u64, record: Record<'_, '_>| match record {
            Record::Root(root) => found.roots.push(root),
            Record::Class(class) => {
                // Superclass, loader, signers, protection domain.
                found.references += class.statics.len() as u64 + 4;
                found.object(&dump, offset, class.address);
                found.classes.push(*class);
            }
            Record::Instance { address, fields, .. } => {
                // One more for its class.
                found.references += dump.ids().fitting(fields.len()) + 1;
                found.object(&dump, offset, address);
            }
            Record::Objects { address, length, .. } => {
                found.references += u64::from(length) + 1;
                found.object(&dump, offset, address);
            }
            Record::Primitives { address, .. } => {
                found.primitive_arrays += 1;
                found.object(&dump, offset, address);
            }
        };
        let mut marks = Vec::new();
        let (mut references, mut primitive_arrays) = (0, 0);
        let (mut records, mut roots, mut ranges) = (Vec::new(), Vec::new(), Ranges::default());
        for found in dump.fold(options.threads, FirstPass::default, visit)? {
            marks.push(found.marks);
            records.extend(found.classes);
            roots.extend(found.roots);
            ranges.join(found.ranges);
            references += found.references;
            primitive_arrays += found.primitive_arrays;
        }
        // Threads give roots in no fixed order; the same dump must give the same graph.
        roots.sort_unstable();
        let marked: u64 = marks.iter().map(AddressMarks::marked).sum();
        let index = match AddressIndex::of_marks(marks) {
            Some(index) => index,
            None => AddressIndex::of_list(addresses(&dump, options.threads)?),
        };
        if index.len() == 0 {
            return Err(dump.empty());
        }
        if index.len() > MOST_OBJECTS {
            let found = format!("{} objects", index.len());
            return Err(Error::new(dump.path(), DumpErrorKind::TooMany(found, MOST_OBJECTS as u64)));
        }
        let objects = index.len() as u64;
        // An address with two records is one object.
        let primitive_arrays = primitive_arrays.min(objects);
        let fixed_bytes = footprint::fixed(options.threads, dump.names()) + CLASS * records.len() as u64;
        let (lists, listed) = (objects, objects - primitive_arrays);
        let (index_bytes, references) = (index.bytes(), references + roots.len() as u64);
        let most = Footprint { objects, references, lists, primitive_arrays, listed, index_bytes, fixed_bytes };
        let classes = Classes::from_records(&dump, records);
        let sticky: HashSet<u64> = roots.iter().filter_map(sticky_class).collect();
        if let Some(limit) = options.memory.filter(|limit| most.peak(limit.work) > limit.bytes) {
            // The bound counts every field of 8 bytes as a reference. One more pass counts exactly.
            let counted = graph::count(&dump, &classes, options.modes, &sticky, options.threads)?;
            let references = counted.references + roots.len() as u64;
            let footprint = Footprint { references, lists: counted.lists, listed: counted.listed, ..most };
            if footprint.peak(limit.work) > limit.bytes {
                return Err(Error::new(dump.path(), DumpErrorKind::Memory(footprint.peak(limit.work), limit.bytes)));
            }
        }
        let live_threads: HashSet<u64> = roots.iter().filter_map(thread_object).collect();
        let read = graph::read(&dump, &index, &classes, options.modes, &sticky, &live_threads, options.threads)?;
        let mut warnings = dump.warnings().to_vec();
        if read.classless > 0 {
            warnings.push(Warning::ClassesMissing { objects: read.classless });
        }
        // Complete dumps have such references too: see `missing`.
        let missing = read.dangling.clone();
        if missing.references > 0 && !dump.warnings().is_empty() {
            warnings.push(Warning::Dangling { references: missing.references });
        }
        let traces = roots.iter().filter_map(thread_trace);
        let own = graph::OwnFrames::from_traces(&dump, &classes, traces);
        let mut parts = graph::assemble(read, &index, &roots, options.modes, &own).map_err(|_| {
            Error::new(dump.path(), DumpErrorKind::TooMany("the references of the dump".into(), 1 << 31))
        })?;
        if marked > objects {
            parts.graph.forget_replaced();
        }
        let sizes = match options.sizes {
            SizeModel::Raw => Sizes::raw(&dump, &classes, &parts.shapes),
            SizeModel::Heap => Sizes::in_heap(&dump, &classes, &index, &parts.shapes, &parts.shape_of),
        };
        let heap = Heap {
            dump,
            index,
            classes,
            shapes: parts.shapes,
            shape_of: parts.shape_of,
            sizes,
            warnings,
            ranges,
            roots,
            missing,
        };
        Ok((heap, parts.graph))
    }

    /// The dump's file, and the records outside its heap.
    pub fn dump(&self) -> &Dump {
        &self.dump
    }

    /// What the dump lacks.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// References that are left out because the dump has no record of the object, and the number of such objects
    /// (`None`: too many to count).
    ///
    /// HotSpot writes no record of a `Class` object of its class archive (JEP 341) while the class is not loaded, but it
    /// writes the array that holds it. A complete dump has no others.
    pub fn missing(&self) -> (u64, Option<u64>) {
        (self.missing.references, self.missing.objects())
    }

    /// Why the virtual machine holds objects, sorted. An object occurs once for each reason.
    pub fn roots(&self) -> &[GcRoot] {
        &self.roots
    }

    /// Its classes.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Number of objects, reachable or not. The `Class` object of each class is one.
    #[expect(clippy::len_without_is_empty, reason = "a dump without objects is refused")]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// All objects, by address.
    pub fn objects(&self) -> impl Iterator<Item = ObjectIndex> + use<> {
        (0..self.index.len() as u32).map(ObjectIndex)
    }

    /// The instances of a class, without those of its subclasses.
    pub fn instances(&self, class: ClassIndex) -> impl Iterator<Item = ObjectIndex> + '_ {
        self.objects().filter(move |object| matches!(self.shape_of(*object), Shape::Instance(of) if of == class))
    }

    /// The object at an address.
    pub fn find(&self, address: u64) -> Option<ObjectIndex> {
        self.index.find(address).map(ObjectIndex)
    }

    /// The address of an object. Costs a binary search.
    pub fn address(&self, object: ObjectIndex) -> u64 {
        self.index.address(object.0)
    }

    /// The class of an object.
    pub fn class_of(&self, object: ObjectIndex) -> ClassIndex {
        match self.shape_of(object) {
            Shape::Instance(class) | Shape::Array(class, _) => class,
            Shape::Mirror(_) => self.classes.mirror(),
        }
    }

    /// The class that a `java.lang.Class` object represents; `None` for other objects.
    pub fn class_object(&self, object: ObjectIndex) -> Option<ClassIndex> {
        match self.shape_of(object) {
            Shape::Mirror(class) => Some(class),
            _ => None,
        }
    }

    /// The name of a class's loader: `boot`, `platform` and `app` for those of the JDK, otherwise its class and address.
    pub fn loader_name(&self, class: ClassIndex) -> String {
        self.classes.loader_name(class, |address| self.find(address).map(|loader| self.class_of(loader)))
    }

    /// Number of elements of an array; `None` for other objects.
    pub fn array_length(&self, object: ObjectIndex) -> Option<u32> {
        match self.shape_of(object) {
            Shape::Array(_, length) => Some(length),
            _ => None,
        }
    }

    /// Shallow bytes of an object. [`crate::ClassRow::source`] says how they were got.
    #[inline]
    pub fn bytes(&self, object: ObjectIndex) -> u64 {
        self.sizes.bytes[self.shape_of[object.as_usize()] as usize]
    }

    /// Shallow bytes of an instance of a class that is no array class.
    pub(crate) fn instance_bytes(&self, class: ClassIndex) -> u64 {
        self.sizes.bytes[class.as_usize()]
    }

    /// Shallow bytes of a node; threads, frames and the root have none.
    #[inline]
    pub fn node_bytes(&self, node: NodeIndex) -> u64 {
        self.shape_of.get(node.as_usize()).map_or(0, |shape| self.sizes.bytes[*shape as usize])
    }

    /// Bytes of a class's static fields, which are part of its `Class` object.
    pub fn static_bytes(&self, class: ClassIndex) -> u64 {
        self.sizes.static_bytes(&self.dump, &self.classes, class)
    }

    /// The layout of objects; `None` for raw sizes.
    pub fn layout(&self) -> Option<&Layout> {
        self.sizes.layout.as_ref()
    }

    #[inline]
    fn shape_of(&self, object: ObjectIndex) -> Shape {
        self.shapes[self.shape_of[object.as_usize()] as usize]
    }

    /// The index of an object's shape, which objects of the same class and size share.
    pub(crate) fn shape(&self, object: ObjectIndex) -> u32 {
        self.shape_of[object.as_usize()]
    }

    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(crate) fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Reads the records of some objects again and visits each with its object. Reads the parts of the file that may hold
    /// them: about a millisecond for each segment of 1 MB.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn reread(
        &self,
        wanted: &[ObjectIndex],
        mut visit: impl FnMut(ObjectIndex, Record<'_, '_>),
    ) -> Result<(), Error> {
        let addresses = wanted.iter().map(|object| self.address(*object)).collect();
        self.ranges.reread(&self.dump, addresses, |address, record| {
            if let Some(object) = self.find(address) {
                visit(object, record);
            }
        })
    }
}

impl FirstPass {
    #[inline]
    fn object(&mut self, dump: &Dump, offset: u64, address: u64) {
        self.marks.mark(address);
        self.ranges.see(dump, offset, address);
    }
}

/// The addresses of all objects, in no fixed order.
pub(crate) fn addresses(dump: &Dump, threads: usize) -> Result<Vec<u64>, Error> {
    let visit = |list: &mut Vec<u64>, _, record: Record<'_, '_>| match record {
        Record::Root(_) => {}
        Record::Class(class) => list.push(class.address),
        Record::Instance { address, .. } | Record::Objects { address, .. } | Record::Primitives { address, .. } => {
            list.push(address);
        }
    };
    Ok(dump.fold(threads, Vec::new, visit)?.concat())
}

fn sticky_class(root: &GcRoot) -> Option<u64> {
    match root {
        GcRoot::StickyClass(class) => Some(*class),
        _ => None,
    }
}

fn thread_trace(root: &GcRoot) -> Option<u32> {
    match root {
        GcRoot::Thread(_, _, trace) => Some(*trace),
        _ => None,
    }
}

fn thread_object(root: &GcRoot) -> Option<u64> {
    match root {
        GcRoot::Thread(object, ..) => Some(*object),
        _ => None,
    }
}
