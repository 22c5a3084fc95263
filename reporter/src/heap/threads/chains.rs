//! Chains of shared entries: `#F3->#T1->#F2`.

use std::collections::HashSet;

use weighbridge_heapdump::threads::{Holdings, Shared};

use super::id;

/// An entry: whether it is thread-shared, and its place in its table.
type Place = (bool, u32);

/// Chains told of one row; there can be as many as entries.
pub(super) const MOST: usize = 20;

/// The chains that start at the given entries, depth first, each entry once; the first [`MOST`].
///
/// A chain that goes on where another branched off starts with the entry of the branch.
pub(super) fn of(holdings: &Holdings, from: &Shared) -> Vec<String> {
    let mut chains = Vec::new();
    let mut seen = HashSet::new();
    let ids = |shared: &Shared| -> Vec<Place> {
        let frame = shared.frame.iter().map(|&number| (false, number));
        frame.chain(shared.thread.iter().map(|&number| (true, number))).collect()
    };
    // What a chain has so far, and where it goes on.
    let mut open: Vec<(Vec<Place>, Place)> = ids(from).into_iter().rev().map(|entry| (Vec::new(), entry)).collect();
    let text = |chain: &[Place]| {
        chain.iter().map(|&(by_threads, number)| id(by_threads, number)).collect::<Vec<_>>().join("->")
    };
    while let Some((mut chain, entry)) = open.pop() {
        if chains.len() == MOST {
            break;
        }
        if !seen.insert(entry) {
            continue;
        }
        chain.push(entry);
        let (by_threads, number) = entry;
        let refers = if by_threads { holdings.thread_shared(number) } else { holdings.frame_shared(number) }.refers;
        let mut next: Vec<_> = ids(&refers).into_iter().filter(|entry| !seen.contains(entry)).collect();
        if next.is_empty() {
            chains.push(text(&chain));
            continue;
        }
        let first = next.remove(0);
        open.extend(next.into_iter().rev().map(|branch| (vec![entry], branch)));
        open.push((chain, first));
    }
    chains
}
