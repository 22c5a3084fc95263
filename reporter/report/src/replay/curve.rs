//! The exact live bytes over allocated bytes, in few points that keep every extreme.

use serde::Serialize;

use super::flow::After;

/// A point of the curve: the figures after an event, none of them averaged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The event, from 0.
    pub event: u64,
    /// Bytes allocated so far.
    pub allocated_bytes: u64,
    /// Bytes that live.
    pub live_bytes: u64,
    /// The part of the allocated bytes that lives.
    pub utilization: Option<f64>,
    /// What mode 3 with the tolerance of the chart takes for the live bytes.
    pub threshold_bytes: u64,
    /// The greatest count so far of mode 4 with the same tolerance.
    pub peak_so_far_bytes: u64,
}

/// Most points.
pub(super) const MOST: u64 = 1_000;

/// Chooses points: all if they are few, else the least and the greatest of each part of the allocated bytes.
pub(super) struct Thinning {
    /// Bytes of a part; 0 if all points are kept.
    part: u64,
    at: u64,
    /// The first least and the first greatest point of the part.
    least: Option<CurvePoint>,
    greatest: Option<CurvePoint>,
    last: Option<CurvePoint>,
    points: Vec<CurvePoint>,
}

impl Thinning {
    /// `steps`: how many points come. `allocated`: all bytes allocated.
    pub(super) fn new(steps: u64, allocated: u64) -> Self {
        let part = if steps <= MOST { 0 } else { allocated.div_ceil(MOST / 2 - 1).max(1) };
        Thinning { part, at: 0, least: None, greatest: None, last: None, points: Vec::new() }
    }

    pub(super) fn take(&mut self, event: u64, after: &After, threshold: u64, peak_so_far: u64) {
        let point = CurvePoint {
            event,
            allocated_bytes: after.allocated,
            live_bytes: after.live,
            utilization: after.utilization(),
            threshold_bytes: threshold,
            peak_so_far_bytes: peak_so_far,
        };
        let Some(part) = after.allocated.checked_div(self.part) else {
            self.points.push(point);
            return;
        };
        if part != self.at {
            self.flush();
            self.at = part;
        }
        if self.least.as_ref().is_none_or(|least| point.live_bytes < least.live_bytes) {
            self.least = Some(point);
        }
        if self.greatest.as_ref().is_none_or(|greatest| point.live_bytes > greatest.live_bytes) {
            self.greatest = Some(point);
        }
        self.last = Some(point);
    }

    fn flush(&mut self) {
        let mut chosen: Vec<CurvePoint> = self.least.take().into_iter().chain(self.greatest.take()).collect();
        chosen.sort_by_key(|point| point.event);
        chosen.dedup_by_key(|point| point.event);
        self.points.append(&mut chosen);
    }

    /// The points, the last of all included.
    pub(super) fn finish(mut self) -> Vec<CurvePoint> {
        self.flush();
        let last = self.last.take().filter(|last| self.points.last().is_some_and(|point| point.event < last.event));
        self.points.extend(last);
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thinned(lives: &[u64]) -> Vec<CurvePoint> {
        let mut thinning = Thinning::new(lives.len() as u64, 10 * lives.len() as u64);
        for (event, live) in lives.iter().enumerate() {
            let allocated = 10 * (event as u64 + 1);
            let after = After { allocated, live: *live, live_allocated: *live, appeared: 10 };
            thinning.take(event as u64, &after, 0, 0);
        }
        thinning.finish()
    }

    #[test]
    fn few_points_are_all_kept() {
        let points = thinned(&[10, 20, 0, 10]);
        assert_eq!(points.iter().map(|point| point.live_bytes).collect::<Vec<_>>(), [10, 20, 0, 10]);
        assert_eq!(points[1].utilization, Some(1.0));
    }

    #[test]
    fn of_many_points_the_extremes_and_the_last_one_stay() {
        let mut lives: Vec<u64> = (0..100_000).map(|i| 1_000 + i % 7).collect();
        (lives[55_555], lives[77_777]) = (9_999, 1);
        let points = thinned(&lives);
        assert!(points.len() as u64 <= MOST + 1, "{}", points.len());
        assert!(points.is_sorted_by(|a, b| a.event < b.event));
        for (event, live) in [(55_555, 9_999), (77_777, 1), (99_999, lives[99_999])] {
            assert!(points.iter().any(|point| (point.event, point.live_bytes) == (event, live)), "{event}");
        }
    }
}
