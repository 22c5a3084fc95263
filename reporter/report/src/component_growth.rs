//! Components that hold ever more bytes over the snapshots of one JVM, by the rule of [`crate::growth`].

use serde::{Deserialize, Serialize};

use crate::growth::{LEAST_BYTES, LiveSeries, Measure, Point, bytes_per_minute};

/// A component whose own or reached bytes grow to the end of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComponentGrowth {
    /// Index of the JVM in the report.
    pub jvm: usize,
    /// Its name.
    pub component: String,
    /// Which of its bytes grow. If both do, it has two rows.
    pub figure: HeldFigure,
    /// Growth in bytes a minute: the median slope between the least of the run's parts. A lower bound if not exact.
    #[serde(alias = "deep_bytes_per_minute")]
    pub bytes_per_minute: f64,
    /// One standard error of it from sampling; 0 if every count was exact.
    #[serde(alias = "deep_bytes_per_minute_error")]
    pub bytes_per_minute_error: f64,
    /// Beginning of the growth, milliseconds since the JVM started.
    pub from_uptime_ms: u64,
    /// Its end.
    pub to_uptime_ms: u64,
    /// Bytes at the beginning.
    pub from_bytes: u64,
    /// Bytes at the end.
    pub to_bytes: u64,
    /// Whether all its classes were exact in each snapshot.
    pub exact: bool,
    /// Whether each figure is of a full marking; otherwise it is the least of several.
    pub collected: bool,
}

/// Which bytes of a component.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldFigure {
    /// Those that it holds and no other component.
    OwnBytes,
    /// Those that its tracked objects reach. If objects of all components are linked, many components reach the same bytes.
    /// The default, because old reports knew only these.
    #[default]
    DeepBytes,
    /// Those of a newer version.
    #[serde(other)]
    Unknown,
}

impl HeldFigure {
    /// Those that are searched for growth.
    pub(crate) const ALL: [HeldFigure; 2] = [HeldFigure::OwnBytes, HeldFigure::DeepBytes];

    fn bytes_getter(self) -> fn(&Point) -> Option<u64> {
        match self {
            HeldFigure::OwnBytes => |point| point.own_bytes,
            HeldFigure::DeepBytes => |point| point.deep_bytes,
            HeldFigure::Unknown => |_| None,
        }
    }

    fn measure(self) -> Measure {
        let error = match self {
            HeldFigure::OwnBytes => |point: &Point| error(point, point.own_bytes),
            HeldFigure::DeepBytes => |point: &Point| error(point, point.deep_bytes),
            HeldFigure::Unknown => |_: &Point| 0.0,
        };
        Measure { of: self.bytes_getter(), error, least: LEAST_BYTES }
    }
}

/// The relative error of bytes is that of the live count from which they follow.
fn error(point: &Point, bytes: Option<u64>) -> f64 {
    if point.exact { 0.0 } else { bytes.unwrap_or(0) as f64 * point.error / point.live.max(1) as f64 }
}

impl ComponentGrowth {
    /// `None` if the component does not grow, or has too few snapshots.
    pub(crate) fn from_series(component: &str, series: &LiveSeries, figure: HeldFigure) -> Option<Self> {
        let measure @ Measure { of, error, .. } = figure.measure();
        let trend = series.trend(measure)?;
        let (first, last) = (trend.floors.first()?, trend.floors.last()?);
        let minutes = last.measured_ms.saturating_sub(first.measured_ms) as f64 / 60_000.0;
        Some(ComponentGrowth {
            jvm: 0,
            component: component.to_owned(),
            figure,
            bytes_per_minute: bytes_per_minute(&trend.floors, of)?,
            bytes_per_minute_error: error(first).hypot(error(last)) / minutes,
            from_uptime_ms: first.measured_ms,
            to_uptime_ms: last.measured_ms,
            from_bytes: of(first)?,
            to_bytes: of(last)?,
            exact: trend.growth.exact,
            collected: trend.growth.collected,
        })
    }
}
