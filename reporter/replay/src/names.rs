//! What the numbers in a trace stand for.

use std::collections::{BTreeMap, BTreeSet};

/// The largest number of a class, method, field or site. So tables that are indexed by them stay small, whatever a file
/// says.
pub const MOST_NAMES: u32 = 1 << 22;

/// The JVM that wrote a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vm {
    /// The version of Java.
    pub version: String,
    /// Its own name.
    pub name: String,
    /// What sizes of objects are multiples of, in bytes.
    pub alignment: u32,
    /// How headers of objects are laid out, in words of the recorder.
    pub header: String,
    /// Whether hash codes, which number objects, are unique; `false` if the trace does not say so.
    pub unique_numbers: bool,
}

impl Default for Vm {
    fn default() -> Self {
        Vm { version: String::new(), name: String::new(), alignment: 8, header: String::new(), unique_numbers: false }
    }
}

/// The size of the objects of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Every instance has so many bytes.
    Instance(u64),
    /// An array.
    Array {
        /// Bytes before element 0.
        base: u32,
        /// An element has `1 << shift` bytes.
        shift: u8,
    },
}

/// A class of the JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayClass {
    /// As `Class.getName` gives it.
    pub name: String,
    /// The number of its superclass, or 0.
    pub superclass: u32,
    /// The size of its objects.
    pub size: Size,
    /// Its own reference fields, by offset in bytes.
    pub fields: BTreeMap<u32, String>,
    /// Its own static reference fields, by offset in the `Class` object.
    pub statics: BTreeMap<u32, String>,
}

/// A method with probes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayMethod {
    /// Its class, with dots.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its first line, if known.
    pub line: Option<u32>,
    /// Whether it is static.
    pub is_static: bool,
}

/// A field as code names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayField {
    /// The class that the code names: it may be one that inherits the field.
    pub class: String,
    /// Its name.
    pub name: String,
}

/// Code that makes objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The number of the method.
    pub method: u32,
    /// The line, if known.
    pub line: Option<u32>,
    /// The class of what it makes, with dots; arrays as `java.lang.String[]`.
    pub what: String,
}

/// A class without probes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnprobedClass {
    /// Its name.
    pub class: String,
    /// Why it has none.
    pub reason: String,
}

/// Something outside of the trace that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The clock when it happened.
    pub clock: u64,
    /// What: `snapshot N` is the snapshot of that number in the recording of the same run.
    pub text: String,
}

/// All names of a trace. Numbers count from 1; those that the trace does not name are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The JVM.
    pub vm: Vm,
    /// Classes by number.
    pub classes: BTreeMap<u32, ReplayClass>,
    /// Bytes of the `Class` objects, which have the static fields, by the number of the class.
    pub class_objects: BTreeMap<u32, u64>,
    /// Methods by number.
    pub methods: BTreeMap<u32, ReplayMethod>,
    /// Fields by number.
    pub fields: BTreeMap<u32, ReplayField>,
    /// Sites by number.
    pub sites: BTreeMap<u32, Site>,
    /// Classes without probes.
    pub skipped: Vec<UnprobedClass>,
    /// Fields that were read at least once by code with probes.
    pub read: BTreeSet<u32>,
    /// Fields that were written at least once by code with probes.
    pub written: BTreeSet<u32>,
    /// What else happened, by clock.
    pub marks: Vec<Mark>,
}

/// A chain of superclasses is not longer than this: one that goes in a circle ends here.
const LONGEST_CHAIN: usize = 512;

impl Names {
    /// A class and its superclasses, with their numbers.
    pub fn upwards(&self, class: u32) -> impl Iterator<Item = (u32, &ReplayClass)> {
        let with_number = |number: u32| self.classes.get(&number).map(|class| (number, class));
        std::iter::successors(with_number(class), move |(_, class)| with_number(class.superclass)).take(LONGEST_CHAIN)
    }
}
