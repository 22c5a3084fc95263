//! The leak demo, without its waiting: the report's first finding names what leaks, and nothing that does not.

use weighbridge_tests::{Weighbridge, java, jdks, run};

/// What the broker never forgets: a client in a hundred leaves a subscription behind.
const LEAK: &str = "com.acme.leak.feed.Subscription";

#[test]
fn the_first_finding_names_the_class_that_leaks_and_no_finding_names_a_healthy_component() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let summary = weighbridge.instrument_leak(folder.path());
    assert_eq!(summary["total"]["classes_rewritten"], 9, "{summary:#}");
    for jdk in jdks() {
        let recording = folder.path().join(format!("{}.wbr", jdk.major));
        let mut command = java(jdk);
        command.args(["-Dleak.tick_ms=0", "-Dleak.ticks=1200", "-Dleak.measure=60"]);
        // Two minutes in two seconds: what collections allow for in new references would be as much less.
        command.arg("-Dweighbridge.references=50000");
        command.arg(format!("-Dweighbridge.destfile={}", recording.display()));
        let output = run(command.arg("-jar").arg(folder.path().join("weighed/leak.jar")));
        assert!(output.success() && output.stderr.is_empty(), "{}: {output}", jdk.version);
        let report = weighbridge.report(&recording);
        let growing = report["growth"].as_array().expect("a list");
        assert_eq!(growing.len(), 1, "{}: {growing:#?}", jdk.version);
        assert_eq!(growing[0]["class"], LEAK);
        assert_eq!(growing[0]["component"], "feed");
        assert!(growing[0]["oldest"].as_u64() >= Some(10), "a collection before each measurement: {growing:#?}");
        let statements = report["summary"]["statements"].as_array().expect("sentences");
        let first = statements[0].as_str().expect("a sentence");
        println!("Java {}: {first}", jdk.version);
        assert!(first.starts_with(&format!("`{LEAK}` of `feed` grows to the end: ")), "{first}");
        assert!(first.contains("the oldest has survived "), "{first}");
        assert!(first.contains("held by com.acme.leak.feed.Feed.bySymbol -> "), "{first}");
        for healthy in ["sessions", "prices", "orders"] {
            let named = statements.iter().filter(|s| s.as_str().is_some_and(|s| s.contains(&format!("`{healthy}`"))));
            assert_eq!(named.count(), 0, "{}: {healthy}: {statements:#?}", jdk.version);
        }
    }
}
