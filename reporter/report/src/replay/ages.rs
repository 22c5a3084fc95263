//! True ages: how many collections live objects have survived.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::flow::EventStep;

/// The live objects of a class by the collections that they survived.
pub(super) type ByAge = BTreeMap<u64, u64>;

/// What lives after the events so far, by class and by how many collections had been when it was born.
#[derive(Debug, Clone, Default)]
pub(super) struct Ages {
    /// The last event before each collection, ascending.
    collections: Vec<u64>,
    held: HashMap<(u32, usize), u64>,
}

impl Ages {
    /// Counts nothing if there are no collections.
    pub(super) fn new(collections: Vec<u64>) -> Self {
        Ages { collections, held: HashMap::new() }
    }

    /// How many collections there were before an event.
    fn collections_before(&self, event: u64) -> usize {
        self.collections.partition_point(|collected| *collected < event)
    }

    pub(super) fn take(&mut self, step: &EventStep<'_>) {
        if self.collections.is_empty() {
            return;
        }
        for life in step.born {
            *self.held.entry((life.class, self.collections_before(life.born))).or_default() += 1;
        }
        for life in step.died {
            let key = (life.class, self.collections_before(life.born));
            if let Some(objects) = self.held.get_mut(&key) {
                *objects = objects.saturating_sub(1);
                if *objects == 0 {
                    self.held.remove(&key);
                }
            }
        }
    }

    /// How many collections there were up to an event, and the live objects by the number of their class.
    pub(super) fn by_class(&self, event: u64) -> (u64, BTreeMap<u32, ByAge>) {
        let now = self.collections_before(event.saturating_add(1));
        let mut classes: BTreeMap<u32, ByAge> = BTreeMap::new();
        for ((class, born), objects) in &self.held {
            *classes.entry(*class).or_default().entry(now.saturating_sub(*born) as u64).or_default() += objects;
        }
        (now as u64, classes)
    }
}

/// The ages of the live objects of a class, as recorded and in truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgesBeside {
    /// Objects in each bucket of the recording.
    pub recorded: Vec<u64>,
    /// The true ones.
    pub truth: Vec<u64>,
    /// The part of the objects, from 0 to 1, that is in another bucket than in truth. Numbers of objects that differ do not
    /// count.
    pub apart: f64,
}

impl AgesBeside {
    /// `from`: the lower bounds of the buckets. `None` if one of the two has no objects.
    pub(super) fn from_ages(recorded: Vec<u64>, truth: &ByAge, from: &[u64]) -> Option<Self> {
        let mut counts = vec![0; from.len()];
        for (age, objects) in truth {
            let bucket = from.partition_point(|least| least <= age).checked_sub(1)?;
            counts[bucket] += objects;
        }
        let sum = |counts: &[u64]| counts.iter().sum::<u64>();
        let (ours, theirs) = (sum(&recorded), sum(&counts));
        if recorded.len() != counts.len() || ours == 0 || theirs == 0 {
            return None;
        }
        let part = |objects: u64, of: u64| objects as f64 / of as f64;
        let differences = recorded.iter().zip(&counts).map(|(a, b)| (part(*a, ours) - part(*b, theirs)).abs());
        let apart = differences.sum::<f64>() / 2.0;
        Some(AgesBeside { recorded, truth: counts, apart })
    }
}
