//! All objects of a dump by class, reachable or not, in one pass and in memory that does not grow with their number.
//!
//! Reachability needs the whole graph (8 to 20 bytes an object). Counting needs a counter for each class, and one for
//! each array class and length. Lengths that occur differ, so their number grows at most like the square root of the
//! dump. Sizes are calibrated as in [`crate::Heap`], from the distances between consecutive records in the file: HotSpot
//! dumps the heaps of all collectors but ZGC in the order of addresses. Other dumps take two more passes with a bitmap of
//! their addresses (1/43 of the heap).

mod counter;

use std::collections::HashMap;
use std::path::Path;

use crate::class::{Class, ClassIndex, Classes, UNKNOWN};
use crate::error::{DumpErrorKind, Error, Warning};
use crate::footprint::{self, MemoryLimit};
use crate::graph::Shape;
use crate::heap::HeapOptions;
use crate::histogram::Histogram;
use crate::hprof::{Dump, Record};
use crate::index::{AddressIndex, AddressMarks};
use crate::ranges::Ranges;
use crate::sizes::{Evidence, Layout, SizeModel, Sizes};

use counter::Counter;

/// Bytes of the file that are read again for the sizes of `java.lang.Class` objects.
const MIRROR_BYTES: u64 = 32 << 20;

/// The objects of a dump, counted.
#[derive(Debug)]
pub struct Census {
    dump: Dump,
    classes: Classes,
    histogram: Histogram,
    layout: Option<Layout>,
    /// Classes of the class loaders, by address.
    loaders: HashMap<u64, ClassIndex>,
    warnings: Vec<Warning>,
}

/// The counts of all readers, by classes of the dump.
struct CensusCounts {
    instances: Vec<u64>,
    arrays: HashMap<(ClassIndex, u32), u64>,
    evidence: Evidence,
}

impl Census {
    /// Counts the objects of a dump. The modes of the options are ignored. An address with two records, which only a
    /// damaged dump has, counts twice.
    ///
    /// # Errors
    /// Those of [`Dump::open`]. The dump has no objects, or counting takes more memory than allowed.
    pub fn take(path: &Path, options: &HeapOptions) -> Result<Self, Error> {
        Self::from_dump(Dump::open(path)?, options)
    }

    /// The same of a dump that is open.
    ///
    /// # Errors
    /// Those of [`Census::take`].
    pub fn from_dump(dump: Dump, options: &HeapOptions) -> Result<Self, Error> {
        let first = count(&dump, None, options.threads)?;
        let sum = |of: fn(&Counter<'_>) -> u64| first.iter().map(of).sum::<u64>();
        let (objects, followed) = (sum(|counter| counter.objects), sum(|counter| counter.followed));
        // Regions of the heap and parts of the file break the order: one object of 16 may.
        let ordered = options.sizes == SizeModel::Raw || followed >= objects - objects / 16;
        let first = ordered.then_some(first);
        let index = if ordered { None } else { Some(index(&dump, options.threads)?) };
        // Only now is it known whether the addresses of the records are needed.
        allow(&dump, options, index.as_ref().map_or(0, AddressIndex::bytes))?;
        let mut counters = match first {
            Some(counters) => counters,
            None => count(&dump, index.as_ref(), options.threads)?,
        };
        let mut records = Vec::new();
        let mut ranges = Ranges::default();
        for counter in &mut counters {
            records.append(&mut counter.records);
            ranges.join(std::mem::take(&mut counter.ranges));
        }
        let classes = Classes::from_records(&dump, records);
        let mut counted = join(&classes, counters);
        mirrors(&dump, &classes, &ranges, index.as_ref(), &mut counted.evidence)?;
        let loaders = loaders(&dump, &classes, &ranges)?;
        let mut warnings = dump.warnings().to_vec();
        let arrays = counted.arrays.iter().filter(|((class, _), _)| *class == UNKNOWN).map(|(_, objects)| objects);
        let classless = counted.instances[UNKNOWN.as_usize()] + arrays.sum::<u64>();
        if classless > 0 {
            warnings.push(Warning::ClassesMissing { objects: classless });
        }
        let (shapes, objects) = shapes(&classes, counted.instances, counted.arrays);
        let sizes = match options.sizes {
            SizeModel::Raw => Sizes::raw(&dump, &classes, &shapes),
            SizeModel::Heap => Sizes::from_evidence(&dump, &classes, &counted.evidence, &shapes),
        };
        let histogram = Histogram::of_shapes(&dump, &classes, &sizes, &shapes, &objects);
        if histogram.instances() == 0 {
            return Err(dump.empty());
        }
        Ok(Census { dump, classes, histogram, layout: sizes.layout, loaders, warnings })
    }

    /// The dump's file, and the records outside its heap.
    pub fn dump(&self) -> &Dump {
        &self.dump
    }

    /// What the dump lacks.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// A class.
    pub fn class(&self, class: ClassIndex) -> &Class {
        self.classes.get(class)
    }

    /// The name of a class's loader, as in [`crate::Heap::loader_name`].
    pub fn loader_name(&self, class: ClassIndex) -> String {
        self.classes.loader_name(class, |address| self.loaders.get(&address).copied())
    }

    /// All objects by class.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    /// The layout of objects; `None` for raw sizes.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }
}

fn allow(dump: &Dump, options: &HeapOptions, index: u64) -> Result<(), Error> {
    // While the index is made, its bitmaps are there too.
    let needed = footprint::fixed(options.threads, dump.names()) + index + index / 3 * 2;
    match options.memory {
        Some(MemoryLimit { bytes, .. }) if needed > bytes => {
            Err(Error::new(dump.path(), DumpErrorKind::Memory(needed, bytes)))
        }
        _ => Ok(()),
    }
}

fn count<'a>(dump: &Dump, index: Option<&'a AddressIndex>, threads: usize) -> Result<Vec<Counter<'a>>, Error> {
    dump.fold(threads, || Counter::new(index), |counter, offset, record| counter.see(dump, offset, record))
}

/// The addresses of all objects, found by one more pass, or by two if they do not fit a bitmap.
fn index(dump: &Dump, threads: usize) -> Result<AddressIndex, Error> {
    let mark = |marks: &mut AddressMarks, _, record: Record<'_, '_>| {
        if let Some(address) = record.address() {
            marks.mark(address);
        }
    };
    match AddressIndex::of_marks(dump.fold(threads, AddressMarks::default, mark)?) {
        Some(index) => Ok(index),
        None => Ok(AddressIndex::of_list(crate::heap::addresses(dump, threads)?)),
    }
}

fn join(classes: &Classes, counters: Vec<Counter<'_>>) -> CensusCounts {
    let mut counted = CensusCounts {
        instances: vec![0; classes.len()],
        arrays: HashMap::new(),
        evidence: Evidence::new(classes.len()),
    };
    for counter in counters {
        let numbers: Vec<ClassIndex> = counter.classes(classes);
        for (class, objects) in numbers.iter().zip(&counter.instances) {
            counted.instances[class.as_usize()] += objects;
        }
        for ((number, length), objects) in counter.arrays() {
            *counted.arrays.entry((numbers[number as usize], length)).or_default() += objects;
        }
        counted.evidence.join(counter.evidence, |number| numbers[number]);
    }
    counted
}

/// The shapes and how many objects each has, in an order that depends on the dump alone.
fn shapes(classes: &Classes, instances: Vec<u64>, arrays: HashMap<(ClassIndex, u32), u64>) -> (Vec<Shape>, Vec<u64>) {
    let all = || classes.iter().map(|(class, _)| class);
    let instances = all().zip(instances).map(|(class, objects)| (Shape::Instance(class), objects));
    let described = |class| u64::from(classes.get(class).address != 0);
    let mirrors = all().map(|class| (Shape::Mirror(class), described(class)));
    let mut arrays: Vec<_> = arrays.into_iter().collect();
    arrays.sort_unstable();
    let arrays = arrays.into_iter().map(|((class, length), objects)| (Shape::Array(class, length), objects));
    instances.chain(mirrors).chain(arrays).unzip()
}

/// Finds the distances from `java.lang.Class` objects to the next objects: their records are not among those of other
/// objects. Without an index, reads the parts of the file whose address ranges contain most of them.
fn mirrors(
    dump: &Dump,
    classes: &Classes,
    ranges: &Ranges,
    index: Option<&AddressIndex>,
    evidence: &mut Evidence,
) -> Result<(), Error> {
    let mut mirrors: Vec<(u64, ClassIndex)> =
        classes.iter().filter(|(_, class)| class.address != 0).map(|(at, class)| (class.address, at)).collect();
    mirrors.sort_unstable();
    if let Some(index) = index {
        for (address, class) in &mirrors {
            if let Some(distance) =
                index.find_next_address(*address).and_then(|next| Evidence::distance(*address, next))
            {
                evidence.mirror(*class, distance);
            }
        }
        return Ok(());
    }
    let inside = |lowest: u64, highest: u64| {
        let from = mirrors.partition_point(|(address, _)| *address < lowest);
        mirrors.partition_point(|(address, _)| *address <= highest) - from
    };
    let mut parts: Vec<(usize, usize)> =
        ranges.parts().iter().map(|range| (inside(range.lowest, range.highest), range.part)).collect();
    parts.sort_unstable_by_key(|(mirrors, part)| (std::cmp::Reverse(*mirrors), *part));
    let mut next: Vec<Option<u64>> = vec![None; mirrors.len()];
    let (mut read, mut all) = (0, true);
    for (_, part) in parts.into_iter().take_while(|(mirrors, _)| *mirrors > 0) {
        if read >= MIRROR_BYTES {
            all = false;
            break;
        }
        read += dump.part_bytes(part);
        dump.walk_part(part, |_, record| {
            let Some(address) = record.address() else { return };
            let before = mirrors.partition_point(|(mirror, _)| *mirror < address);
            if before > 0 && !matches!(record, Record::Class(_)) {
                let next = &mut next[before - 1];
                *next = Some(next.map_or(address, |known| known.min(address)));
            }
        })?;
    }
    for (at, (address, class)) in mirrors.iter().enumerate() {
        let mirror = mirrors.get(at + 1).map(|(mirror, _)| *mirror);
        // Two neighbours have no object between them for certain only if everything was read.
        let next = next[at].into_iter().chain(mirror.filter(|_| all || next[at].is_some())).min();
        if let Some(distance) = next.and_then(|next| Evidence::distance(*address, next)) {
            evidence.mirror(*class, distance);
        }
    }
    Ok(())
}

/// The classes of all class loaders.
fn loaders(dump: &Dump, classes: &Classes, ranges: &Ranges) -> Result<HashMap<u64, ClassIndex>, Error> {
    let wanted = classes.iter().map(|(_, class)| class.loader).filter(|loader| *loader != 0).collect();
    let mut loaders = HashMap::new();
    ranges.reread(dump, wanted, |address, record| {
        if let Record::Instance { class, .. } = record {
            loaders.insert(address, classes.find_by_address(class).unwrap_or(UNKNOWN));
        }
    })?;
    Ok(loaders)
}
