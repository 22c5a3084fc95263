//! What the runtime in the dumped program knows of its objects: its class table, and the tags of registered ones.

use std::collections::HashMap;

use crate::components::from_objects;
use crate::error::Error;
use crate::graph::RUNTIME;
use crate::heap::Heap;
use crate::hprof::Record;
use crate::index::ObjectIndex;

/// Bits of a registration's number below the number itself, and of them those of the thread's group: `Origin` in the runtime.
const ORIGIN_BITS: u32 = 24;
const GROUP_BITS: u32 = 8;

/// The runtime's tables in a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registered {
    /// The first id of each jar, rising, and the addresses of the loaders that brought it; 0 is the boot loader.
    jars: Vec<(u32, Vec<u64>)>,
    /// The combination of tags of each registered object that has tags.
    pub tags: HashMap<ObjectIndex, u32>,
}

impl Registered {
    /// Reads them. Empty if the program has no runtime.
    ///
    /// # Errors
    /// The dump cannot be read any more.
    pub fn from_heap(heap: &Heap) -> Result<Registered, Error> {
        let mut registered = Registered::default();
        let jars = instances(heap, "probe.LinkedJar");
        let mut of_jar: HashMap<ObjectIndex, (u32, Vec<u64>)> = HashMap::new();
        values(heap, &jars, ["base", "boot"], |jar, [base, boot]| {
            of_jar.insert(jar, (base as u32, if boot == 0 { Vec::new() } else { vec![0] }));
        })?;
        for (jar, loader) in from_objects(heap, &jars, "loaders.elementData[].referent")? {
            if let Some((_, loaders)) = of_jar.get_mut(&jar) {
                loaders.push(heap.address(loader));
            }
        }
        registered.jars = of_jar.into_values().collect();
        registered.jars.sort_unstable();
        let tracked = instances(heap, "probe.Tracked");
        let mut tags = HashMap::new();
        values(heap, &tracked, ["numberAndOrigin", "referent"], |_, [number, referent]| {
            let combination = (number & ((1 << ORIGIN_BITS) - 1)) >> GROUP_BITS;
            if let (Some(object), 1..) = (heap.find(referent), combination) {
                tags.insert(object, combination as u32);
            }
        })?;
        registered.tags = tags;
        Ok(registered)
    }

    /// The loaders of the class with this id.
    pub fn loaders(&self, id: u32) -> &[u64] {
        let after = self.jars.partition_point(|(base, _)| *base <= id);
        after.checked_sub(1).map_or(&[], |at| &self.jars[at].1)
    }
}

fn instances(heap: &Heap, class: &str) -> Vec<ObjectIndex> {
    let name = format!("{RUNTIME}{class}");
    let classes = heap.classes().iter().filter(|(_, class)| class.name == name);
    classes.flat_map(|(index, _)| heap.instances(index)).collect()
}

/// The values of some fields of objects of one class; 0 of those that it does not have.
pub(super) fn values<const N: usize>(
    heap: &Heap,
    objects: &[ObjectIndex],
    names: [&str; N],
    mut take: impl FnMut(ObjectIndex, [u64; N]),
) -> Result<(), Error> {
    let Some(first) = objects.first() else { return Ok(()) };
    let ids = heap.dump().ids();
    let fields: Vec<_> = heap.classes().instance_fields(heap.class_of(*first), ids.bytes()).collect();
    let of_name = |name: &str| {
        let field = fields.iter().find(|(_, field, _)| heap.name_of_field(field.name) == name);
        field.map(|(_, field, offset)| (*offset as usize, field.kind.bytes(ids.bytes()) as usize))
    };
    let found = names.map(of_name);
    heap.reread(objects, |object, record| {
        let Record::Instance { fields, .. } = record else { return };
        let value = |field: Option<(usize, usize)>| {
            let (at, bytes) = field?;
            let value = fields.get(at..at + bytes)?;
            Some(value.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        };
        take(object, found.map(|field| value(field).unwrap_or(0)));
    })
}
