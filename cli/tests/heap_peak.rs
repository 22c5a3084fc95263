//! A recording leads to the heap dump of its peak, and the dump to its recording; its ceiling is above the truth.

use std::fs;
use weighbridge_tests::{Weighbridge, at_once, compile, java, jdks, run};

#[test]
fn a_report_gives_the_command_for_the_peaks_dump_and_that_report_names_the_recording() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    weighbridge.instrument_leak(folder.path());
    at_once(jdks(), |jdk| {
        let recording = folder.path().join(format!("{}.wbr", jdk.major));
        let dump = folder.path().join(format!("{}.hprof", jdk.major));
        let mut command = java(jdk);
        command.args(["-Dleak.tick_ms=2", "-Dleak.ticks=1000", "-Dweighbridge.peak=interval"]);
        command.args(["-Dweighbridge.peak_interval=300ms", "-Dweighbridge.peak_dumps=1", "-Dweighbridge.pause=1h"]);
        command.arg(format!("-Dweighbridge.peak_dump={}", dump.display()));
        command.arg(format!("-Dweighbridge.destfile={}", recording.display()));
        let output = run(command.arg("-jar").arg(folder.path().join("weighed/leak.jar")));
        assert!(output.success(), "{}: {output}", jdk.version);
        let peak = weighbridge.report(&recording)["peaks"][0].clone();
        assert_eq!(peak["dump"].as_str(), dump.to_str(), "{}: {peak:#}", jdk.version);
        let command = peak["dump_command"].as_str().expect("a command");
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[0], "weighbridge");
        let held = run(weighbridge.command().args(&words[1..]).args(["-o", "json"])).json();
        assert_eq!(held["dump"]["recording"].as_str(), recording.to_str(), "{}", jdk.version);
        // Of a program with one matched class: its tables of fixed size, and a few hundred kilobytes at most beside them.
        let own = held["dump"]["runtime_bytes"].as_u64().expect("bytes");
        assert!((200 << 10..2 << 20).contains(&own), "{}: {own}", jdk.version);
        let text = run(weighbridge.command().args(&words[1..]));
        let line = format!("the program recorded to {} (weighbridge report)", recording.display());
        assert!(text.stdout.contains(&line), "{text}");
        assert!(text.stdout.contains(" are Weighbridge's own: "), "{text}");
        fs::remove_file(&dump).expect("the dump");
    });
}

#[test]
fn no_ceiling_is_below_what_lived_whatever_ended_threads_made_and_old_objects_came_into_reach() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let classes = compile("comings", &[], folder.path());
    let config = folder.path().join("weighbridge.toml");
    fs::write(&config, "version = 1\n\n[instrument]\ninclude = [\"com.acme.comings.Block\"]\n")
        .expect("the configuration");
    let weighed = folder.path().join("weighed");
    weighbridge.instrument(&[&classes], &config, &weighed);
    at_once(jdks(), |jdk| {
        for (case, collector) in [
            ("threads", "-XX:+UseSerialGC"),
            ("threads", "-XX:+UseParallelGC"),
            ("threads", "-XX:+UseG1GC"),
            ("adopted", "-XX:+UseG1GC"),
        ] {
            let context = format!("{case} {collector} on {}", jdk.version);
            let recording = folder.path().join(format!("comings-{}.wbr", jdk.major));
            let _ = fs::remove_file(&recording);
            let mut command = java(jdk);
            command.args(["-Xmx512m", collector]);
            command.arg(format!(
                "-javaagent:{}=destfile={},peak=interval,peak_interval=2s,cpu_percent=100,pause=1h",
                weighed.join("weighbridge-runtime.jar").display(),
                recording.display()
            ));
            command.arg("-cp").arg(weighed.join("comings")).args(["com.acme.comings.Main", case, "4000"]);
            let output = run(&mut command);
            assert!(output.success(), "{context}: {output}");
            let held: u64 = output.stdout.trim().parse().expect("a number");
            let peak = &weighbridge.report(&recording)["peaks"][0];
            let ceiling = peak["ceiling_bytes"].as_u64().unwrap_or_else(|| panic!("{context}: no ceiling in {peak:#}"));
            assert!(ceiling >= held, "{context}: {held} bytes lived, and the ceiling is {ceiling}");
        }
    });
}
