//! Why objects are alive: what holds the objects of a class, over all JVMs.

use std::collections::BTreeMap;

use serde::Serialize;
use weighbridge_recording::Holders;

/// What holds the tracked objects of a class that were asked, in objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HolderFigures {
    /// Objects that were asked: a sample if the class has more.
    pub examined: u64,
    /// Of them, reached from no other tracked object: held by stacks, statics, or what nothing registered reaches.
    pub outside: u64,
    /// Of them, held through chains that are not listed.
    pub others: u64,
    /// The most frequent first.
    pub chains: Vec<HolderChain>,
}

/// Equal ways from the nearest registered object to objects of a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HolderChain {
    /// Objects that are held this way.
    pub objects: u64,
    /// From the holder's field to the one that refers to the object.
    pub steps: Vec<String>,
}

/// Adds what the rows of one class say; rows that say nothing change nothing.
#[derive(Debug, Default)]
pub(crate) struct HolderSum {
    sum: Holders,
    chains: BTreeMap<Vec<String>, u64>,
}

impl HolderSum {
    pub(crate) fn add(&mut self, row: Option<&Holders>) {
        let Some(row) = row else { return };
        self.sum.examined = self.sum.examined.saturating_add(row.examined);
        self.sum.outside = self.sum.outside.saturating_add(row.outside);
        self.sum.others = self.sum.others.saturating_add(row.others);
        for chain in &row.chains {
            let objects = self.chains.entry(chain.steps.clone()).or_default();
            *objects = objects.saturating_add(chain.objects);
        }
    }

    pub(crate) fn finish(self) -> Option<HolderFigures> {
        let Holders { examined, outside, others, .. } = self.sum;
        let mut chains: Vec<HolderChain> =
            self.chains.into_iter().map(|(steps, objects)| HolderChain { objects, steps }).collect();
        // Stable: the map's order by steps decides among equals.
        chains.sort_by_key(|chain| std::cmp::Reverse(chain.objects));
        (examined > 0).then_some(HolderFigures { examined, outside, others, chains })
    }
}
