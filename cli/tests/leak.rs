//! The leak demo, without its waiting: the report's first finding names what leaks, and nothing that does not. Round trips:
//! what remains of an operation is named. And a first configuration, from its proposal to its budgets.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use weighbridge_recording::{Line, Reader};
use weighbridge_tests::{
    Jdk, Weighbridge, at_once, attach_in_the_middle, attachable, compile, in_the_middle, java, jdks, jdks_from,
    native_agent, run,
};

/// What the broker never forgets: a client in a hundred leaves a subscription behind.
const LEAK: &str = "com.acme.leak.feed.Subscription";
/// So many different counts at markings show a growth.
const ENOUGH: usize = 10;

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
        assert_leak_is_named(&weighbridge, &recording, jdk);
    }
}

fn assert_leak_is_named(weighbridge: &Weighbridge, recording: &Path, jdk: &Jdk) {
    let report = weighbridge.report(recording);
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

/// The broker asks for its measurements by the API, which is on no class path here.
#[test]
fn the_agent_brings_the_api_with_which_the_leak_is_measured() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("leak.jar"), weighbridge_samples::LEAK_JAR).expect("the jar");
    fs::write(at("weighbridge.toml"), weighbridge_samples::LEAK_CONFIG).expect("the configuration");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let jdks = jdks();
    let program = ["-Dleak.tick_ms=0", "-Dleak.ticks=1200", "-Dleak.measure=60"];

    let (jdk, recording) = (&jdks[0], at("agentpath.wbr"));
    let agent = format!(
        "-agentpath:{}=config={},destfile={},references=50000",
        native_agent().display(),
        at("weighbridge.toml").display(),
        recording.display()
    );
    let output = run(java(jdk).arg(agent).args(program).arg("-jar").arg(at("leak.jar")));
    assert!(output.success() && output.stderr.is_empty(), "{output}");
    assert_leak_is_named(&weighbridge, &recording, jdk);

    let (jdk, recording) = (jdks.last().expect("a JVM"), at("run.wbr"));
    let mut command = weighbridge.command();
    command.args(["run", "--config"]).arg(at("weighbridge.toml")).arg("--recording").arg(&recording);
    command.arg("--").arg(java(jdk).get_program()).arg("-Dweighbridge.references=50000").args(program);
    let output = run(command.arg("-jar").arg(at("leak.jar")));
    assert!(output.success(), "{output}");
    assert_leak_is_named(&weighbridge, &recording, jdk);

    let (jdk, recording) = (&jdks[jdks.len() / 2], at("attach.wbr"));
    let (middle, folder_of_middle) = in_the_middle();
    let path = std::env::join_paths([folder_of_middle, &at("leak.jar")]).expect("a class path");
    let mut command = java(jdk);
    command.args(attachable(jdk)).args(program).arg("-cp").arg(path).args([middle, "once", "com.acme.leak.Broker"]);
    let config = at("weighbridge.toml");
    let arguments = ["--config", config.to_str().expect("UTF-8"), "--set", "references=50000", "--set", "interval=1h"];
    let (_, output) = attach_in_the_middle(&weighbridge, &mut command, &recording, &arguments);
    assert!(output.success(), "{output}");
    assert_leak_is_named(&weighbridge, &recording, jdk);
}

/// Nobody collects before these measurements: most subscriptions that no collection has met are dead.
#[test]
fn measurements_at_an_interval_do_not_call_the_dead_live() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("leak.jar"), weighbridge_samples::LEAK_JAR).expect("the jar");
    let config = weighbridge_samples::LEAK_CONFIG.replace("[\"exit\", \"request\"]", "[\"exit\", \"every 500ms\"]");
    fs::write(at("weighbridge.toml"), config).expect("the configuration");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    at_once(jdks(), |jdk| {
        let recording = at(&format!("{}.wbr", jdk.major));
        let agent = format!(
            "-agentpath:{}=config={},destfile={},cpu_percent=100,pause=2s,reader={}",
            native_agent().display(),
            at("weighbridge.toml").display(),
            recording.display(),
            env!("CARGO_BIN_EXE_weighbridge"),
        );
        let program = ["-Xmx64m", "-Dleak.tick_ms=5", "-Dleak.ticks=1600", "-Dleak.measure=0"];
        let output = run(java(jdk).arg(agent).args(program).arg("-jar").arg(at("leak.jar")));
        assert!(output.success() && output.stderr.is_empty(), "{}: {output}", jdk.version);

        let lines = Reader::open(&recording).expect("a recording").map(|line| line.expect("a line"));
        let (mut leaking, mut marked, mut end) = (None, Vec::new(), None);
        for line in lines {
            match line {
                Line::Class(class) if class.class == LEAK => leaking = Some(class.id),
                Line::Snapshot(snapshot) => {
                    let row = snapshot.classes.iter().find(|row| Some(row.id) == leaking).expect("a row");
                    let own = snapshot.components.iter().filter_map(|component| component.own_bytes).sum::<u64>();
                    let all = snapshot.total.as_ref().and_then(|total| total.measured_bytes);
                    assert!(Some(own) <= all, "Java {}: {own} of {all:?}", jdk.version);
                    match snapshot.reason.as_deref() {
                        Some("exit") => end = row.live,
                        _ => marked.extend(row.live.zip(row.live_error)),
                    }
                }
                _ => {}
            }
        }
        let end = end.expect("live at the end");
        // Each of them lives on, but for the one that is served.
        assert!(
            marked.iter().all(|(live, error)| *live as f64 - 2.0 * error <= (end + 1) as f64),
            "Java {}: {end} after {marked:?}",
            jdk.version
        );
        assert!(!marked.is_empty(), "Java {}: no full marking", jdk.version);
        let report = weighbridge.report(&recording);
        let growing: Vec<&str> =
            report["growth"].as_array().expect("a list").iter().filter_map(|row| row["class"].as_str()).collect();
        println!("Java {}: {growing:?}, {marked:?}, {end}", jdk.version);
        // A slow machine has too few markings to judge.
        assert!(growing.iter().all(|class| *class == LEAK), "Java {}: {growing:?}", jdk.version);
        let distinct: BTreeSet<u64> = marked.into_iter().map(|(live, _)| live).collect();
        assert!(distinct.len() < ENOUGH || growing == [LEAK], "Java {}: not named", jdk.version);
    });
}

/// `gone` is an operation that nobody does.
const ROUNDS: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.rounds.*\"]\n[measure]\nat = [\"exit\"]\n\
    [components]\naudit = [\"com.acme.rounds.Main$Audit\"]\nrest = [\"com.acme.rounds.*\"]\n\
    [[round_trip]]\nname = \"log in\"\n[[round_trip]]\nname = \"show\"\n[[round_trip]]\nname = \"look\"\n\
    [[round_trip]]\nname = \"log in\"\nclass = \"com.acme.rounds.Main$Session\"\nmax = 20\n[[round_trip]]\nname = \"gone\"\n";

/// One session of each round stays in the list; the cache fills in the first round and keeps its page.
#[test]
fn one_object_that_remains_of_each_round_is_named_with_its_holder_and_a_cache_that_fills_once_is_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let runtime = at("weighbridge-runtime.jar");
    fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
    fs::write(at("weighbridge.toml"), ROUNDS).expect("the configuration");
    let classes = compile("rounds", std::slice::from_ref(&runtime), folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for (index, jdk) in jdks().iter().enumerate() {
        // In turns the class path has the runtime, and the agent brings it with the API.
        let path = [&runtime, &classes].into_iter().skip(index % 2);
        let path = std::env::join_paths(path).expect("a class path");
        let recording = at(&format!("{}.wbr", jdk.major));
        let agent = format!(
            "-agentpath:{}=config={},destfile={}",
            native_agent().display(),
            at("weighbridge.toml").display(),
            recording.display()
        );
        let output = run(java(jdk).arg(agent).arg("-cp").arg(path).arg("com.acme.rounds.Main"));
        assert!(output.success() && output.stdout == "true 23 1\n", "Java {}: {output}", jdk.version);
        let check = |format: &str| {
            let mut check = weighbridge.command();
            check.current_dir(folder.path()).arg("check").arg(&recording).args(["--config", "weighbridge.toml"]);
            run(check.args(["-o", format]))
        };
        let judged = check("text");
        assert_eq!(judged.code, Some(1), "Java {}: {judged}", jdk.version);
        let lines: Vec<&str> = judged.stdout.lines().collect();
        let [broken, unknown, counts] = lines.as_slice() else { panic!("Java {}: {judged}", jdk.version) };
        assert_eq!(
            *broken,
            "broken: round trip log in: class com.acme.rounds.Main$Session of component rest: live 20 more after 20 \
             rounds; held: 100.0 % of those asked by com.acme.rounds.Main$Audit.seen -> java.util.ArrayList.elementData \
             -> java.lang.Object[], 0 allowed (weighbridge.toml, line 9)",
            "Java {}",
            jdk.version
        );
        assert!(unknown.starts_with("not found: round trip gone: no measurement"), "{judged}");
        assert_eq!(*counts, "5 checks: 1 broken, 1 not found, 3 held");
        for format in ["junit", "markdown", "sarif"] {
            let written = check(format);
            assert!(written.stdout.contains("20 more after 20 rounds"), "{format}: {written}");
        }
    }
}

/// What `init` proposes for the shop is measured and reported at once.
#[test]
fn a_proposed_configuration_gives_a_report_of_the_components_of_the_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("shop.jar"), weighbridge_samples::DEMO_JAR).expect("the shop");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let command = |arguments: &[&str]| {
        let mut command = weighbridge.command();
        command.current_dir(folder.path()).args(arguments);
        command
    };
    let proposed = run(&mut command(&["init", "shop.jar"]));
    assert!(proposed.success(), "{proposed}");
    let java_command = java(jdks_from(17)[0]).get_program().to_str().expect("UTF-8").to_owned();
    let started = ["run", "--config", "weighbridge.toml", "--recording", "run.wbr", "--"];
    let weighed = run(command(&started).args([&java_command, "-jar", "shop.jar", "1"]));
    assert!(weighed.success(), "{weighed}");
    let report = weighbridge.report(&folder.path().join("run.wbr"));
    let components: Vec<&str> =
        report["components"].as_array().expect("rows").iter().filter_map(|row| row["component"].as_str()).collect();
    assert!(["web", "catalog", "cache"].iter().all(|name| components.contains(name)), "{components:?}");
    let budgets = run(&mut command(&["init", "shop.jar", "--from", "run.wbr", "--force"]));
    assert!(budgets.success() && budgets.stdout.contains(" budgets"), "{budgets}");
    let held = run(&mut command(&["check", "run.wbr", "--config", "weighbridge.toml"]));
    assert!(held.success(), "{held}");
}
