//! How long objects lived, in fixed memory: a histogram in powers of two.

use serde::Serialize;

/// Objects by the bytes that were allocated while they lived, their own included.
#[derive(Debug, Clone, Default)]
pub(super) struct Spans {
    /// The objects of bucket `i` have a span below 2^i, and none below half of that. Only as long as needed.
    objects: Vec<u64>,
    longest: u64,
}

/// Life spans of a class or a site, in bytes allocated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpanFigures {
    /// Half of the objects lived at most so long: the upper end of their bucket, or the longest span.
    pub median_at_most: u64,
    /// The same of nine tenths.
    pub ninety_percent_at_most: u64,
    /// The longest span: exact.
    pub longest: u64,
    /// Objects by span: number `i` counts spans from 2^(i-1) to 2^i - 1; number 0 those of 0 bytes.
    pub histogram: Vec<u64>,
}

impl Spans {
    pub(super) fn add(&mut self, span: u64) {
        let bucket = (u64::BITS - span.leading_zeros()) as usize;
        if self.objects.len() <= bucket {
            self.objects.resize(bucket + 1, 0);
        }
        self.objects[bucket] += 1;
        self.longest = self.longest.max(span);
    }

    /// The span that so many percent of the objects do not exceed.
    fn at_most(&self, percent: u64) -> u64 {
        let all: u64 = self.objects.iter().sum();
        let wanted = (u128::from(all) * u128::from(percent)).div_ceil(100);
        let mut seen = 0;
        for (bucket, objects) in self.objects.iter().enumerate() {
            seen += u128::from(*objects);
            if seen >= wanted {
                let end = 1_u64.checked_shl(bucket as u32).map_or(u64::MAX, |next| next - 1);
                return end.min(self.longest);
            }
        }
        self.longest
    }

    pub(super) fn figures(&self) -> SpanFigures {
        SpanFigures {
            median_at_most: self.at_most(50),
            ninety_percent_at_most: self.at_most(90),
            longest: self.longest,
            histogram: self.objects.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_end_of_its_bucket_and_never_above_the_longest_span() {
        let mut spans = Spans::default();
        [16, 17, 40, 100, 5_000].into_iter().for_each(|span| spans.add(span));
        let figures = spans.figures();
        // 16 and 17 are below 32, 40 below 64, 100 below 128, 5,000 below 8,192.
        assert_eq!((figures.median_at_most, figures.ninety_percent_at_most, figures.longest), (63, 5_000, 5_000));
        assert_eq!(figures.histogram, [0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn the_longest_possible_span_and_none_at_all_are_figures_too() {
        let mut spans = Spans::default();
        assert_eq!(spans.figures().median_at_most, 0);
        spans.add(u64::MAX);
        spans.add(0);
        assert_eq!((spans.figures().median_at_most, spans.figures().longest), (0, u64::MAX));
        assert_eq!(spans.figures().ninety_percent_at_most, u64::MAX);
    }
}
