//! Which classes a report finds growing, and which it must not.

use serde_json::json;
use weighbridge_recording::{ClassLine, Header, Line, Reader, Snapshot, Writer};
use weighbridge_reporter::{Aggregate, Aggregator, ComponentGrowth, Growth, HeldFigure};

/// A recording with one class: for each second its live count, its error, and whether a collection came before.
fn aggregate(counts: impl IntoIterator<Item = (u64, f64, bool)>) -> Aggregate {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    let class = json!({"id": 0, "class": "com.acme.Node", "component": "c"});
    writer.line(&Line::Class(serde_json::from_value::<ClassLine>(class).unwrap())).unwrap();
    for (index, (live, error, collected)) in counts.into_iter().enumerate() {
        let snapshot = json!({"seq": index + 1, "uptime_ms": (index + 1) * 1000, "collected": collected,
            "classes": [{"id": 0, "allocated": live * 9, "live": live, "live_error": error, "exact": error == 0.0,
                "deep_bytes": live * 10, "oldest": index}]});
        writer.line(&Line::Snapshot(Box::new(serde_json::from_value::<Snapshot>(snapshot).unwrap()))).unwrap();
    }
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("1.wbr", writer.finish().unwrap().as_slice()).unwrap()).unwrap();
    aggregator.finish()
}

fn growth(counts: impl IntoIterator<Item = (u64, f64, bool)>) -> Option<Growth> {
    aggregate(counts).growth.pop()
}

#[test]
fn steady_growth_is_reported_with_its_rate() {
    let found = growth((0..80).map(|i| (1000 + 5 * i, 0.0, true))).unwrap();
    assert_eq!((found.class.as_str(), found.component.as_deref()), ("com.acme.Node", Some("c")));
    assert!((found.live_per_minute - 300.0).abs() < 1.0, "{found:?}");
    assert!((found.deep_bytes_per_minute.unwrap() - 3000.0).abs() < 10.0, "{found:?}");
    assert_eq!(found.live_per_minute_error, 0.0);
    assert!(found.exact && found.collected);
}

#[test]
fn long_runs_are_thinned_and_keep_their_rate() {
    let found = growth((0..10_000).map(|i| (1000 + 5 * i, 0.0, true))).unwrap();
    assert!((found.live_per_minute - 300.0).abs() < 1.0, "{found:?}");
}

#[test]
fn garbage_of_the_next_collection_is_no_growth_and_hides_none() {
    let garbage = |i: u64| i * 7919 % 10 * 500;
    let last = |live: u64| std::iter::once((live, 0.0, true));
    assert!(growth((0..80).map(|i| (100 + garbage(i), 0.0, false))).is_none());
    let growing = (0..80).map(|i| (100 + 20 * i + garbage(i), 0.0, false));
    let found = growth(growing.clone().chain(last(1700))).unwrap();
    assert!((found.live_per_minute - 1200.0).abs() < 400.0, "{found:?}");
    assert!(!found.collected);
    assert!(growth(growing.clone().chain(last(500))).is_none(), "most of it was garbage of the old generation");
    assert!(growth(growing).is_none(), "nothing says what of it lives");
}

#[test]
fn a_cache_that_has_filled_up_is_no_leak() {
    assert!(growth((0..80).map(|i| ((100 * i).min(3000), 0.0, true))).is_none());
}

#[test]
fn noise_of_sampling_is_no_growth() {
    let noise = |i: u64| 100_000 + i * 7919 % 13 * 300;
    assert!(growth((0..80).map(|i| (noise(i), 2000.0, true))).is_none());
    assert!(growth((0..80).map(|i| (noise(i) + 40 * i, 2000.0, true))).is_none(), "less than its errors explain");
    let found = growth((0..80).map(|i| (noise(i) + 1600 * i, 2000.0, true))).unwrap();
    assert!(found.live_per_minute_error > 0.0 && !found.exact);
}

#[test]
fn few_snapshots_or_few_objects_show_no_trend() {
    assert!(growth((0..5).map(|i| (1000 * i, 0.0, true))).is_none());
    assert!(growth((0..80).map(|i| (1 + i / 10, 0.0, true))).is_none());
    assert!(growth((0..80).map(|i| (1_000_000 + i, 0.0, true))).is_none());
}

#[test]
fn counts_with_and_without_a_collection_are_not_compared() {
    assert!(growth((0..80).map(|i| (if i < 70 { 100 } else { 5000 + i }, 0.0, i >= 75))).is_none());
}

/// A recording with one component: for each second one of its figures and the relative error of its live count.
fn component_growth(
    figure: HeldFigure,
    counts: impl IntoIterator<Item = (Option<u64>, f64)>,
) -> Option<ComponentGrowth> {
    component_of(figure, counts.into_iter().map(|(bytes, error)| (bytes, error, true)))
}

/// The same, with whether a collection came before.
fn component_of(
    figure: HeldFigure,
    counts: impl IntoIterator<Item = (Option<u64>, f64, bool)>,
) -> Option<ComponentGrowth> {
    let key = if figure == HeldFigure::OwnBytes { "own_bytes" } else { "deep_bytes" };
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    for (index, (bytes, error, collected)) in counts.into_iter().enumerate() {
        let snapshot = json!({"seq": index + 1, "uptime_ms": (index + 1) * 1000, "collected": collected,
            "components": [{"name": "cache", "live": 1000, "live_error": 1000.0 * error, "exact": error == 0.0,
                key: bytes}]});
        writer.line(&Line::Snapshot(Box::new(serde_json::from_value::<Snapshot>(snapshot).unwrap()))).unwrap();
    }
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("1.wbr", writer.finish().unwrap().as_slice()).unwrap()).unwrap();
    let mut found = aggregator.finish().component_growth;
    assert!(found.iter().all(|growth| growth.figure == figure), "{found:?}");
    found.pop()
}

#[test]
fn a_component_grows_by_the_bytes_it_holds_or_reaches_with_the_same_number_of_objects() {
    for figure in [HeldFigure::OwnBytes, HeldFigure::DeepBytes] {
        let found = component_growth(figure, (0..80).map(|i| (Some(1_000_000 + 10_000 * i), 0.0))).unwrap();
        assert_eq!(found.component, "cache");
        assert!((found.bytes_per_minute - 600_000.0).abs() < 1_000.0, "{found:?}");
        assert_eq!((found.bytes_per_minute_error, found.exact, found.collected), (0.0, true, true));
        assert_eq!(
            (found.from_uptime_ms, found.to_uptime_ms),
            (11_000, 72_000),
            "the least of the first part, and of the last"
        );
        assert_eq!((found.from_bytes, found.to_bytes), (1_100_000, 1_710_000));
    }
}

#[test]
fn a_component_that_is_full_or_rises_by_less_than_sampling_explains_does_not_grow() {
    assert!(
        component_growth(HeldFigure::OwnBytes, (0..80).map(|i| (Some((100_000 * i).min(3_000_000)), 0.0))).is_none(),
        "full"
    );
    assert!(
        component_growth(HeldFigure::OwnBytes, (0..80).map(|i| (Some(1_000_000 + 100 * i), 0.0))).is_none(),
        "not worth telling"
    );
    let rising = |error: f64| {
        component_growth(HeldFigure::OwnBytes, (0..80).map(move |i| (Some(1_000_000 + 10_000 * i), error)))
    };
    assert!(rising(0.2).is_none(), "noise");
    let found = rising(0.01).unwrap();
    assert!(!found.exact && found.bytes_per_minute_error > 10_000.0, "{found:?}");
    assert!(
        component_growth(HeldFigure::OwnBytes, (0..80).map(|i| ((i < 4).then_some(1_000_000 * i), 0.0))).is_none(),
        "rarely measured"
    );
}

#[test]
fn snapshots_without_the_figure_are_left_out_if_the_others_tell_the_run_to_its_end() {
    let of = |known: &dyn Fn(u64) -> bool, points: u64| {
        component_growth(HeldFigure::OwnBytes, (0..points).map(|i| (known(i).then_some(1_000_000 + 100_000 * i), 0.0)))
    };
    let told: [(&dyn Fn(u64) -> bool, u64); 4] =
        [(&|i| i != 7, 8), (&|i| i != 50, 51), (&|i| i % 10 != 5, 20), (&|i| i >= 20, 40)];
    for (known, points) in told {
        let found = of(known, points).unwrap_or_else(|| panic!("{points} points"));
        assert!((found.bytes_per_minute - 6_000_000.0).abs() < 1.0, "{found:?}");
    }
    let found = of(&|i| i != 7, 8).expect("growth");
    assert_eq!((found.from_uptime_ms, found.to_uptime_ms), (2_000, 7_000), "only what was measured");
    assert!(of(&|i| i < 60, 80).is_none(), "nothing is known of the end");
    assert!(of(&|i| i % 10 == 0, 80).is_none(), "rarely measured");
}

#[test]
fn the_first_count_after_a_collection_that_has_the_figure_confirms_growth() {
    let rising = (0..40).map(|i| (Some(1_000_000 + 100_000 * i), 0.0, false));
    let end = |last| rising.clone().chain([(None, 0.0, true), (last, 0.0, true)]);
    assert!(component_of(HeldFigure::OwnBytes, end(Some(4_900_000))).is_some_and(|found| !found.collected));
    assert!(component_of(HeldFigure::OwnBytes, end(Some(1_100_000))).is_none(), "garbage");
    assert!(component_of(HeldFigure::OwnBytes, end(None)).is_none(), "nothing says what of it lives");
}
