//! Which differences of sampled figures say something.

/// Differences of fewer standard errors are noise: one of twenty would be wrong (95 %).
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
    /// How much more `self` is than `other` times `factor`, in excess of the noise: positive only if the difference is
    /// beyond [`SIGMAS`] errors.
    pub fn beyond(self, other: Estimate, factor: f64) -> bool {
        self.value - factor * other.value > SIGMAS * self.error.hypot(factor * other.error)
    }
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
