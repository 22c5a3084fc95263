//! Threads that work at random are stopped at random: no other work is, and nothing is left behind.

use std::fs;
use std::path::{Path, PathBuf};

use weighbridge_tests::{Jdk, compile, every_java, java, jdk, more_rounds, native_agent, run};

use crate::alone;

/// Runs of each Java.
fn runs() -> u64 {
    if more_rounds() { 10_000 } else { 4_000 }
}

/// Of so many runs one at least must have met a thread where it may be stopped.
const RUNS_OF_A_STOP: u64 = 500;

struct Program {
    classes: PathBuf,
    runtime: PathBuf,
    config: PathBuf,
}

impl Program {
    fn new(folder: &Path) -> Program {
        let runtime = folder.join("weighbridge-runtime.jar");
        fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
        let config = folder.join("weighbridge.toml");
        fs::write(&config, "version = 1\n[shortage]\ndry_run = false\n").expect("the configuration");
        Program { classes: compile("stopped", std::slice::from_ref(&runtime), folder), runtime, config }
    }

    /// How many runs ended in each way that `STOP_OUTCOMES` of the contract knows.
    fn run(&self, jdk: &Jdk, flags: &[&str], seed: u64, runs: u64) -> Vec<u64> {
        let path = std::env::join_paths([&self.runtime, &self.classes]).expect("a class path");
        let agent = format!("{}=config={},output=none", native_agent().display(), self.config.display());
        let mut command = java(jdk);
        command.arg(format!("-agentpath:{agent}")).args(flags).arg("-cp").arg(path);
        command.args(["com.acme.stopped.Main", &seed.to_string(), &runs.to_string()]);
        let output = run(&mut command);
        assert!(output.success() && output.stdout.starts_with("stopped "), "seed {seed}, Java {}: {output}", jdk.major);
        let numbers = output.stdout.split_whitespace().filter_map(|word| word.parse().ok());
        numbers.collect()
    }
}

#[test]
fn only_permitted_work_is_stopped_and_locks_and_finally_blocks_are_as_after_any_exception() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = Program::new(folder.path());
    let seed: u64 = std::env::var("WEIGHBRIDGE_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(28);
    let runs = runs();
    for jdk in every_java() {
        let told = program.run(jdk, &[], seed, runs);
        eprintln!("Java {}, seed {seed}: {told:?}", jdk.major);
        assert!(told[0] >= runs / RUNS_OF_A_STOP && told.iter().sum::<u64>() == runs, "{told:?}");
    }
}

#[test]
fn it_is_the_same_whoever_compiles_and_collects() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = Program::new(folder.path());
    let flags = ["-Xint", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseZGC"];
    // One that throws where the thread is, and one that does not.
    for jdk in [17, 25].map(jdk) {
        for (seed, flag) in flags.iter().enumerate() {
            let told = program.run(jdk, &[flag], seed as u64, runs() / 2);
            assert!(told[0] > 0, "{flag}: {told:?}");
        }
    }
}
