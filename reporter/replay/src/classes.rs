//! What events need to know of classes, fields, methods and sites, by number.

use std::collections::HashMap;

use crate::names::{MOST_NAMES, Names, ReplayMethod, Size};
use crate::settings::Settings;

/// The key of a slot in an object: up to 2^31 the offset of a field or the index of an element.
pub(crate) type Key = u32;
/// The slot holds nothing: the referent of a weak reference.
pub(crate) const WEAK: Key = u32::MAX;
const MOST_KEY: u64 = 0x7fff_ffff;
/// A field by its number: its offset is not known.
const BY_FIELD: Key = 0x8000_0000;
/// An offset in an object whose class is not known.
const BY_OFFSET: Key = 0xc000_0000;
const LOW: u32 = 0x3fff_fffe;

/// What events need to know of a method.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MethodFacts {
    /// Variable 0 is `this`.
    pub(crate) instance: bool,
    /// Its entries are moments.
    pub(crate) noted: bool,
    /// The virtual machine keeps its result, and its arguments: the variables below this number.
    pub(crate) keeps: Option<u16>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ClassFacts {
    size: Option<Size>,
    /// It is `java.lang.Class`.
    stands: bool,
    /// The offset of `referent`, if it is a class of weak or phantom references.
    weak: Option<u32>,
}

/// The last class and key of a field.
#[derive(Debug, Clone, Copy)]
struct Recent {
    class: u32,
    key: Key,
}

/// Tables by number.
#[derive(Debug)]
pub(crate) struct NameFacts<'n> {
    names: &'n Names,
    classes: Vec<ClassFacts>,
    methods: Vec<MethodFacts>,
    /// The method of each site.
    sites: Vec<u32>,
    recent: Vec<Recent>,
    resolved: HashMap<(u32, u32), Key>,
    by_name: HashMap<&'n str, Vec<u32>>,
}

/// A table with room for the numbers of `names` that may occur.
fn table<T: Clone>(numbers: impl Iterator<Item = u32>, empty: T) -> Vec<T> {
    vec![empty; numbers.max().unwrap_or(0).min(MOST_NAMES) as usize + 1]
}

impl<'n> NameFacts<'n> {
    pub(crate) fn new(names: &'n Names, settings: &Settings) -> Self {
        let mut classes = table(names.classes.keys().copied(), ClassFacts::default());
        let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, class) in &names.classes {
            by_name.entry(&class.name).or_default().push(*number);
            let facts = ClassFacts {
                size: Some(class.size),
                stands: class.name == "java.lang.Class",
                weak: weak(names, *number),
            };
            if let Some(element) = classes.get_mut(*number as usize) {
                *element = facts;
            }
        }
        let noted = settings.moments_of.iter().copied().filter(|method| *method <= MOST_NAMES);
        let mut methods = table(names.methods.keys().copied().chain(noted.clone()), MethodFacts::default());
        for (number, method) in &names.methods {
            if let Some(element) = methods.get_mut(*number as usize) {
                *element = MethodFacts { instance: !method.is_static, noted: false, keeps: keeps(method) };
            }
        }
        for method in noted {
            if let Some(element) = methods.get_mut(method as usize) {
                element.noted = true;
            }
        }
        let mut sites = table(names.sites.keys().copied(), 0);
        for (number, site) in &names.sites {
            if let Some(element) = sites.get_mut(*number as usize) {
                *element = site.method;
            }
        }
        let recent = table(names.fields.keys().copied(), Recent { class: u32::MAX, key: 0 });
        NameFacts { names, classes, methods, sites, recent, resolved: HashMap::new(), by_name }
    }

    pub(crate) fn method(&self, method: u32) -> MethodFacts {
        self.methods.get(method as usize).copied().unwrap_or_default()
    }

    pub(crate) fn method_of_site(&self, site: u32) -> u32 {
        self.sites.get(site as usize).copied().unwrap_or(0)
    }

    fn class(&self, class: u32) -> ClassFacts {
        self.classes.get(class as usize).copied().unwrap_or_default()
    }

    /// The bytes of an object; 0 if the class is not known. `length` of a `Class` is the number of the class that it stands for.
    pub(crate) fn bytes(&self, class: u32, length: u32) -> u64 {
        let facts = self.class(class);
        match facts.size {
            None => 0,
            Some(Size::Instance(bytes)) if facts.stands => {
                self.names.class_objects.get(&length).copied().unwrap_or(bytes)
            }
            Some(Size::Instance(bytes)) => bytes,
            Some(Size::Array { base, shift }) => {
                let bytes = u64::from(base) + (u64::from(length) << shift);
                bytes.next_multiple_of(self.names.vm.alignment.max(1).into())
            }
        }
    }

    pub(crate) fn is_array(&self, class: u32) -> bool {
        matches!(self.class(class).size, Some(Size::Array { .. }))
    }

    /// Whether its objects stand for classes.
    pub(crate) fn stands_for_classes(&self, class: u32) -> bool {
        self.class(class).stands
    }

    /// The slot of a field in an object of a class.
    #[inline]
    pub(crate) fn key_of_field(&mut self, field: u32, class: u32) -> Key {
        match self.recent.get(field as usize) {
            Some(recent) if recent.class == class => recent.key,
            Some(_) => self.other_key_of_field(field, class),
            None => BY_FIELD | field.min(LOW),
        }
    }

    fn other_key_of_field(&mut self, field: u32, class: u32) -> Key {
        let names = self.names;
        let key = *self.resolved.entry((field, class)).or_insert_with(|| resolve(names, field, class));
        if let Some(recent) = self.recent.get_mut(field as usize) {
            *recent = Recent { class, key };
        }
        key
    }

    /// The slot at an offset in an object of a class.
    pub(crate) fn key_of_offset(&self, class: u32, offset: u64) -> Key {
        let facts = self.class(class);
        let small = |number: u64| number.min(MOST_KEY) as Key;
        match facts.size {
            None => BY_OFFSET | offset.min(LOW.into()) as Key,
            Some(Size::Array { base, shift }) => small(offset.saturating_sub(base.into()) >> shift),
            Some(Size::Instance(_)) if facts.weak.is_some_and(|weak| u64::from(weak) == offset) => WEAK,
            Some(Size::Instance(_)) => small(offset),
        }
    }

    /// The slot in an object whose class has become known.
    pub(crate) fn key_now(&mut self, class: u32, key: Key) -> Key {
        match key {
            WEAK => WEAK,
            BY_OFFSET.. => self.key_of_offset(class, (key & !BY_OFFSET).into()),
            BY_FIELD.. => self.key_of_field(key & !BY_FIELD, class),
            _ => key,
        }
    }

    /// Whether an instance of a class has a reference field at an offset.
    pub(crate) fn has_field(&self, class: u32, offset: u64) -> bool {
        let offset = u32::try_from(offset).ok();
        offset.is_some_and(|offset| self.names.upwards(class).any(|(_, class)| class.fields.contains_key(&offset)))
    }

    /// The class and offset of a static field, if there is only one that it can be.
    pub(crate) fn static_field(&self, field: u32) -> Option<(u32, u32)> {
        let field = self.names.fields.get(&field)?;
        let candidates = self.by_name.get(field.class.as_str())?.iter();
        let mut found = candidates.filter_map(|class| {
            self.names.upwards(*class).find_map(|(number, class)| {
                let has = class.statics.iter().find(|(_, name)| **name == field.name);
                has.map(|(offset, _)| (number, *offset))
            })
        });
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }
}

/// Whether objects of the class do not hold their `referent`.
fn is_weak(names: &Names, class: u32) -> bool {
    let weak = ["java.lang.ref.WeakReference", "java.lang.ref.PhantomReference"];
    names.upwards(class).any(|(_, class)| weak.contains(&class.name.as_str()))
}

/// The offset of `referent`, if objects of the class do not hold it.
fn weak(names: &Names, class: u32) -> Option<u32> {
    if !is_weak(names, class) {
        return None;
    }
    let (_, reference) = names.upwards(class).find(|(_, class)| class.name == "java.lang.ref.Reference")?;
    reference.fields.iter().find(|(_, name)| *name == "referent").map(|(offset, _)| *offset)
}

/// As the JVM resolves a field (JVMS 5.4.3.2): from the class that code names upwards.
fn resolve(names: &Names, field: u32, class: u32) -> Key {
    let unresolved = BY_FIELD | field.min(LOW);
    let Some(named) = names.fields.get(&field) else { return unresolved };
    let from = names.upwards(class).skip_while(|(_, class)| class.name != named.class);
    let offset = from
        .into_iter()
        .find_map(|(_, class)| class.fields.iter().find(|(_, name)| **name == named.name).map(|(offset, _)| *offset));
    match offset {
        Some(offset) if weak(names, class) == Some(offset) => WEAK,
        Some(offset) => offset.min(MOST_KEY as Key),
        None if named.name == "referent" && is_weak(names, class) => WEAK,
        None => unresolved,
    }
}

/// The methods that link call sites: the virtual machine keeps their arguments and results.
fn keeps(method: &ReplayMethod) -> Option<u16> {
    (method.class == "java.lang.invoke.MethodHandleNatives").then(|| {
        let (mut slots, mut array) = (u16::from(!method.is_static), false);
        let mut rest = method.descriptor.trim_start_matches('(').chars();
        while let Some(kind) = rest.next().filter(|kind| *kind != ')') {
            if kind == 'L' {
                rest.by_ref().find(|end| *end == ';');
            }
            let wide = matches!(kind, 'J' | 'D') && !array;
            array = kind == '[';
            slots = slots.saturating_add(if array { 0 } else { 1 + u16::from(wide) });
        }
        slots
    })
}
