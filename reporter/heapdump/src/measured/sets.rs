//! Sets of small numbers, each kept once, so that a node needs four bytes for its set.

use std::collections::HashMap;

/// Numbers of sets. The empty one is 0.
pub(super) const EMPTY: u32 = 0;

/// Sorted sets without duplicates.
pub(super) struct Sets {
    list: Vec<Box<[u32]>>,
    known: HashMap<Box<[u32]>, u32>,
    /// The union of two sets, the smaller number first.
    unions: HashMap<(u32, u32), u32>,
    /// Members below `many` that a union may have; one with more has `many` for all of them.
    most: usize,
    many: u32,
}

impl Sets {
    /// Sets of any size.
    pub(super) fn new() -> Sets {
        Sets::limited(usize::MAX, 0)
    }

    /// A union with more than `most` members below `many` has `many` instead of them.
    pub(super) fn limited(most: usize, many: u32) -> Sets {
        let empty: Box<[u32]> = Box::default();
        Sets { list: vec![empty.clone()], known: HashMap::from([(empty, EMPTY)]), unions: HashMap::new(), most, many }
    }

    /// The number of a sorted set.
    pub(super) fn intern(&mut self, members: Vec<u32>) -> u32 {
        debug_assert!(members.is_sorted_by(|one, next| one < next));
        let members = members.into_boxed_slice();
        if let Some(number) = self.known.get(&members) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).expect("fewer sets than nodes");
        self.list.push(members.clone());
        self.known.insert(members, number);
        number
    }

    /// The members of a set.
    pub(super) fn get(&self, set: u32) -> &[u32] {
        &self.list[set as usize]
    }

    /// All sets, by number.
    pub(super) fn all(&self) -> impl Iterator<Item = &[u32]> {
        self.list.iter().map(|set| &**set)
    }

    /// What is in one of two sets.
    pub(super) fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(union) = self.unions.get(&pair) {
            return *union;
        }
        let mut members = merged(self.get(a), self.get(b));
        let below = members.partition_point(|member| *member < self.many);
        if below > self.most || below > 0 && members.get(below) == Some(&self.many) {
            let above = members.partition_point(|member| *member <= self.many);
            members.splice(..above, [self.many]);
        }
        let union = self.intern(members);
        self.unions.insert(pair, union);
        union
    }

    /// The members of a set that are wanted.
    pub(super) fn filter(&mut self, set: u32, wanted: impl Fn(u32) -> bool) -> u32 {
        let members = self.get(set);
        if members.iter().all(|member| wanted(*member)) {
            return set;
        }
        let members = members.iter().copied().filter(|member| wanted(*member)).collect();
        self.intern(members)
    }
}

/// What is in one of two sorted sets, sorted.
fn merged(mut a: &[u32], mut b: &[u32]) -> Vec<u32> {
    let mut members = Vec::with_capacity(a.len() + b.len());
    while let (Some(first), Some(other)) = (a.first(), b.first()) {
        members.push(*first.min(other));
        (a, b) = (&a[usize::from(first <= other)..], &b[usize::from(other <= first)..]);
    }
    members.extend_from_slice(a);
    members.extend_from_slice(b);
    members
}
