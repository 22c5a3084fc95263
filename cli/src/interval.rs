//! The time between two looks, as an argument.

use std::time::Duration;

/// Reads it: seconds, also parts of them.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.1..=3_600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "not a number of seconds from 0.1 to 3600".to_owned())
}
