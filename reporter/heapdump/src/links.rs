//! By which field or element one object refers to another, read again from the dump when needed.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::class::ClassIndex;
use crate::error::Error;
use crate::graph::Shape;
use crate::heap::Heap;
use crate::hprof::{FieldType, Record};
use crate::index::ObjectIndex;

/// A reference from an object, or the value of a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectLink {
    /// An instance field.
    Field(String),
    /// A static field, of a `java.lang.Class` object.
    Static(String),
    /// An element of an array.
    Element(u32),
    /// An instance's class.
    Class,
    /// What the virtual machine stores with a class: its superclass, loader, signers or protection domain.
    OfClass(&'static str),
}

impl fmt::Display for ObjectLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectLink::Field(name) => write!(f, ".{name}"),
            ObjectLink::Static(name) => write!(f, ".{name} (static)"),
            ObjectLink::Element(at) => write!(f, "[{at}]"),
            ObjectLink::Class => f.write_str("(class)"),
            ObjectLink::OfClass(what) => write!(f, "({what})"),
        }
    }
}

/// The fields of a class's instances, by name.
pub(crate) struct FieldNames<'a> {
    heap: &'a Heap,
    known: HashMap<ClassIndex, Vec<(String, FieldType, u32)>>,
}

impl<'a> FieldNames<'a> {
    pub(crate) fn new(heap: &'a Heap) -> Self {
        FieldNames { heap, known: HashMap::new() }
    }

    /// Name, type and offset of each field, in the order of the record. Reads each name from the dump once a class.
    pub(crate) fn read_fields(&mut self, class: ClassIndex) -> &[(String, FieldType, u32)] {
        let heap = self.heap;
        self.known.entry(class).or_insert_with(|| {
            let fields = heap.classes().instance_fields(class, heap.dump().ids().bytes());
            fields.map(|(_, field, offset)| (heap.name_of_field(field.name), field.kind, offset)).collect()
        })
    }
}

impl Heap {
    pub(crate) fn name_of_field(&self, id: u64) -> String {
        self.dump().text(id).unwrap_or_else(|| "(unknown field)".to_owned())
    }

    /// Visits the references of an object's record in its order, without `null`. The class of an instance, and what the
    /// virtual machine stores with a class, come last.
    pub(crate) fn each_link(
        &self,
        names: &mut FieldNames<'_>,
        object: ObjectIndex,
        record: Record<'_, '_>,
        visit: impl FnMut(&dyn Fn() -> ObjectLink, ObjectIndex),
    ) {
        self.each_link_by(names.read_fields(self.class_of(object)), record, visit);
    }

    /// The same, given the fields of the object's class.
    pub(crate) fn each_link_by(
        &self,
        fields_of: &[(String, FieldType, u32)],
        record: Record<'_, '_>,
        mut visit: impl FnMut(&dyn Fn() -> ObjectLink, ObjectIndex),
    ) {
        let ids = self.dump().ids();
        let mut found = |link: &dyn Fn() -> ObjectLink, address: u64| {
            if address != 0
                && let Some(target) = self.find(address)
            {
                visit(link, target);
            }
        };
        match record {
            Record::Instance { class, fields, .. } => {
                for (name, kind, offset) in fields_of {
                    if *kind == FieldType::Object && fields.len() >= (offset + ids.bytes()) as usize {
                        found(&|| ObjectLink::Field(name.clone()), ids.read(fields, *offset as usize));
                    }
                }
                found(&|| ObjectLink::Class, class);
            }
            Record::Objects { class, mut elements, .. } => {
                let mut at = 0;
                while let Some(piece) = elements.next_piece() {
                    for value in piece.chunks_exact(ids.bytes() as usize) {
                        found(&|| ObjectLink::Element(at), ids.read(value, 0));
                        at += 1;
                    }
                }
                found(&|| ObjectLink::Class, class);
            }
            Record::Class(class) => {
                for field in class.statics.iter().filter(|field| field.kind == FieldType::Object) {
                    found(&|| ObjectLink::Static(self.name_of_field(field.name)), field.value);
                }
                let kept = [
                    ("superclass", class.superclass),
                    ("loader", class.loader),
                    ("signers", class.signers),
                    ("protection domain", class.protection_domain),
                ];
                kept.into_iter().for_each(|(what, address)| found(&|| ObjectLink::OfClass(what), address));
            }
            Record::Primitives { .. } | Record::Root(_) => {}
        }
    }

    /// For each pair of an object and one to which it refers: the link, the first in the order of the record. Pairs
    /// without a reference are missing. The cost is that of [`Heap::reread`].
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn links(
        &self,
        pairs: &[(ObjectIndex, ObjectIndex)],
    ) -> Result<HashMap<(ObjectIndex, ObjectIndex), ObjectLink>, Error> {
        let mut wanted: HashMap<ObjectIndex, HashSet<ObjectIndex>> = HashMap::new();
        for (from, to) in pairs {
            wanted.entry(*from).or_default().insert(*to);
        }
        let sources: Vec<ObjectIndex> = wanted.keys().copied().collect();
        let mut names = FieldNames::new(self);
        let mut links = HashMap::new();
        self.reread(&sources, |from, record| {
            let Some(targets) = wanted.get(&from) else { return };
            self.each_link(&mut names, from, record, |link, to| {
                if targets.contains(&to) {
                    links.entry((from, to)).or_insert_with(link);
                }
            });
        })?;
        Ok(links)
    }

    /// What an object refers to, weakly or not, in the order of its record. A target occurs once for each reference.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn referents(&self, object: ObjectIndex) -> Result<Vec<(ObjectLink, ObjectIndex)>, Error> {
        let mut names = FieldNames::new(self);
        let mut referents = Vec::new();
        self.reread(&[object], |object, record| {
            self.each_link(&mut names, object, record, |link, target| referents.push((link(), target)));
        })?;
        Ok(referents)
    }

    /// The soft references that refer to their referent by no other field, with the referent. HotSpot clears soft
    /// references before it runs out of memory.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn soft_referents(&self) -> Result<Vec<(ObjectIndex, ObjectIndex)>, Error> {
        let Some(soft) = self.classes().find_by_name("java.lang.ref.SoftReference") else { return Ok(Vec::new()) };
        // There are few shapes, but many objects.
        let is_soft = |shape: &Shape| matches!(shape, Shape::Instance(class) if self.classes().is_a(*class, soft));
        let is: Vec<bool> = self.shapes().iter().map(is_soft).collect();
        let references: Vec<ObjectIndex> = self.objects().filter(|object| is[self.shape(*object) as usize]).collect();
        let mut names = FieldNames::new(self);
        let mut referents = Vec::new();
        self.reread(&references, |reference, record| {
            let mut links = Vec::new();
            self.each_link(&mut names, reference, record, |link, target| links.push((link(), target)));
            let referent = links.iter().find(|(link, _)| *link == ObjectLink::Field("referent".to_owned()));
            if let Some((_, target)) = referent
                && links.iter().filter(|(_, other)| other == target).count() == 1
            {
                referents.push((reference, *target));
            }
        })?;
        Ok(referents)
    }

    /// The primitive fields of an object, the static ones of a `Class` object: name, and value as Java prints it.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn primitive_fields(&self, object: ObjectIndex) -> Result<Vec<(String, String)>, Error> {
        let mut names = FieldNames::new(self);
        let mut values = Vec::new();
        self.reread(&[object], |object, record| match record {
            Record::Instance { fields, .. } => {
                for (name, kind, offset) in names.read_fields(self.class_of(object)) {
                    let bytes = fields.get(*offset as usize..).and_then(|rest| rest.get(..kind.bytes(8) as usize));
                    if let Some(bytes) = bytes.filter(|_| *kind != FieldType::Object) {
                        let bits = bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                        values.push((name.clone(), kind.format_value(bits)));
                    }
                }
            }
            Record::Class(class) => {
                for field in class.statics.iter().filter(|field| field.kind != FieldType::Object) {
                    values.push((self.name_of_field(field.name), field.kind.format_value(field.value)));
                }
            }
            _ => {}
        })?;
        Ok(values)
    }
}
