//! Chains of shared entries: `#F3->#T1->#F2`.

use std::collections::HashSet;

use weighbridge_heapdump::threads::{Holdings, Shared};

/// An entry: whether it is thread-shared, and its index in its table.
type EntryId = (bool, u32);

/// Chains shown of a row; there may be as many as entries.
pub(super) const MOST: usize = 20;

/// The chains that start at the given entries, depth first, each entry once; the first [`MOST`].
///
/// A chain that branches off another one starts with the entry at the branch.
pub(super) fn follow_chains(holdings: &Holdings, from: &Shared) -> Vec<String> {
    let mut chains = Vec::new();
    let mut seen = HashSet::new();
    let ids = |shared: &Shared| -> Vec<EntryId> {
        let frame = shared.frame.iter().map(|&number| (false, number));
        frame.chain(shared.thread.iter().map(|&number| (true, number))).collect()
    };
    // The entries of a chain so far, and the next one.
    let mut open: Vec<(Vec<EntryId>, EntryId)> = ids(from).into_iter().rev().map(|entry| (Vec::new(), entry)).collect();
    let text = |chain: &[EntryId]| {
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

/// The name of an entry, from its index in its table.
pub(super) fn id(by_threads: bool, index: u32) -> String {
    format!("#{}{}", if by_threads { 'T' } else { 'F' }, u64::from(index) + 1)
}
