//! What holds the objects of a class, over all JVMs.

use std::collections::BTreeMap;

use weighbridge_recording::{ClassHolders, HolderChain};

use crate::row::{Merge, RowField};
use weighbridge_table::units::percent;

/// The holders in a recording's row, with equal chains added, the most frequent first.
pub(crate) fn merge_chains(row: Option<&ClassHolders>) -> Option<ClassHolders> {
    let mut holders = None;
    holders.merge(row.filter(|row| row.examined > 0).cloned());
    holders
}

/// The share of the most frequent chain, and the chain.
pub(crate) fn most_frequent(holders: &ClassHolders) -> Option<(String, String)> {
    let chain = holders.chains.first()?;
    Some((percent(chain.objects, holders.examined)?, chain.steps.join(" -> ")))
}

impl RowField for Option<ClassHolders> {}

impl Merge for Option<ClassHolders> {
    /// A row without holders changes nothing.
    fn merge(&mut self, other: Self) {
        let Some(other) = other else { return };
        let ClassHolders { examined, outside, others, chains } = self.take().unwrap_or_default();
        let mut by_steps: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for chain in chains.into_iter().chain(other.chains) {
            let objects = by_steps.entry(chain.steps).or_default();
            *objects = objects.saturating_add(chain.objects);
        }
        let mut chains: Vec<HolderChain> =
            by_steps.into_iter().map(|(steps, objects)| HolderChain { objects, steps }).collect();
        // Stable: the map's order by steps decides among equals.
        chains.sort_by_key(|chain| std::cmp::Reverse(chain.objects));
        *self = Some(ClassHolders {
            examined: examined.saturating_add(other.examined),
            outside: outside.saturating_add(other.outside),
            others: others.saturating_add(other.others),
            chains,
        });
    }
}
