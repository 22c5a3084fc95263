//! Live bytes after each birth and death: exact.

use crate::lives::Lives;

/// The bytes after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The event, from 0.
    pub event: u64,
    /// Bytes allocated so far.
    pub allocated: u64,
    /// Bytes of the objects that live.
    pub live: u64,
}

/// The live bytes over the whole run: a point for each event that changed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// In the order of the events.
    pub points: Vec<Point>,
}

impl Curve {
    /// The curve of some lives.
    pub fn of(lives: &Lives) -> Self {
        let mut deaths: Vec<(u64, u64)> = lives.all.iter().filter_map(|life| Some((life.died?, life.bytes))).collect();
        deaths.sort_unstable();
        let (mut deaths, mut births) = (deaths.into_iter().peekable(), lives.all.iter().peekable());
        let mut points = Vec::new();
        let (mut allocated, mut live) = (0, 0);
        while let Some(event) =
            [births.peek().map(|life| life.born), deaths.peek().map(|death| death.0)].into_iter().flatten().min()
        {
            while let Some((_, bytes)) = deaths.next_if(|death| death.0 == event) {
                live -= bytes;
            }
            while let Some(life) = births.next_if(|life| life.born == event) {
                live += life.bytes;
                allocated = life.allocated;
            }
            points.push(Point { event, allocated, live });
        }
        Curve { points }
    }

    /// The bytes after an event.
    pub fn at(&self, event: u64) -> Point {
        let after = self.points.partition_point(|point| point.event <= event);
        let last = after.checked_sub(1).map(|at| self.points[at]);
        Point { event, ..last.unwrap_or(Point { event, allocated: 0, live: 0 }) }
    }

    /// The first moment at which most bytes lived.
    pub fn peak(&self) -> Option<Point> {
        self.points.iter().copied().max_by_key(|point| (point.live, std::cmp::Reverse(point.event)))
    }
}
