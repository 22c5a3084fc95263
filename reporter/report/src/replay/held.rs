//! What lives at a moment, by class and site.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use weighbridge_replay::{Life, Names, Origin, Sum};

use super::ages::{Ages, ByAge};
use super::flow::EventStep;
use super::names;

/// The objects of a class that live at a moment: exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldRow {
    /// Its name.
    pub class: String,
    /// Live objects.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those of them that existed when the trace began.
    pub existed_objects: u64,
    /// Their bytes.
    pub existed_bytes: u64,
}

/// The objects of an allocation site that live at a moment: exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldSite {
    /// The class of the objects.
    pub class: String,
    /// Class and name of the method that made them.
    pub method: String,
    /// The line, if known.
    pub line: Option<u32>,
    /// Live objects.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Live objects: all, and those that existed before the trace.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Both {
    pub(super) all: Sum,
    pub(super) existed: Sum,
}

impl Both {
    fn add(&mut self, other: &Both) {
        for (sum, more) in [(&mut self.all, &other.all), (&mut self.existed, &other.existed)] {
            sum.objects += more.objects;
            sum.bytes = sum.bytes.saturating_add(more.bytes);
        }
    }

    fn count(&mut self, life: &Life, born: bool) {
        let existed = (life.origin == Origin::Existed).then_some(&mut self.existed);
        for sum in std::iter::once(&mut self.all).chain(existed) {
            if born {
                sum.add(life.bytes);
            } else {
                sum.objects = sum.objects.saturating_sub(1);
                sum.bytes = sum.bytes.saturating_sub(life.bytes);
            }
        }
    }
}

/// The live objects after the events so far, by class and site, and by class and age.
#[derive(Debug, Clone, Default)]
pub(super) struct LiveObjects {
    sites: HashMap<(u32, u32), Both>,
    ages: Ages,
}

impl LiveObjects {
    pub(super) fn take(&mut self, step: &EventStep<'_>) {
        for (lives, born) in [(step.born, true), (step.died, false)] {
            for life in lives {
                self.sites.entry((life.class, life.site)).or_default().count(life, born);
            }
        }
        self.ages.take(step);
    }

    /// How many collections there were up to an event, and what lives by the number of the class and by age.
    pub(super) fn by_age(&self, event: u64) -> (u64, BTreeMap<u32, ByAge>) {
        self.ages.by_class(event)
    }

    /// By the number of the class.
    pub(super) fn by_class(&self) -> BTreeMap<u32, Both> {
        let mut classes: BTreeMap<u32, Both> = BTreeMap::new();
        for ((class, _), both) in self.sites.iter().filter(|(_, both)| both.all.objects > 0) {
            classes.entry(*class).or_default().add(both);
        }
        classes
    }

    /// By the name of the class, most bytes first.
    pub(super) fn classes(&self, names: &Names) -> Vec<HeldRow> {
        let mut named: BTreeMap<String, Both> = BTreeMap::new();
        for (class, both) in self.by_class() {
            named.entry(names::class(names, class)).or_default().add(&both);
        }
        let row = |(class, both): (String, Both)| HeldRow {
            class,
            objects: both.all.objects,
            bytes: both.all.bytes,
            existed_objects: both.existed.objects,
            existed_bytes: both.existed.bytes,
        };
        let mut rows: Vec<HeldRow> = named.into_iter().map(row).collect();
        rows.sort_by_key(|row| Reverse((row.bytes, row.objects)));
        rows
    }

    /// By site, most bytes first. Objects that existed before the trace have none.
    pub(super) fn sites(&self, names: &Names) -> Vec<HeldSite> {
        let mut named: BTreeMap<(String, String, Option<u32>), Sum> = BTreeMap::new();
        for ((class, site), both) in &self.sites {
            let objects = both.all.objects.saturating_sub(both.existed.objects);
            if objects > 0 {
                let (method, line) = names::method_and_line(names, *site);
                let sum = named.entry((names::class(names, *class), method, line)).or_default();
                sum.objects += objects;
                sum.bytes = sum.bytes.saturating_add(both.all.bytes.saturating_sub(both.existed.bytes));
            }
        }
        let row = |((class, method, line), sum): ((String, String, Option<u32>), Sum)| HeldSite {
            class,
            method,
            line,
            objects: sum.objects,
            bytes: sum.bytes,
        };
        let mut rows: Vec<HeldSite> = named.into_iter().map(row).collect();
        rows.sort_by_key(|row| Reverse((row.bytes, row.objects)));
        rows
    }
}

/// Takes what lives at chosen events, while all events go by.
pub(super) struct Moments {
    held: LiveObjects,
    /// Events in ascending order.
    wanted: Vec<u64>,
    taken: usize,
}

impl Moments {
    /// `collections`: the last event before each; ages are not wanted if there are none.
    pub(super) fn new(mut wanted: Vec<u64>, collections: Vec<u64>) -> Self {
        wanted.sort_unstable();
        wanted.dedup();
        Moments { held: LiveObjects { sites: HashMap::new(), ages: Ages::new(collections) }, wanted, taken: 0 }
    }

    /// Takes the next event. `found` gets the chosen events before it and what lived after each.
    pub(super) fn take(&mut self, step: &EventStep<'_>, found: &mut impl FnMut(u64, &LiveObjects)) {
        if self.taken < self.wanted.len() {
            self.report_moments(step.event, found);
            self.held.take(step);
        }
    }

    /// After the last event.
    pub(super) fn finish(mut self, found: &mut impl FnMut(u64, &LiveObjects)) {
        self.report_moments(u64::MAX, found);
    }

    fn report_moments(&mut self, event: u64, found: &mut impl FnMut(u64, &LiveObjects)) {
        while let Some(wanted) = self.wanted.get(self.taken).filter(|wanted| **wanted < event) {
            found(*wanted, &self.held);
            self.taken += 1;
        }
    }
}
