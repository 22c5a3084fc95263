//! Classes that grow to the end of a run: by their live counts, or by the bytes that they alone hold, over the snapshots
//! of one JVM.
//!
//! Live counts are noisy: sampled ones have an error, and those without a full marking include dead objects. A marking is
//! one point, however many snapshots tell of it. The points are divided into windows, and the least of each window is its floor. A class grows if the floors rise from
//! window to window up to the end, and in all by more than their errors explain.

use serde::{Deserialize, Serialize};
use weighbridge_recording::{ClassRow, ComponentRow, Snapshot};

use crate::noise::{self, SIGMAS};
use weighbridge_table::units::count;

/// Points of a class. If there are more, every other one is dropped; windows do not need them all.
const MOST_POINTS: usize = 128;
/// Windows of a run, and the least number of them that shows a trend.
const WINDOWS: usize = 8;
const LEAST_WINDOWS: usize = 6;
/// The fewest snapshots that show a trend: one for each window.
pub(crate) const LEAST_SNAPSHOTS: u64 = LEAST_WINDOWS as u64;
/// Share of the pairs of windows that must rise (Kendall's tau).
const RISING: f64 = 0.8;
/// The least growth that is reported: objects, bytes, and part of the last count.
const LEAST_OBJECTS: f64 = 10.0;
pub(crate) const LEAST_BYTES: f64 = 65_536.0;
const LEAST_PART: f64 = 0.1;

/// A class whose live objects grow to the end of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Growth {
    /// Index of the JVM in the report.
    pub jvm: usize,
    /// Dotted binary name.
    pub class: String,
    /// Its component.
    pub component: Option<String>,
    /// Growth in live objects a minute: the median slope between the floors of the run's parts.
    pub live_per_minute: f64,
    /// One standard error of it from sampling; 0 if every count was exact.
    pub live_per_minute_error: f64,
    /// Growth in own bytes a minute; old recordings have none.
    pub own_bytes_per_minute: Option<f64>,
    /// Growth in deep bytes a minute; a lower bound for a sampled class.
    pub deep_bytes_per_minute: Option<f64>,
    /// Beginning of the growth, milliseconds since the JVM started.
    pub from_uptime_ms: u64,
    /// Its end.
    pub to_uptime_ms: u64,
    /// Live objects at the beginning.
    pub from_live: u64,
    /// Live objects at the end.
    pub to_live: u64,
    /// Whether all counts are exact.
    pub exact: bool,
    /// Whether each count is of a full marking; otherwise it is the least of several.
    pub collected: bool,
    /// Collections survived by the oldest object.
    pub oldest: Option<u64>,
}

impl Growth {
    /// `about ` if the rate of objects is not exact, and its standard error, for a sentence.
    pub(crate) fn exactness(&self) -> (&'static str, String) {
        let error = match self.live_per_minute_error.round() as u64 {
            0 => String::new(),
            error => format!(" (standard error {})", count(error)),
        };
        (if self.exact { "" } else { "about " }, error)
    }

    /// Growth in bytes a minute: own ones, or deep ones of an old recording.
    pub(crate) fn bytes_per_minute(&self) -> Option<f64> {
        self.own_bytes_per_minute.or(self.deep_bytes_per_minute)
    }
}

/// The counts of a class, all at full markings or all without.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series {
    points: Vec<Point>,
    /// One of this many snapshots is kept.
    stride: u64,
    seen: u64,
    /// The time of the last point that was seen.
    last_ms: Option<u64>,
}

/// A class or component at one snapshot.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Point {
    /// When its objects were found alive, or were counted.
    pub(crate) uptime_ms: u64,
    /// When its bytes were measured: the marking that tells of its objects may be older.
    pub(crate) measured_ms: u64,
    pub(crate) live: u64,
    pub(crate) error: f64,
    pub(crate) exact: bool,
    pub(crate) allocated: u64,
    pub(crate) deep_bytes: Option<u64>,
    pub(crate) exclusive_bytes: Option<u64>,
    pub(crate) own_bytes: Option<u64>,
    /// Whether the snapshot has a sampled class that shares bytes: then no exclusive bytes are known exactly.
    pub(crate) blurred: bool,
    oldest: Option<u64>,
    pub(crate) generations: Option<u64>,
    /// Collections, young and full, since the JVM started.
    pub(crate) collections: Option<u64>,
}

impl Point {
    /// Whether its walk was cut off.
    fn lacks_bytes(&self) -> bool {
        self.own_bytes.is_none() && self.deep_bytes.is_none()
    }
}

/// What may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Figure {
    /// The number of live objects.
    Objects,
    /// The bytes that the class alone holds, such as those of one map that is never cleared.
    Bytes,
}

impl Figure {
    pub(crate) fn value_at(self, point: &Point) -> Option<u64> {
        match self {
            Figure::Objects => Some(point.live),
            // They are known exactly only if the class is exact. Old recordings have no own bytes.
            Figure::Bytes => point.own_bytes.or(point.exclusive_bytes).filter(|_| point.exact),
        }
    }

    /// The median slope, a minute.
    pub(crate) fn per_minute(self, floors: &[Point]) -> Option<f64> {
        match self {
            Figure::Objects => objects_per_minute(floors),
            Figure::Bytes => bytes_per_minute(floors, |point| self.value_at(point)),
        }
    }

    fn measure(self) -> Measure {
        match self {
            Figure::Objects => {
                Measure { of: |point| Some(point.live), error: |point| point.error, least: LEAST_OBJECTS }
            }
            Figure::Bytes => Measure { of: |point| Figure::Bytes.value_at(point), error: |_| 0.0, least: LEAST_BYTES },
        }
    }
}

/// What is searched in a series: a figure, one standard error of it, and the least growth that is reported.
#[derive(Clone, Copy)]
pub(crate) struct Measure {
    pub(crate) of: fn(&Point) -> Option<u64>,
    pub(crate) error: fn(&Point) -> f64,
    pub(crate) least: f64,
}

/// Growth to the end, with the floors of the run's parts that show it, and all points.
pub(crate) struct Trend<'a> {
    pub(crate) growth: Growth,
    pub(crate) floors: Vec<Point>,
    pub(crate) points: &'a [Point],
}

/// A class's counts at full markings, and those without. The two are never compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveSeries {
    collected: Series,
    uncollected: Series,
}

impl LiveSeries {
    /// Adds a class's row of a snapshot, which is `blurred` if a sampled class in it shares bytes with others.
    pub(crate) fn add(&mut self, snapshot: &Snapshot, blurred: bool, row: &ClassRow) {
        if let (Some((uptime_ms, series)), Some(live)) = (self.series(snapshot), row.objects()) {
            series.add(uptime_ms, || Point {
                uptime_ms,
                measured_ms: snapshot.uptime_ms.unwrap_or(uptime_ms),
                live,
                error: row.objects_error().unwrap_or(0.0).max(0.0),
                exact: row.exact == Some(true),
                allocated: row.allocated,
                deep_bytes: row.deep_bytes,
                exclusive_bytes: row.exclusive_bytes,
                own_bytes: row.own_bytes,
                blurred,
                oldest: row.oldest,
                generations: row.generations,
                collections: snapshot.collections.as_ref().and_then(|c| c.young?.checked_add(c.full?)),
            });
        }
    }

    /// Adds a component's row of a snapshot.
    pub(crate) fn add_component(&mut self, snapshot: &Snapshot, row: &ComponentRow) {
        if let (Some((uptime_ms, series)), Some(live)) = (self.series(snapshot), row.objects()) {
            series.add(uptime_ms, || Point {
                uptime_ms,
                measured_ms: snapshot.uptime_ms.unwrap_or(uptime_ms),
                live,
                error: row.objects_error().unwrap_or(0.0).max(0.0),
                exact: row.exact == Some(true),
                deep_bytes: row.deep_bytes,
                exclusive_bytes: row.exclusive_bytes,
                own_bytes: row.own_bytes,
                ..Point::default()
            });
        }
    }

    /// The series of a snapshot, and the time for which its figures stand; `None` if it has none.
    fn series(&mut self, snapshot: &Snapshot) -> Option<(u64, &mut Series)> {
        Some(match snapshot.live_at_ms() {
            Some(marking) => (marking, &mut self.collected),
            None => (snapshot.uptime_ms?, &mut self.uncollected),
        })
    }

    /// The growth of a figure of the class, if it grows.
    pub(crate) fn growth(&self, figure: Figure, class: &str, component: Option<&str>) -> Option<Trend<'_>> {
        let trend = self.trend(figure.measure())?;
        let growth = Growth { class: class.to_owned(), component: component.map(str::to_owned), ..trend.growth };
        Some(Trend { growth, ..trend })
    }

    /// The trend of what is measured, if it grows to the end.
    pub(crate) fn trend(&self, measure: Measure) -> Option<Trend<'_>> {
        let found = self.collected.growth(measure).map(|trend| (true, trend));
        let (collected, trend) =
            found.or_else(|| Some((false, self.confirmed(measure, self.uncollected.growth(measure)?)?)))?;
        Some(Trend { growth: Growth { collected, ..trend.growth }, ..trend })
    }

    /// Growth of counts without a collection, if the first count after a full collection shows that half of it is live:
    /// garbage in the old generation may count as live for hours.
    fn confirmed<'a>(&self, measure: Measure, trend: Trend<'a>) -> Option<Trend<'a>> {
        let mut after = self.collected.points.iter().filter(|point| point.uptime_ms >= trend.growth.to_uptime_ms);
        let after = after.find_map(measure.of)?;
        let (first, last) = ((measure.of)(trend.floors.first()?)?, (measure.of)(trend.floors.last()?)?);
        (after >= first + last.saturating_sub(first) / 2).then_some(trend)
    }
}

impl Series {
    /// Adds a point, unless it tells of the same time as the last one.
    fn add(&mut self, uptime_ms: u64, point: impl FnOnce() -> Point) {
        if self.last_ms.replace(uptime_ms) == Some(uptime_ms) {
            if let Some(last) = self.points.last_mut().filter(|last| last.uptime_ms == uptime_ms && last.lacks_bytes())
            {
                *last = point();
            }
            return;
        }
        self.seen += 1;
        if self.points.len() == MOST_POINTS {
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride = self.stride.max(1) * 2;
        }
        if (self.seen - 1).is_multiple_of(self.stride.max(1)) {
            self.points.push(point());
        }
    }

    /// The points that have a figure, without the beginning of the run: there, classes are loaded and caches are filled.
    /// `None` if they do not tell the run to its end. A walk may stop early, and its snapshot lacks the figure.
    fn known_points(&self, of: fn(&Point) -> Option<u64>) -> Option<Vec<&Point>> {
        let points = &self.points[self.points.len() / 8..];
        let known: Vec<&Point> = points.iter().filter(|point| of(point).is_some()).collect();
        let missing_at_end = points.iter().rev().take_while(|point| of(point).is_none()).count();
        let window = (points.len() / WINDOWS).max(1);
        // Of very few points, chance makes some rise.
        (missing_at_end <= window && 2 * known.len() >= points.len()).then_some(known)
    }

    fn growth(&self, measure: Measure) -> Option<Trend<'_>> {
        let points = self.known_points(measure.of)?;
        let windows = points.len().min(WINDOWS);
        if windows < LEAST_WINDOWS {
            return None;
        }
        let floors: Vec<Point> = (0..windows)
            .map(|w| &points[w * points.len() / windows..(w + 1) * points.len() / windows])
            .filter_map(|window| window.iter().copied().min_by_key(|point| (measure.of)(point)).copied())
            .collect();
        if !rises(measure, &floors) || !rises(measure, &floors[floors.len() / 2..]) {
            return None;
        }
        let (first, last) = (floors[0], floors[floors.len() - 1]);
        let end = (measure.of)(&last)? as f64;
        let grown = end - (measure.of)(&first)? as f64;
        if grown < measure.least || grown < LEAST_PART * end {
            return None;
        }
        let minutes = last.uptime_ms.saturating_sub(first.uptime_ms) as f64 / 60_000.0;
        let live = objects_per_minute(&floors);
        let growth = (minutes > 0.0).then(|| Growth {
            live_per_minute: live.unwrap_or((last.live as f64 - first.live as f64) / minutes),
            live_per_minute_error: first.error.hypot(last.error) / minutes,
            own_bytes_per_minute: bytes_per_minute(&floors, |point| point.own_bytes),
            deep_bytes_per_minute: bytes_per_minute(&floors, |point| point.deep_bytes),
            from_uptime_ms: first.uptime_ms,
            to_uptime_ms: last.uptime_ms,
            from_live: first.live,
            to_live: last.live,
            exact: floors.iter().all(|point| point.exact),
            oldest: last.oldest,
            ..Growth::default()
        })?;
        Some(Trend { growth, floors, points: &self.points })
    }
}

fn objects_per_minute(floors: &[Point]) -> Option<f64> {
    noise::per_minute(&floors.iter().map(|point| (point.uptime_ms, point.live)).collect::<Vec<_>>())
}

/// The median slope of bytes, a minute, over the points that have them; `None` if most do not.
pub(crate) fn bytes_per_minute(floors: &[Point], bytes: impl Fn(&Point) -> Option<u64>) -> Option<f64> {
    let points: Vec<(u64, u64)> = floors.iter().filter_map(|point| Some((point.measured_ms, bytes(point)?))).collect();
    (2 * points.len() >= floors.len()).then(|| noise::per_minute(&points))?
}

/// Whether enough pairs rise, and the last floor is above the first by more than their errors. The errors are not applied
/// to each pair: sampled counts share references, so the difference of two is known better than either.
fn rises(measure: Measure, floors: &[Point]) -> bool {
    let Some(values) = floors.iter().map(|point| Some((measure.of)(point)? as f64)).collect::<Option<Vec<f64>>>()
    else {
        return false;
    };
    let (Some(first), Some(last)) = (floors.first(), floors.last()) else { return false };
    let noise = SIGMAS * (measure.error)(first).hypot((measure.error)(last));
    let mut sum = 0.0;
    let mut pairs = 0.0;
    for (i, later) in values.iter().enumerate() {
        for earlier in &values[..i] {
            pairs += 1.0;
            if later != earlier {
                sum += (later - earlier).signum();
            }
        }
    }
    values[values.len() - 1] - values[0] > noise && pairs > 0.0 && sum >= RISING * pairs
}
