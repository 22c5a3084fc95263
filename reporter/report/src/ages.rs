//! The ages of live objects, in collections survived.

use serde::{Deserialize, Serialize};
use weighbridge_recording::ClassRow;

use crate::row::{Merge, RowField};

/// The ages of one class's live objects, over all JVMs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ages {
    /// Collections, young and full, that the oldest tracked object survived.
    pub max: u64,
    /// The most full collections that an object survived.
    pub max_full: Option<u64>,
    /// Surviving generations: different ages among the tracked objects; the most of any JVM.
    pub generations: Option<u64>,
    /// The same in each JVM's first snapshot that has the class. A leaking class gains ages.
    pub generations_first: Option<u64>,
    /// Live objects by age; empty if the JVMs have different buckets or one has none, or if [too few](are_known) are tracked.
    pub buckets: Vec<Bucket>,
}

/// Live objects of some ages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// The lowest age.
    pub from: u64,
    /// The highest; `None` for the last bucket, which is open.
    pub to: Option<u64>,
    /// Live objects with these ages: exact if every live object is tracked, else those of the tracked ones, scaled to `live`.
    pub live: u64,
    /// Live objects that survived as many full collections.
    pub live_by_full: u64,
}

impl Ages {
    /// The bucket of the median age: half of the live objects are at least as old.
    pub(crate) fn median(&self) -> Option<&Bucket> {
        let all = self.buckets.iter().fold(0_u64, |sum, bucket| sum.saturating_add(bucket.live));
        let mut seen = 0_u64;
        self.buckets.iter().filter(|_| all > 0).find(|bucket| {
            seen = seen.saturating_add(bucket.live);
            seen >= all.div_ceil(2)
        })
    }

    /// Ages gained since the first snapshot.
    pub(crate) fn more_generations(&self) -> Option<u64> {
        let first = self.generations_first.unwrap_or_default();
        self.generations?.checked_sub(first).filter(|more| *more > 0)
    }
}

impl Bucket {
    /// `3`, `4-7`, `8+`.
    pub(crate) fn title(&self) -> String {
        match self.to {
            None => format!("{}+", self.from),
            Some(to) if to == self.from => to.to_string(),
            Some(to) => format!("{}-{to}", self.from),
        }
    }
}

impl RowField for Option<Ages> {}

/// Ages are added by [`AgeSum`].
impl Merge for Option<Ages> {}

/// Adds the ages of one class.
#[derive(Debug, Default)]
pub(crate) struct AgeSum {
    max: Option<u64>,
    max_full: Option<u64>,
    generations: Option<u64>,
    generations_first: Option<u64>,
    buckets: Option<Vec<Bucket>>,
}

impl AgeSum {
    pub(crate) fn add(&mut self, row: &ClassRow, from: &[u64], first: Option<u64>) {
        self.max = self.max.max(row.oldest);
        self.max_full = self.max_full.max(row.oldest_full);
        self.generations = self.generations.max(row.generations);
        self.generations_first = self.generations_first.max(first);
        if row.objects() == Some(0) && row.ages.is_none() {
            return;
        }
        let part = buckets(row, from);
        self.buckets = Some(match (self.buckets.take(), part) {
            (None, part) => part,
            (Some(sum), part) if same_bounds(&sum, &part) => added(sum, &part),
            _ => Vec::new(),
        });
    }

    pub(crate) fn finish(self) -> Option<Ages> {
        Some(Ages {
            max: self.max?,
            max_full: self.max_full,
            generations: self.generations,
            generations_first: self.generations_first,
            buckets: self.buckets.unwrap_or_default(),
        })
    }
}

/// Ages of a sampled class are those of the tracked objects. The share of a bucket is off by up to 18 points of a hundred with
/// so many of them (95 %, if all stand for as many objects); with fewer it says too little.
const FEWEST: u64 = 30;

/// Whether enough objects are tracked to tell the ages of all.
pub(crate) fn are_known(row: &ClassRow) -> bool {
    row.exact == Some(true) || row.tracked.is_none_or(|tracked| tracked >= FEWEST)
}

fn buckets(row: &ClassRow, from: &[u64]) -> Vec<Bucket> {
    if !are_known(row) {
        return Vec::new();
    }
    let (Some(ages), Some(full)) = (&row.ages, &row.full_ages) else { return Vec::new() };
    if ages.len() != from.len() || full.len() != from.len() {
        return Vec::new();
    }
    let bucket = |i: usize| Bucket {
        from: from[i],
        to: from.get(i + 1).map(|next| next.saturating_sub(1)),
        live: ages[i],
        live_by_full: full[i],
    };
    (0..from.len()).map(bucket).collect()
}

fn same_bounds(one: &[Bucket], other: &[Bucket]) -> bool {
    one.iter().map(|b| b.from).eq(other.iter().map(|b| b.from))
}

fn added(mut sum: Vec<Bucket>, part: &[Bucket]) -> Vec<Bucket> {
    for (into, bucket) in sum.iter_mut().zip(part) {
        into.live = into.live.saturating_add(bucket.live);
        into.live_by_full = into.live_by_full.saturating_add(bucket.live_by_full);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn median(live: &[u64], from: &[u64]) -> Option<u64> {
        let bucket = |(live, from): (&u64, &u64)| Bucket { from: *from, to: None, live: *live, live_by_full: 0 };
        let buckets = live.iter().zip(from).map(bucket).collect();
        Ages { buckets, ..Ages::default() }.median().map(|bucket| bucket.from)
    }

    #[test]
    fn the_median_age_is_the_bucket_in_which_half_of_the_objects_are_reached() {
        assert_eq!(median(&[3, 2, 0], &[0, 1, 4]), Some(0));
        assert_eq!(median(&[2, 3, 0], &[0, 1, 4]), Some(1));
        assert_eq!(median(&[0, 0, 1], &[0, 1, 4]), Some(4));
        assert_eq!(median(&[0, 0], &[0, 1]), None, "no object has no age");
    }
}
