//! Which components reach ever more bytes, over the snapshots of one JVM, by the rule of [`crate::growth`].

use serde::Serialize;

use crate::growth::{LiveSeries, Measure, per_minute};

/// Growth worth telling, bytes.
const LEAST_BYTES: f64 = 65_536.0;

/// The bytes that a component reaches. Their relative error is taken to be that of its live count, on which they stand.
const REACHED: Measure = Measure {
    of: |point| point.deep_bytes,
    error: |point| match (point.exact, point.live) {
        (true, _) => 0.0,
        (false, live) => point.deep_bytes.unwrap_or(0) as f64 * point.error / live.max(1) as f64,
    },
    least: LEAST_BYTES,
};

/// A component whose deep bytes grow to the end of the run.
#[derive(Debug, Clone, Serialize)]
pub struct ComponentGrowth {
    /// Index of the JVM in the report.
    pub jvm: usize,
    /// Its name.
    pub component: String,
    /// Bytes reached from its tracked objects more in each minute: the median slope between the least of the run's
    /// parts. A lower bound if not exact.
    pub deep_bytes_per_minute: f64,
    /// One standard error of it that comes from sampling; 0 where every count was exact.
    pub deep_bytes_per_minute_error: f64,
    /// Beginning of the growth that was seen, milliseconds since the JVM started.
    pub from_uptime_ms: u64,
    /// Its end.
    pub to_uptime_ms: u64,
    /// Bytes reached at the beginning.
    pub from_deep_bytes: u64,
    /// Bytes reached at the end.
    pub to_deep_bytes: u64,
    /// Whether all its classes were counted exactly each time.
    pub exact: bool,
    /// Whether the snapshots stand on full collections; otherwise the least of several each.
    pub collected: bool,
}

impl ComponentGrowth {
    /// `None` if the component does not grow, or too few snapshots tell.
    pub(crate) fn of(component: &str, series: &LiveSeries) -> Option<Self> {
        let trend = series.trend(REACHED)?;
        let (first, last) = (trend.floors.first()?, trend.floors.last()?);
        let minutes = last.uptime_ms.saturating_sub(first.uptime_ms) as f64 / 60_000.0;
        Some(ComponentGrowth {
            jvm: 0,
            component: component.to_owned(),
            deep_bytes_per_minute: per_minute(&trend.floors, |point| point.deep_bytes)?,
            deep_bytes_per_minute_error: (REACHED.error)(first).hypot((REACHED.error)(last)) / minutes,
            from_uptime_ms: first.uptime_ms,
            to_uptime_ms: last.uptime_ms,
            from_deep_bytes: first.deep_bytes?,
            to_deep_bytes: last.deep_bytes?,
            exact: trend.growth.exact,
            collected: trend.growth.collected,
        })
    }
}
