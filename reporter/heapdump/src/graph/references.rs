//! The second pass over a dump: every object's shape and list of references.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};

use super::modes::Modes;
use super::pool::{Pool, Writer};
use super::shape::{Lately, Shape, Shapes};
use crate::class::{ClassIndex, Classes, UNKNOWN};
use crate::error::{DumpErrorKind, Error};
use crate::hprof::{Dump, Elements, FieldType, IdSize, Record};
use crate::index::AddressIndex;

/// What the pass gives.
pub(crate) struct Read {
    pub(super) starts: Vec<u32>,
    pub(super) pool: Pool,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) shape_of: Vec<u32>,
    /// The references of each live thread's object: those that belong to the object, and those that belong to the
    /// thread. These lists are not in the pool yet.
    pub(super) threads: HashMap<u32, (Vec<u32>, Vec<u32>)>,
    pub(crate) dangling: Dangling,
    pub(crate) classless: u64,
}

impl Read {
    /// The class of an object, the class that a `Class` object represents.
    pub(super) fn class_of(&self, object: u32) -> ClassIndex {
        match self.shapes[self.shape_of[object as usize] as usize] {
            Shape::Instance(class) | Shape::Mirror(class) | Shape::Array(class, _) => class,
        }
    }
}

/// References to addresses at which the dump has no object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dangling {
    pub(crate) references: u64,
    /// The addresses; if there are many, the first of each worker.
    addresses: Vec<u64>,
}

/// Addresses that a worker keeps.
const MOST_ADDRESSES: usize = 1 << 16;

impl Dangling {
    #[inline(never)]
    fn add(&mut self, address: u64) {
        self.references += 1;
        if self.addresses.len() < MOST_ADDRESSES {
            self.addresses.push(address);
        }
    }

    /// How many objects are missing; `None` if there are too many to count.
    pub(crate) fn objects(&self) -> Option<u64> {
        let mut distinct = self.addresses.clone();
        distinct.sort_unstable();
        distinct.dedup();
        (self.addresses.len() as u64 == self.references).then_some(distinct.len() as u64)
    }
}

/// What the threads of the pass share.
struct Pass<'a> {
    ids: IdSize,
    index: &'a AddressIndex,
    classes: &'a Classes,
    plans: Vec<super::modes::Followed>,
    /// Classes that the virtual machine itself holds: instances need no reference to them.
    sticky: Vec<bool>,
    live_threads: &'a HashSet<u64>,
    shapes: Shapes,
    starts: &'a [AtomicU32],
    shape_of: &'a [AtomicU32],
}

/// The state of one thread of the pass.
struct Worker<'a> {
    writer: Writer<'a>,
    list: Vec<u32>,
    lately: Lately,
    classes: Box<[Recent]>,
    threads: Vec<(u32, Vec<u32>, Vec<u32>)>,
    dangling: Dangling,
    classless: u64,
    full: bool,
}

/// A slot of a worker's cache of classes.
#[derive(Clone, Copy)]
struct Recent {
    address: u64,
    class: ClassIndex,
    /// The `Class` object that its instances keep alive; [`NONE`] if the virtual machine keeps it alive.
    kept: u32,
}

/// No object has this index.
const NONE: u32 = u32::MAX;

/// Slots of a worker's cache of classes.
const RECENT_CLASSES: usize = 1 << 9;

/// Reads the references of all objects. `sticky` are the addresses of classes that are roots.
pub(crate) fn read(
    dump: &Dump,
    index: &AddressIndex,
    classes: &Classes,
    modes: Modes,
    sticky: &HashSet<u64>,
    live_threads: &HashSet<u64>,
    workers: usize,
) -> Result<Read, Error> {
    // Zeros take no memory until they are written. They are viewed as atomics, because making atomics would write them.
    let (mut starts, mut shape_of) = (vec![0_u32; index.len()], vec![0_u32; index.len()]);
    let pass = Pass {
        ids: dump.ids(),
        index,
        classes,
        plans: modes.plans(dump, classes),
        sticky: classes.iter().map(|(_, class)| sticky.contains(&class.address)).collect(),
        live_threads,
        shapes: Shapes::new(classes.len()),
        starts: zerocopy::transmute_mut!(starts.as_mut_slice()),
        shape_of: zerocopy::transmute_mut!(shape_of.as_mut_slice()),
    };
    let next_chunk = AtomicU32::new(0);
    let most = dump.length() / 2;
    let start = || Worker {
        writer: Writer::new(&next_chunk, most),
        list: Vec::new(),
        lately: Lately::new(),
        classes: vec![Recent { address: 0, class: UNKNOWN, kept: NONE }; RECENT_CLASSES].into_boxed_slice(),
        threads: Vec::new(),
        dangling: Dangling::default(),
        classless: 0,
        full: false,
    };
    let states = dump.fold(workers, start, |worker, _, record| pass.visit(worker, record))?;
    let mut chunks = Vec::new();
    let mut threads = HashMap::new();
    let (mut dangling, mut classless) = (Dangling::default(), 0);
    for worker in states {
        if worker.full {
            return Err(Error::new(dump.path(), DumpErrorKind::TooMany("the references of the dump".into(), 1 << 31)));
        }
        chunks.extend(worker.writer.finish());
        threads.extend(worker.threads.into_iter().map(|(object, own, of_thread)| (object, (own, of_thread))));
        dangling.references += worker.dangling.references;
        dangling.addresses.extend(worker.dangling.addresses);
        classless += worker.classless;
    }
    let shapes = pass.shapes.finish();
    Ok(Read { starts, pool: Pool::from_chunks(chunks), shapes, shape_of, threads, dangling, classless })
}

impl Pass<'_> {
    #[inline]
    fn visit(&self, worker: &mut Worker<'_>, record: Record<'_, '_>) {
        worker.list.clear();
        match record {
            Record::Instance { address, class, fields } => self.instance(worker, address, class, fields),
            Record::Objects { address, class, length, elements } => {
                let class = self.class(worker, class);
                self.elements(worker, elements);
                let shape = self.shapes.array(class, length, &mut worker.lately);
                self.finish(worker, address, shape);
            }
            Record::Primitives { address, kind, length, .. } => {
                let shape = self.shapes.array(self.classes.array_of(kind), length, &mut worker.lately);
                self.finish(worker, address, shape);
            }
            Record::Class(record) => {
                if let Some(class) = self.classes.find_by_address(record.address) {
                    self.class_object(worker, class);
                }
            }
            Record::Root(_) => {}
        }
    }

    #[inline]
    fn instance(&self, worker: &mut Worker<'_>, address: u64, class: u64, fields: &[u8]) {
        let class = self.class(worker, class);
        let plan = &self.plans[class.as_usize()];
        for offset in &plan.fields {
            self.field(worker, fields, *offset);
        }
        if !plan.of_thread.is_empty() {
            if self.live_threads.contains(&address) {
                let own = std::mem::take(&mut worker.list);
                plan.of_thread.iter().for_each(|offset| self.field(worker, fields, *offset));
                if let Some(object) = self.index.find(address) {
                    let of_thread = std::mem::take(&mut worker.list);
                    worker.threads.push((object, own, of_thread));
                }
            } else {
                plan.of_thread.iter().for_each(|offset| self.field(worker, fields, *offset));
            }
        }
        self.finish(worker, address, self.shapes.instance(class));
    }

    /// A field value. A record may be shorter than its class says: then the rest of the fields are missing.
    #[inline]
    fn field(&self, worker: &mut Worker<'_>, fields: &[u8], offset: u32) {
        if fields.len() >= offset as usize + self.ids.bytes() as usize {
            self.reference(worker, self.ids.read(fields, offset as usize));
        }
    }

    #[inline]
    fn elements(&self, worker: &mut Worker<'_>, mut elements: Elements<'_, '_>) {
        while let Some(piece) = elements.next_piece() {
            match self.ids {
                IdSize::Eight => piece.chunks_exact(8).for_each(|id| self.reference(worker, IdSize::Eight.read(id, 0))),
                IdSize::Four => piece.chunks_exact(4).for_each(|id| self.reference(worker, IdSize::Four.read(id, 0))),
            }
        }
    }

    /// Statics, superclass, loader, signers and protection domain.
    fn class_object(&self, worker: &mut Worker<'_>, class: ClassIndex) {
        let described = self.classes.get(class);
        let left_out = &self.plans[class.as_usize()].left_out;
        let statics = described.statics.iter().filter(|field| field.kind == FieldType::Object);
        statics.filter(|field| !left_out.contains(&field.name)).for_each(|field| self.reference(worker, field.value));
        let superclass = described.superclass.map_or(0, |class| self.classes.get(class).address);
        for address in [superclass, described.loader, described.held[0], described.held[1]] {
            self.reference(worker, address);
        }
        self.finish(worker, described.address, self.shapes.mirror(class));
    }

    #[inline]
    fn reference(&self, worker: &mut Worker<'_>, address: u64) {
        if address != 0 {
            match self.index.find(address) {
                Some(object) => worker.list.push(object),
                None => worker.dangling.add(address),
            }
        }
    }

    /// The class at an address. It becomes the object's first reference, unless the virtual machine keeps it alive.
    #[inline]
    fn class(&self, worker: &mut Worker<'_>, address: u64) -> ClassIndex {
        let slot = &mut worker.classes[(address >> 3) as usize & (RECENT_CLASSES - 1)];
        if slot.address != address || address == 0 {
            *slot = self.recent(address);
        }
        worker.classless += u64::from(slot.class == UNKNOWN);
        if slot.kept != NONE {
            worker.list.push(slot.kept);
        }
        slot.class
    }

    #[inline(never)]
    fn recent(&self, address: u64) -> Recent {
        let class = self.classes.find_by_address(address).unwrap_or(UNKNOWN);
        let kept = Some(class).filter(|class| *class != UNKNOWN && !self.sticky[class.as_usize()]);
        // A known class has a record, so it has an object.
        let kept = kept.and_then(|class| self.index.find(self.classes.get(class).address)).unwrap_or(NONE);
        Recent { address, class, kept }
    }

    #[inline]
    fn finish(&self, worker: &mut Worker<'_>, address: u64, shape: u32) {
        let Some(object) = self.index.find(address) else { return };
        self.shape_of[object as usize].store(shape, Ordering::Relaxed);
        if worker.list.is_empty() {
            return;
        }
        match worker.writer.add(object, &worker.list) {
            Ok(position) => self.starts[object as usize].store(position, Ordering::Relaxed),
            Err(_) => worker.full = true,
        }
    }
}
