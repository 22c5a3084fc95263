//! The history of a run in columns, in as many parts as a chart can show.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::history::{ComponentPoint, Point};
use crate::sum::Sum;

/// Parts of a run in a chart.
const MOST_PARTS: usize = 480;
/// JVMs with series: those that hold most.
const MOST_JVMS: usize = 8;
/// Components with series: the largest ones.
const MOST_COMPONENTS: usize = 8;

/// The history of one JVM.
#[derive(Debug, Serialize)]
pub(super) struct Series {
    jvm: usize,
    snapshots: usize,
    /// Snapshots of a part. The figures of a part are the least and the greatest of its snapshots.
    per_part: usize,
    /// The time of the last snapshot of each part.
    uptime_ms: Vec<u64>,
    /// Objects allocated by then.
    allocated: Vec<u64>,
    heap_used_bytes: Range,
    measured_bytes: Range,
    /// Live objects of all components.
    live: Range,
    components: Vec<ComponentSeries>,
}

#[derive(Debug, Serialize)]
struct ComponentSeries {
    component: String,
    deep_bytes: Range,
}

/// The greatest figure of each part, and the least if parts have several snapshots.
#[derive(Debug, Default, Serialize)]
struct Range {
    max: Vec<Option<u64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    min: Vec<Option<u64>>,
}

impl Range {
    fn from_parts(parts: &[&[&Point]], figure: impl Fn(&Point) -> Option<u64>) -> Self {
        let known = |part: &&[&Point]| part.iter().filter_map(|point| figure(point)).collect::<Vec<u64>>();
        let figures: Vec<Vec<u64>> = parts.iter().map(known).collect();
        let several = parts.iter().any(|part| part.len() > 1);
        Range {
            max: figures.iter().map(|part| part.iter().copied().max()).collect(),
            min: figures.iter().filter(|_| several).map(|part| part.iter().copied().min()).collect(),
        }
    }
}

/// The series of the JVMs that hold most, in the report's order.
pub(super) fn of_runs(aggregate: &Aggregate) -> Vec<Series> {
    let mut by_jvm: BTreeMap<usize, Vec<&Point>> = BTreeMap::new();
    for point in aggregate.history.iter().filter(|point| point.uptime_ms.is_some()) {
        by_jvm.entry(point.jvm).or_default().push(point);
    }
    let mut largest: Vec<usize> = by_jvm.keys().copied().collect();
    largest.sort_by_key(|jvm| std::cmp::Reverse(by_jvm[jvm].last().and_then(|point| point.measured_bytes)));
    largest.truncate(MOST_JVMS);
    largest.sort_unstable();
    let names: Vec<&str> =
        aggregate.components.iter().take(MOST_COMPONENTS).map(|row| row.component.as_str()).collect();
    largest.into_iter().map(|jvm| of_run(jvm, &by_jvm[&jvm], &names)).collect()
}

fn of_run(jvm: usize, points: &[&Point], names: &[&str]) -> Series {
    let per_part = points.len().div_ceil(MOST_PARTS).max(1);
    let parts: Vec<&[&Point]> = points.chunks(per_part).collect();
    let at_end = |figure: fn(&Point) -> u64| parts.iter().map(|part| figure(part[part.len() - 1])).collect();
    let live = |component: &ComponentPoint| component.live;
    Series {
        jvm,
        snapshots: points.len(),
        per_part,
        uptime_ms: at_end(|point| point.uptime_ms.unwrap_or_default()),
        allocated: at_end(|point| point.allocated),
        heap_used_bytes: Range::from_parts(&parts, |point| point.heap_used_bytes),
        measured_bytes: Range::from_parts(&parts, |point| point.measured_bytes),
        live: Range::from_parts(&parts, |point| Sum::sum_parts(point.components.iter().map(live))),
        components: names
            .iter()
            .map(|name| ComponentSeries {
                component: (*name).to_owned(),
                deep_bytes: Range::from_parts(&parts, |point| point.deep_bytes(name)),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: u64) -> Vec<Point> {
        let mut snapshot: weighbridge_recording::Snapshot =
            serde_json::from_value(serde_json::json!({"seq": 1})).expect("a snapshot");
        (0..n)
            .map(|i| {
                snapshot.seq = i + 1;
                let point = Point::from_snapshot(0, &snapshot);
                Point { uptime_ms: Some(i), heap_used_bytes: Some(i * 7 % 10), ..point }
            })
            .collect()
    }

    #[test]
    fn a_short_run_keeps_every_point() {
        let points = points(480);
        let series = of_run(0, &points.iter().collect::<Vec<_>>(), &[]);
        assert_eq!((series.per_part, series.uptime_ms.len()), (1, 480));
        assert!(series.heap_used_bytes.min.is_empty());
    }

    #[test]
    fn of_a_long_run_each_part_has_its_least_and_greatest_and_no_snapshot_is_left_out() {
        let points = points(8_640);
        let series = of_run(0, &points.iter().collect::<Vec<_>>(), &[]);
        assert_eq!((series.per_part, series.uptime_ms.len(), series.snapshots), (18, 480, 8_640));
        assert_eq!(series.uptime_ms.last(), Some(&8_639));
        for (part, chunk) in points.chunks(18).enumerate() {
            let of = |best: fn(std::vec::IntoIter<u64>) -> Option<u64>| {
                best(chunk.iter().filter_map(|point| point.heap_used_bytes).collect::<Vec<u64>>().into_iter())
            };
            assert_eq!(series.heap_used_bytes.max[part], of(Iterator::max), "part {part}");
            assert_eq!(series.heap_used_bytes.min[part], of(Iterator::min), "part {part}");
        }
    }
}
