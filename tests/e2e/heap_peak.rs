//! A recording leads to the heap dump of its peak, and the dump to its recording.

use std::fs;
use weighbridge_tests::{Weighbridge, java, jdks, run};

#[test]
fn a_report_gives_the_command_for_the_peaks_dump_and_that_report_names_the_recording() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    weighbridge.instrument_leak(folder.path());
    for jdk in jdks() {
        let recording = folder.path().join(format!("{}.wbr", jdk.major));
        let dump = folder.path().join(format!("{}.hprof", jdk.major));
        let mut command = java(jdk);
        command.args(["-Dleak.tick_ms=2", "-Dleak.ticks=1000", "-Dweighbridge.peak=interval"]);
        command.args(["-Dweighbridge.peak_interval=300ms", "-Dweighbridge.peak_dumps=1"]);
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
        let text = run(weighbridge.command().args(&words[1..]));
        let line = format!("the program recorded to {} (weighbridge report)", recording.display());
        assert!(text.stdout.contains(&line), "{text}");
        fs::remove_file(&dump).expect("the dump");
    }
}
