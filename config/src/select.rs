//! Selects classes by the configuration, and records which patterns matched.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Config, PatternSet};

/// Packages of the runtime, which must not measure itself. Internal form.
pub const RUNTIME: &[u8] = b"io/weighbridge/";

/// A configuration with a mark for each pattern, set if it matched.
#[derive(Debug)]
pub struct Selector<C> {
    /// The configuration.
    pub config: C,
    include: PatternMarks,
    exclude: PatternMarks,
    annotated: PatternMarks,
    extends: PatternMarks,
    targets: PatternMarks,
    components: PatternMarks,
}

#[derive(Debug)]
struct PatternMarks(Vec<AtomicBool>);

impl PatternMarks {
    fn new(set: &PatternSet) -> PatternMarks {
        PatternMarks(set.patterns().iter().map(|_| AtomicBool::new(false)).collect())
    }

    /// Marks all patterns that match; true if any does.
    fn hit(&self, set: &PatternSet, name: &[u8]) -> bool {
        let mut any = false;
        set.each_match(name, |index| {
            any = true;
            self.0[index].store(true, Ordering::Relaxed);
        });
        any
    }

    fn unhit<'s>(&'s self, set: &'s PatternSet) -> impl Iterator<Item = &'s str> {
        let unmarked = self.0.iter().zip(set.patterns()).filter(|(mark, _)| !mark.load(Ordering::Relaxed));
        unmarked.map(|(_, pattern)| pattern.text())
    }
}

/// The decision by the name of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// An exclude pattern matches, or it is the runtime's.
    Excluded,
    /// An include or target pattern matches.
    Selected,
    /// An annotation or a supertype may still select it.
    Open,
}

impl<C: Deref<Target = Config>> Selector<C> {
    /// Marks no pattern yet.
    pub fn new(config: C) -> Self {
        Selector {
            include: PatternMarks::new(&config.include),
            exclude: PatternMarks::new(&config.exclude),
            annotated: PatternMarks::new(&config.annotated),
            extends: PatternMarks::new(&config.extends),
            targets: PatternMarks::new(&config.target_classes),
            components: PatternMarks::new(config.components.patterns()),
            config,
        }
    }

    /// Decides by the internal name.
    pub fn by_name(&self, name: &[u8]) -> Choice {
        let included = self.include.hit(&self.config.include, name);
        let target = self.targets.hit(&self.config.target_classes, name);
        if self.exclude.hit(&self.config.exclude, name) || name.starts_with(RUNTIME) {
            Choice::Excluded
        } else if included || target {
            Choice::Selected
        } else {
            Choice::Open
        }
    }

    /// True if the selection depends on the content of class files.
    pub fn reads_classes(&self) -> bool {
        self.by_annotation() || self.by_supertype()
    }

    /// True if supertypes select classes.
    pub fn by_supertype(&self) -> bool {
        !self.config.extends.is_empty()
    }

    /// True if annotations select classes.
    pub fn by_annotation(&self) -> bool {
        !self.config.annotated.is_empty()
    }

    /// True if an annotation with this type descriptor selects the classes that carry it.
    pub fn is_wanted_annotation(&self, descriptor: &[u8]) -> bool {
        let name = descriptor.strip_prefix(b"L").and_then(|name| name.strip_suffix(b";"));
        name.is_some_and(|name| self.annotated.hit(&self.config.annotated, name))
    }

    /// True if a supertype with this name selects its subtypes.
    pub fn is_wanted_supertype(&self, name: &[u8]) -> bool {
        self.extends.hit(&self.config.extends, name)
    }

    /// The component of an instrumented class.
    pub fn component(&self, name: &[u8]) -> Option<usize> {
        self.components.hit(self.config.components.patterns(), name);
        self.config.components.of(name)
    }

    /// A sentence for each pattern that matched nothing. Only the first ten are named: a configuration may have thousands.
    pub fn unmatched(&self) -> Vec<String> {
        let config = &*self.config;
        let sets: [(&str, &PatternMarks, &PatternSet, &str); 6] = [
            ("instrument.include", &self.include, &config.include, "class"),
            ("instrument.exclude", &self.exclude, &config.exclude, "class"),
            ("instrument.annotated", &self.annotated, &config.annotated, "annotation of a class"),
            ("instrument.extends", &self.extends, &config.extends, "supertype of a class"),
            ("target.class", &self.targets, &config.target_classes, "class"),
            ("components", &self.components, config.components.patterns(), "instrumented class"),
        ];
        const NAMED: usize = 10;
        let (mut sentences, mut more) = (Vec::new(), 0);
        for (key, marks, set, what) in sets {
            for pattern in marks.unhit(set) {
                match sentences.len() < NAMED {
                    true => sentences.push(format!("{key}: \"{pattern}\" matches no {what}")),
                    false => more += 1,
                }
            }
        }
        match more {
            0 => {}
            1 => sentences.push("1 more pattern matches nothing".to_owned()),
            more => sentences.push(format!("{more} more patterns match nothing")),
        }
        sentences
    }
}
