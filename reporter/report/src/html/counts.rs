//! The counts of live bytes, few enough for a page.

use serde::Serialize;

use crate::peak::{LivePoint, PeakFigures};

/// Most counts of a JVM that the page shows one by one.
const MOST: usize = 1_000;

/// That the page has two of each `per_part` counts.
#[derive(Debug, Serialize)]
pub(super) struct ThinnedCounts {
    jvm: usize,
    counts: usize,
    per_part: usize,
}

/// The peaks with the least and the greatest of each part of their counts. Nothing is averaged.
pub(super) fn thinned(peaks: &[PeakFigures]) -> (Vec<PeakFigures>, Vec<ThinnedCounts>) {
    let mut thinned = Vec::new();
    let peaks = peaks.iter().map(|peak| {
        let counts = &peak.counts;
        if counts.len() <= MOST {
            return peak.clone();
        }
        let per_part = counts.len().div_ceil(MOST / 2);
        thinned.push(ThinnedCounts { jvm: peak.jvm, counts: counts.len(), per_part });
        PeakFigures { counts: counts.chunks(per_part).flat_map(extremes).collect(), ..peak.clone() }
    });
    (peaks.collect(), thinned)
}

/// The least and the greatest of consecutive counts, in their order.
fn extremes(counts: &[LivePoint]) -> Vec<LivePoint> {
    let live = |i: &usize| counts[*i].live_bytes;
    let Some(least) = (0..counts.len()).min_by_key(live) else { return Vec::new() };
    // The first of the greatest, because it may be a new peak.
    let greatest = (0..counts.len()).rev().max_by_key(live).unwrap_or(least);
    let mut chosen = vec![least.min(greatest), least.max(greatest)];
    chosen.dedup();
    chosen.into_iter().map(|i| counts[i].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(allocated: u64, live: u64) -> LivePoint {
        LivePoint {
            uptime_ms: Some(allocated),
            allocated_bytes: Some(allocated),
            live_bytes: Some(live),
            collected: Some(true),
            peak: false,
        }
    }

    #[test]
    fn a_part_has_its_least_and_its_greatest_count_in_their_order() {
        let chosen = extremes(&[count(1, 5), count(2, 9), count(3, 9), count(4, 2), count(5, 7)]);
        let chosen: Vec<_> = chosen.iter().map(|point| point.allocated_bytes.unwrap()).collect();
        assert_eq!(chosen, [2, 4]);
        assert_eq!(extremes(&[count(1, 5)]).len(), 1);
    }
}
