//! The values of a figure in the last snapshots, and how fast it grows.

use std::collections::VecDeque;

use weighbridge_reporter::noise;

/// Snapshots of history of each row.
pub const MOMENTS: usize = 64;

/// Fewer moments show no growth.
const LEAST: usize = 4;

/// The times of the figures of a [`Trend`]; all rows share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moments(VecDeque<Moment>);

#[derive(Debug, Clone, Copy)]
struct Moment {
    uptime_ms: Option<u64>,
    live: bool,
}

impl Moments {
    pub(crate) fn push(&mut self, uptime_ms: Option<u64>, live: bool) {
        if self.0.len() == MOMENTS {
            self.0.pop_front();
        }
        self.0.push_back(Moment { uptime_ms, live });
    }
}

/// One figure in each of the last snapshots, the newest last; `None` if it was not measured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trend(VecDeque<Option<u64>>);

impl Trend {
    pub(crate) fn push(&mut self, figure: Option<u64>) {
        if self.0.len() == MOMENTS {
            self.0.pop_front();
        }
        self.0.push_back(figure);
    }

    /// Whether no snapshot has the figure.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Growth a minute: the median slope ([`noise::per_minute`]). Snapshots with and without a full collection right before
    /// are not compared: those like the last one count.
    pub(crate) fn per_minute(&self, moments: &Moments) -> Option<f64> {
        let live = moments.0.back()?.live;
        // A row that appeared later has fewer figures.
        let pairs = self.0.iter().rev().zip(moments.0.iter().rev());
        let points: Vec<(u64, u64)> = pairs
            .filter(|(_, moment)| moment.live == live)
            .filter_map(|(figure, moment)| Some((moment.uptime_ms?, (*figure)?)))
            .collect();
        if points.len() < LEAST { None } else { noise::per_minute(&points) }
    }

    /// The last `width` figures as blocks of one to eight eighths of the height, from 0 to the greatest figure; a space if
    /// not measured.
    pub(crate) fn blocks(&self, width: usize) -> String {
        const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let shown: Vec<Option<u64>> = self.0.iter().skip(self.0.len().saturating_sub(width)).copied().collect();
        let most = shown.iter().flatten().max().copied().unwrap_or(0).max(1);
        let block = |figure: u64| BLOCKS[(u128::from(figure) * 7).div_ceil(u128::from(most)).min(7) as usize];
        let blocks: String = shown.iter().map(|figure| figure.map_or(' ', block)).collect();
        format!("{blocks:>width$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend(figures: &[(u64, bool, Option<u64>)]) -> (Trend, Moments) {
        let (mut trend, mut moments) = (Trend::default(), Moments::default());
        for (minute, live, figure) in figures {
            moments.push(Some(minute * 60_000), *live);
            trend.push(*figure);
        }
        (trend, moments)
    }

    #[test]
    fn growth_is_the_median_slope_so_that_one_outlier_does_not_move_it() {
        let (trend, moments) = trend(&[0, 1, 2, 3, 4, 5].map(|m| (m, false, Some(if m == 3 { 900 } else { 10 * m }))));
        assert_eq!(trend.per_minute(&moments), Some(10.0));
    }

    #[test]
    fn snapshots_with_and_without_a_collection_are_not_compared() {
        let mixed = [0, 1, 2, 3, 4, 5, 6, 7].map(|m| (m, m % 2 == 1, Some(if m % 2 == 1 { 100 } else { 500 + m })));
        let (trend, moments) = trend(&mixed);
        assert_eq!(trend.per_minute(&moments), Some(0.0));
    }

    #[test]
    fn three_moments_show_no_growth_and_a_missing_figure_is_none() {
        let figures = [(0, true, Some(1)), (1, true, None), (2, true, Some(2)), (3, true, Some(3))];
        let (trend, moments) = trend(&figures);
        assert_eq!(trend.per_minute(&moments), None);
        assert_eq!(trend.blocks(6), "  ▄ ▆█", "a gap stays a gap");
    }

    #[test]
    fn only_the_last_moments_are_kept_and_the_greatest_one_fills_the_height() {
        let mut trend = Trend::default();
        (0..1_000).for_each(|n| trend.push(Some(n)));
        assert_eq!(trend.0.len(), MOMENTS);
        assert_eq!(trend.blocks(3), "███");
        trend.push(Some(0));
        assert_eq!(trend.blocks(2), "█▁");
        trend.push(Some(u64::MAX));
        assert_eq!(trend.blocks(2), "▁█");
    }
}
