//! Which differences of sampled figures are significant.

use crate::row::ReportRow;

/// A difference of fewer standard errors is noise. One of twenty significant ones is wrong (95 %).
pub const SIGMAS: f64 = 2.0;

/// A figure and one standard error of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// One standard error; 0 if exact.
    pub error: f64,
}

impl Estimate {
    /// Whether `self` is more than `other` times `factor` by more than [`SIGMAS`] standard errors.
    pub fn beyond(self, other: Estimate, factor: f64) -> bool {
        self.value - factor * other.value > SIGMAS * self.error.hypot(factor * other.error)
    }
}

/// The figure of a row in the column with that key, and its error; `None` if it was not measured.
///
/// The relative error of the live count is taken for every figure of a row, because all of them depend on it. The JVM may have
/// counted the live objects while only a sample is tracked: then the error of own and deep figures follows from the sample.
pub fn of_row<R: ReportRow>(row: &R, key: &str) -> Option<Estimate> {
    let value = row.value(key).real()?;
    let (exact, live) = (row.value("exact").flag(), row.value("live").count());
    // Threads and tags have an error but no `exact`.
    let error = match (exact, row.value("live_error").real(), live) {
        (Some(true), _, _) => 0.0,
        (_, Some(error), Some(live)) if live > 0 => value * error / live as f64,
        (_, Some(error), Some(_)) => error,
        _ => return None,
    };
    let sampled = row.value("tracked").count().filter(|tracked| of_sample(row, key) && *tracked > 0);
    Some(Estimate { value, error: sampled.map_or(error, |tracked| error.max(value / (tracked as f64).sqrt())) })
}

/// Whether a figure is measured from the tracked objects alone: then it is a lower bound.
pub fn of_sample<R: ReportRow>(row: &R, key: &str) -> bool {
    key.contains("bytes") && key != "shallow_bytes" && row.value("exact").flag() == Some(false)
}

/// The median slope of all pairs of points (Theil and Sen), a minute. A point is the uptime in milliseconds and a figure.
/// `None` without two points of different times. A single figure full of garbage hardly changes the median.
pub fn per_minute(points: &[(u64, u64)]) -> Option<f64> {
    let mut slopes = Vec::new();
    for (i, (time, figure)) in points.iter().enumerate() {
        for (other_time, other) in &points[..i] {
            if time != other_time {
                let minutes = (*time as f64 - *other_time as f64) / 60_000.0;
                slopes.push((*figure as f64 - *other as f64) / minutes);
            }
        }
    }
    slopes.sort_by(f64::total_cmp);
    slopes.get(slopes.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_beyond_two_standard_errors_of_both_sides() {
        let sampled = |value| Estimate { value, error: 30.0 };
        let exact = |value| Estimate { value, error: 0.0 };
        assert!(exact(101.0).beyond(exact(100.0), 1.0));
        assert!(!exact(100.0).beyond(exact(100.0), 1.0));
        assert!(!sampled(180.0).beyond(sampled(100.0), 1.0));
        assert!(sampled(190.0).beyond(sampled(100.0), 1.0));
        assert!(!sampled(190.0).beyond(sampled(100.0), 1.1));
    }
}
