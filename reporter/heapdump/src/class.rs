//! The classes of a dump: names, inheritance, and the offsets of their instances' fields.

use std::collections::{HashMap, HashSet};

use crate::address::address_text;
use crate::hprof::{ClassRecord, DeclaredField, Dump, FieldType, Static, dotted};

/// A class's number in [`Classes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassIndex(pub(crate) u32);

impl ClassIndex {
    /// As an index into an array with an element for each class.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A class of the dumped heap.
#[derive(Debug, Clone)]
pub struct Class {
    /// Dotted name: `java.util.Map$Entry`, `byte[]`.
    pub name: String,
    /// Address of its `java.lang.Class` object; 0 if the dump has no record of the class.
    pub address: u64,
    /// Address of its class loader; 0 for the boot loader.
    pub loader: u64,
    /// Its superclass.
    pub superclass: Option<ClassIndex>,
    /// Type of an element, for an array of primitive values.
    pub primitive: Option<FieldType>,
    /// Its static fields.
    pub statics: Vec<Static>,
    /// Instance fields that it declares itself.
    pub fields: Vec<DeclaredField>,
    /// Addresses of its signers and its protection domain, or 0.
    pub(crate) held: [u64; 2],
}

impl Class {
    /// The package of a dotted class name; of an array, that of its elements.
    pub fn package(name: &str) -> &str {
        let element = name.trim_end_matches("[]");
        match element.rsplit_once('.') {
            Some((package, _)) => package,
            None if element.len() < name.len() && element.chars().all(char::is_lowercase) => "(arrays of primitives)",
            None => "(no package)",
        }
    }
}

/// All classes of a dump.
#[derive(Debug)]
pub struct Classes {
    list: Vec<Class>,
    by_address: HashMap<u64, ClassIndex>,
    primitive_arrays: [ClassIndex; KINDS],
    mirror: ClassIndex,
    /// Names that HotSpot writes as static fields, but are none: `<resolved_references>`, `<init_lock>`.
    internal_names: HashSet<u64>,
}

/// The class of objects whose class the dump does not describe.
pub(crate) const UNKNOWN: ClassIndex = ClassIndex(0);

/// Types of fields and elements: references and the primitive ones.
const KINDS: usize = FieldType::PRIMITIVE.len() + 1;

/// The name of a loader of the JDK, by its class.
pub(crate) fn short_loader_name(class: &str) -> Option<&'static str> {
    match class {
        "jdk.internal.loader.ClassLoaders$PlatformClassLoader" => Some("platform"),
        "jdk.internal.loader.ClassLoaders$AppClassLoader" => Some("app"),
        _ => None,
    }
}

impl Classes {
    /// Names and links class records. Of several with one address, the first counts.
    pub(crate) fn from_records(dump: &Dump, mut records: Vec<ClassRecord>) -> Self {
        let names: HashSet<u64> = records.iter().flat_map(|record| &record.statics).map(|field| field.name).collect();
        let internal = |name: &u64| dump.text(*name).is_some_and(|text| text.starts_with('<'));
        let internal_names = names.into_iter().filter(internal).collect();
        // Threads give records in no fixed order; the same dump must give the same numbers.
        records.sort_by_key(|record| record.address);
        records.dedup_by_key(|record| record.address);
        let mut classes = Classes {
            list: Vec::new(),
            by_address: HashMap::new(),
            primitive_arrays: [UNKNOWN; KINDS],
            mirror: UNKNOWN,
            internal_names,
        };
        classes.add("(unknown class)".to_owned(), None);
        let mut superclasses = vec![0];
        for record in records {
            let internal = dump.class_name(record.address);
            let name =
                internal.as_deref().map_or_else(|| format!("(class at {})", address_text(record.address)), dotted);
            let class = classes.add(name, Some(&record));
            superclasses.push(record.superclass);
            for kind in FieldType::PRIMITIVE {
                let of_hotspot = internal.as_deref().and_then(|name| name.strip_prefix('['))
                    == Some(kind.descriptor().encode_utf8(&mut [0; 4]));
                // Android writes names as in the Java language.
                let of_android = internal.as_deref().and_then(|name| name.strip_suffix("[]")) == Some(kind.name());
                if of_hotspot || of_android {
                    classes.list[class.as_usize()].primitive = Some(kind);
                    classes.primitive_arrays[kind as usize] = class;
                }
            }
        }
        for (at, superclass) in superclasses.into_iter().enumerate() {
            classes.list[at].superclass = classes.by_address.get(&superclass).copied();
        }
        classes.break_cycles();
        for kind in FieldType::PRIMITIVE {
            if classes.array_of(kind) == UNKNOWN {
                let class = classes.add(format!("{}[]", kind.name()), None);
                classes.list[class.as_usize()].primitive = Some(kind);
                classes.primitive_arrays[kind as usize] = class;
            }
        }
        classes.mirror =
            classes.find_by_name("java.lang.Class").unwrap_or_else(|| classes.add("java.lang.Class".into(), None));
        classes
    }

    fn add(&mut self, name: String, record: Option<&ClassRecord>) -> ClassIndex {
        let index = ClassIndex(self.list.len() as u32);
        let record = record.cloned().unwrap_or_default();
        if record.address != 0 {
            self.by_address.insert(record.address, index);
        }
        self.list.push(Class {
            name,
            address: record.address,
            loader: record.loader,
            superclass: None,
            primitive: None,
            statics: record.statics,
            fields: record.fields,
            held: [record.signers, record.protection_domain],
        });
        index
    }

    /// A damaged dump may have a class that is its own ancestor.
    fn break_cycles(&mut self) {
        let mut sound = vec![false; self.list.len()];
        for start in 0..self.list.len() {
            let mut path = Vec::new();
            let mut at = Some(start);
            while let Some(class) = at.filter(|class| !sound[*class]) {
                if path.contains(&class) {
                    self.list[path[path.len() - 1]].superclass = None;
                    break;
                }
                path.push(class);
                at = self.list[class].superclass.map(ClassIndex::as_usize);
            }
            path.into_iter().for_each(|class| sound[class] = true);
        }
    }

    /// Number of classes.
    #[expect(clippy::len_without_is_empty, reason = "(unknown class) is always there")]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All classes with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (ClassIndex, &Class)> {
        self.list.iter().enumerate().map(|(at, class)| (ClassIndex(at as u32), class))
    }

    /// A class.
    pub fn get(&self, class: ClassIndex) -> &Class {
        &self.list[class.as_usize()]
    }

    /// The class whose `java.lang.Class` object has an address.
    pub fn find_by_address(&self, address: u64) -> Option<ClassIndex> {
        self.by_address.get(&address).copied()
    }

    /// The first class with a dotted name; several loaders may each define one.
    pub fn find_by_name(&self, name: &str) -> Option<ClassIndex> {
        self.iter().find(|(_, class)| class.name == name).map(|(index, _)| index)
    }

    /// `java.lang.Class`.
    pub fn mirror(&self) -> ClassIndex {
        self.mirror
    }

    /// The class of arrays of a primitive type.
    pub fn array_of(&self, kind: FieldType) -> ClassIndex {
        self.primitive_arrays[kind as usize]
    }

    /// See [`crate::Heap::loader_name`].
    pub(crate) fn loader_name(&self, class: ClassIndex, of_loader: impl Fn(u64) -> Option<ClassIndex>) -> String {
        let address = self.get(class).loader;
        if address == 0 {
            return "boot".to_owned();
        }
        let Some(class) = of_loader(address).map(|loader| &self.get(loader).name) else {
            return address_text(address);
        };
        short_loader_name(class).map_or_else(|| format!("{class}@{}", address_text(address)), str::to_owned)
    }

    /// Bytes of a class's static fields, with references of `reference` bytes.
    pub(crate) fn static_bytes(&self, class: ClassIndex, reference: u32) -> u64 {
        let fields = self.get(class).statics.iter().filter(|field| !self.internal_names.contains(&field.name));
        fields.map(|field| u64::from(field.kind.bytes(reference))).sum()
    }

    /// A class and its superclasses, the class first.
    pub fn ancestry(&self, class: ClassIndex) -> impl Iterator<Item = ClassIndex> + '_ {
        std::iter::successors(Some(class), |class| self.get(*class).superclass)
    }

    /// Whether a class is another or extends it.
    pub fn is_a(&self, class: ClassIndex, ancestor: ClassIndex) -> bool {
        self.ancestry(class).any(|class| class == ancestor)
    }

    /// The fields of a class's instances: the class that declares each, the field, and the offset of its value in an
    /// instance record, in the order of the record.
    pub fn instance_fields(
        &self,
        class: ClassIndex,
        id_bytes: u32,
    ) -> impl Iterator<Item = (ClassIndex, DeclaredField, u32)> + '_ {
        let fields = self.ancestry(class).flat_map(|class| self.get(class).fields.iter().map(move |f| (class, *f)));
        fields.scan(0_u32, move |next, (class, field)| {
            let offset = *next;
            *next = next.checked_add(field.kind.bytes(id_bytes))?;
            Some((class, field, offset))
        })
    }
}
