//! What a live figure tells: the rule by which every table shows it.

use crate::figures::{ClassFigures, ComponentFigures};

/// A live figure and what bounds it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Estimate {
    /// Objects.
    pub(crate) live: Option<u64>,
    /// One standard error of it; 0 if it is exact.
    pub(crate) error: Option<f64>,
    /// Whether every object is tracked.
    pub(crate) exact: Option<bool>,
    /// Objects seen alive: no fewer live.
    pub(crate) seen: Option<u64>,
    /// Objects constructed: no more live.
    pub(crate) allocated: Option<u64>,
}

/// What is said of a live figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judged {
    /// It was not measured.
    Nothing,
    Exact(u64),
    /// With half of its 95 % interval, which is less than itself.
    Within(u64, u64),
    /// The interval is as wide as the figure: its upper end.
    AtMost(u64),
    /// Nothing is known but what was seen.
    AtLeast(u64),
    /// Its error is not known.
    Unknown(u64),
}

impl Estimate {
    pub(crate) fn judged(self) -> Judged {
        let Some(live) = self.live else { return Judged::Nothing };
        if self.exact == Some(true) || self.error == Some(0.0) {
            return Judged::Exact(live);
        }
        let Some(error) = self.error else { return Judged::Unknown(live) };
        let half = (1.96 * error).ceil() as u64;
        let most = live.saturating_add(half);
        match self.allocated {
            _ if half < live => Judged::Within(live, half),
            Some(allocated) if most >= allocated => match self.seen {
                Some(seen) if seen > 0 => Judged::AtLeast(seen),
                _ => Judged::AtMost(allocated),
            },
            _ => Judged::AtMost(most),
        }
    }
}

impl From<&ClassFigures> for Estimate {
    fn from(row: &ClassFigures) -> Self {
        Estimate {
            live: row.live,
            error: row.live_error,
            exact: row.exact,
            seen: row.tracked,
            allocated: Some(row.allocated),
        }
    }
}

impl From<&ComponentFigures> for Estimate {
    fn from(row: &ComponentFigures) -> Self {
        Estimate { live: row.live, error: row.live_error, exact: row.exact, ..Estimate::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(live: u64, error: f64) -> Estimate {
        Estimate { live: Some(live), error: Some(error), exact: Some(false), seen: Some(3), allocated: Some(1000) }
    }

    #[test]
    fn a_figure_without_an_error_is_exact_whether_or_not_every_object_is_tracked() {
        assert_eq!(estimate(500, 0.0).judged(), Judged::Exact(500));
        assert_eq!(Estimate { exact: Some(true), error: None, ..estimate(500, 0.0) }.judged(), Judged::Exact(500));
    }

    #[test]
    fn an_interval_that_is_wider_than_its_figure_is_a_bound() {
        assert_eq!(estimate(500, 100.0).judged(), Judged::Within(500, 196));
        assert_eq!(estimate(100, 100.0).judged(), Judged::AtMost(296));
        assert_eq!(estimate(0, 2.0).judged(), Judged::AtMost(4));
    }

    #[test]
    fn no_bound_is_above_what_was_constructed() {
        assert_eq!(estimate(600, 400.0).judged(), Judged::AtLeast(3));
        assert_eq!(Estimate { seen: Some(0), ..estimate(600, 400.0) }.judged(), Judged::AtMost(1000));
        assert_eq!(Estimate { allocated: None, ..estimate(600, 400.0) }.judged(), Judged::AtMost(1384));
    }
}
