//! `weighbridge trace` by probes: what a program has called, made and reached, by counts that it knows.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use weighbridge_tests::{Jdk, Output, Talking, Weighbridge, attachable, compile, java, jdks, native_agent, root, run};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);
const CLASSES: [&str; 2] = ["--class", "com.acme.probed.**"];

fn weighbridge() -> Command {
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command()
}

/// The compiled `tests/java/probed`, and the runtime for its scopes.
struct Built {
    folder: tempfile::TempDir,
    classes: PathBuf,
    runtime: PathBuf,
}

impl Built {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = folder.path().join("weighbridge-runtime.jar");
        fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
        let classes = compile("probed", std::slice::from_ref(&runtime), folder.path());
        Built { folder, classes, runtime }
    }
}

/// That program, which does what it is told.
struct Probed {
    program: Talking,
    jdk: &'static Jdk,
}

impl Probed {
    fn start(jdk: &'static Jdk, built: &Built) -> Self {
        Probed::with_class_path(jdk, built.classes.as_os_str())
    }

    fn with_class_path(jdk: &'static Jdk, class_path: &OsStr) -> Self {
        Probed::of(jdk, class_path, "com.acme.probed.Main")
    }

    fn of(jdk: &'static Jdk, class_path: &OsStr, main: &str) -> Self {
        let mut command = java(jdk);
        command.args(attachable(jdk)).arg("-cp").arg(class_path).arg(main);
        let mut program = Talking::start(&mut command);
        assert_eq!(program.line(), "ready");
        Probed { program, jdk }
    }

    fn tell(&mut self, line: &str) {
        assert_eq!(self.program.tell(line), "done", "{line}");
    }

    fn trace(&self, verb: &str, arguments: &[&str]) -> Output {
        run(weighbridge().args(["trace", verb, &self.program.pid]).args(arguments))
    }

    /// Begins a run of all classes of the program.
    fn begin(&self, what: &[&str], more: &[&str]) {
        let output = self.trace("start", &[what, &CLASSES, more].concat());
        assert!(output.success(), "Java {}: {output}", self.jdk.major);
    }

    fn ask(&self, verb: &str, name: &str) -> Value {
        let output = self.trace(verb, &[name, "-o", "json"]);
        assert!(output.success(), "Java {}: {output}", self.jdk.major);
        output.json()
    }

    fn detach(&self) {
        let output = run(weighbridge().args(["detach", &self.program.pid]));
        assert!(output.success(), "{output}");
    }
}

fn trace<'a>(run: &'a Value, what: &str) -> &'a Value {
    let traces = run["traces"].as_array().expect("traces");
    traces.iter().find(|trace| trace["what"] == what).unwrap_or_else(|| panic!("no {what}: {run:#}"))
}

fn rows<'a>(trace: &'a Value, key: &str) -> &'a [Value] {
    trace[key].as_array().unwrap_or_else(|| panic!("no {key}: {trace:#}"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Calls and exceptions of each method of a class.
fn calls(run: &Value, class: &str) -> BTreeMap<String, (u64, u64)> {
    let own = rows(trace(run, "methods"), "methods").iter().filter(|row| row["class"] == *class);
    let of_row = |row: &Value| {
        let name = row["method"].as_str().expect("a name").to_owned();
        let within: u64 = rows(row, "within").iter().map(|within| number(&within["calls"])).sum();
        assert_eq!(within, number(&row["calls"]), "each call has its time: {row}");
        (name, (number(&row["calls"]), number(&row["thrown"])))
    };
    own.map(of_row).collect()
}

/// What `call N` does in the class `Calls`, on four threads.
fn expected(n: u64) -> BTreeMap<String, (u64, u64)> {
    let all = 4 * n;
    let refused = 4 * n.div_ceil(3);
    let rows = [
        ("once", all, 0),
        ("<init>", 2 * all + all - refused, 0),
        ("twice", all, 0),
        ("own", 2 * all, 0),
        ("down", 4 * all, 0),
        ("fails", 2 * all, 2 * all),
        ("caught", all, 0),
        ("checked", all, refused),
        ("lambda$once$0", all, 0),
    ];
    rows.into_iter().map(|(name, calls, thrown)| (name.to_owned(), (calls, thrown))).collect()
}

#[test]
fn calls_are_counted_exactly_and_several_runs_do_not_know_of_each_other() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        // Before: these classes are retransformed; the others get their probes when they are loaded.
        probed.tell("call 10");
        probed.begin(&["methods"], &["--name", "a"]);
        probed.tell("call 300");
        probed.begin(&["methods"], &["--name", "b"]);
        probed.tell("call 200");
        let first = probed.ask("show", "a");
        assert_eq!(first["state"], "running");
        assert_eq!(calls(&first, "com.acme.probed.Calls"), {
            let (one, two) = (expected(300), expected(200));
            one.into_iter()
                .map(|(name, (n, thrown))| {
                    let (more, and) = two[&name];
                    (name, (n + more, thrown + and))
                })
                .collect::<BTreeMap<_, _>>()
        });
        let second = probed.ask("stop", "b");
        assert_eq!(second["ended_by"], "stop");
        assert_eq!(calls(&second, "com.acme.probed.Calls"), expected(200), "Java {}", jdk.major);
        assert_eq!(calls(&second, "com.acme.probed.Below")["<init>"], (800, 0));
        assert_eq!(calls(&second, "com.acme.probed.Through")["through"], (800, 0));
        assert_eq!(calls(&second, "com.acme.probed.Main")["onThreads"], (1, 0));
        probed.tell("call 100");
        let first = probed.ask("stop", "a");
        assert_eq!(calls(&first, "com.acme.probed.Calls")["once"], (4 * 600, 0), "Java {}", jdk.major);
        let gone = probed.trace("show", &["a"]);
        assert!(gone.code == Some(3) && gone.stderr.contains("no run of traces has the name a"), "{gone}");
        probed.detach();
        probed.tell("call 10");
    }
}

#[test]
fn objects_are_followed_from_the_place_that_made_them_to_the_collection_that_found_them_dead() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.begin(&["objects"], &["--name", "o", "--except", "com.acme.probed.Calls", "--max-cpu", "100"]);
        probed.tell("make 1000");
        let items = |run: &Value| {
            let mut sums = BTreeMap::new();
            for row in rows(trace(run, "objects"), "places").iter().filter(|row| row["class"] == "com.acme.probed.Item")
            {
                let frame = row["frames"][0].as_str().expect("a frame").split(':').next().expect("a method").to_owned();
                let sum: &mut [u64; 3] = sums.entry(frame).or_default();
                for (sum, key) in sum.iter_mut().zip(["made", "died", "live"]) {
                    *sum += number(&row[key]);
                }
            }
            sums
        };
        let wait_for = |expected: [(&str, [u64; 3]); 3]| {
            let expected = expected.map(|(name, numbers)| (name.to_owned(), numbers)).into_iter().collect();
            let begin = Instant::now();
            loop {
                let run = probed.ask("show", "o");
                let found = items(&run);
                if found == expected {
                    return run;
                }
                // Who dies is told by the collector's thread, somewhat later.
                assert!(begin.elapsed() < PATIENCE, "Java {}: {found:?}", jdk.major);
                thread::sleep(Duration::from_millis(50));
            }
        };
        let run = wait_for([
            ("com.acme.probed.Main.kept", [1000, 0, 1000]),
            ("com.acme.probed.Main.dropped", [1000, 1000, 0]),
            ("com.acme.probed.Item.copy", [500, 500, 0]),
        ]);
        let oldest = rows(trace(&run, "objects"), "oldest");
        let numbers: Vec<u64> = oldest.iter().map(|row| number(&row["object"])).collect();
        assert!(numbers.len() == 20 && numbers.is_sorted() && numbers[0] == 1, "{numbers:?}");
        for row in rows(trace(&run, "objects"), "places") {
            let lives: u64 = rows(row, "lives").iter().map(|lives| number(&lives["objects"])).sum();
            assert_eq!(lives, number(&row["died"]), "each death has its age: {row}");
            assert!(row["class"] != "com.acme.probed.Calls", "{row}");
        }
        probed.tell("drop 1");
        let begin = Instant::now();
        while items(&probed.ask("show", "o"))["com.acme.probed.Main.kept"] != [1000, 1000, 0] {
            assert!(begin.elapsed() < PATIENCE, "Java {}", jdk.major);
            thread::sleep(Duration::from_millis(50));
        }
        probed.ask("stop", "o");
        probed.detach();
    }
}

#[test]
fn what_is_found_is_shown_while_it_is_found_and_in_several_programs_at_once() {
    let built = Built::new();
    // No other test has programs of this name.
    let start = |jdk| Probed::of(jdk, built.classes.as_os_str(), "com.acme.probed.Several");
    let mut programs: Vec<Probed> = jdks().iter().map(start).collect();
    let watched = weighbridge()
        .args(["trace", &programs[0].program.pid, "methods", "--for", "5s", "--watch", "1s", "-o", "json"])
        .args(CLASSES)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a trace");
    thread::sleep(Duration::from_secs(3));
    programs[0].tell("call 10");
    let output = watched.wait_with_output().expect("its end");
    let shown: Vec<Value> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(shown.len() >= 3, "{shown:#?}");
    let once = |run: &Value| calls(run, "com.acme.probed.Calls").get("once").map_or(0, |&(calls, _)| calls);
    let seen: Vec<u64> = shown.iter().map(once).collect();
    assert!(seen[0] == 0 && seen.last() == Some(&40), "{seen:?}");

    let mut all = weighbridge();
    all.args(["trace", "all:com.acme.probed.Several", "methods", "--for", "6s", "-o", "json"]).args(CLASSES);
    let all = all.stdout(std::process::Stdio::piped()).spawn().expect("traces");
    let pids: Vec<u64> = programs.iter().map(|probed| probed.program.pid.parse().expect("a number")).collect();
    // As soon as each has its run.
    for probed in &mut programs {
        let begin = Instant::now();
        while !probed.trace("list", &[]).stdout.contains("running") {
            assert!(begin.elapsed() < PATIENCE);
            thread::sleep(Duration::from_millis(50));
        }
        probed.tell("call 5");
    }
    let output = all.wait_with_output().expect("their end");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let jvms = report["jvms"].as_array().expect("JVMs").iter().filter(|jvm| pids.contains(&number(&jvm["pid"])));
    let found: Vec<u64> = jvms.map(|jvm| once(&jvm["result"])).collect();
    assert_eq!(found, vec![20; programs.len()], "{report:#}");
    let none = run(weighbridge().args(["trace", "all:com.acme.Nobody", "methods"]).args(CLASSES));
    assert!(none.code == Some(3) && none.stderr.contains("no JVM"), "{none}");
    let wrong = run(weighbridge().args(["trace", "some", "methods"]).args(CLASSES));
    assert!(wrong.code == Some(2) && wrong.stderr.contains("neither a process id nor `all`"), "{wrong}");
}

/// `tests/native/references.c` as a library.
fn native_library(built: &Built) -> PathBuf {
    let library = built.folder.path().join("libreferences.so");
    let include = weighbridge_jdk::to_build_with().home.join("include");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(root().join("tests/native/references.c"));
    let output = run(compiler.arg("-I").arg(&include).arg("-I").arg(include.join("linux")));
    assert!(output.success(), "{output}");
    library
}

#[test]
fn global_references_of_native_code_are_told_by_who_creates_them() {
    let built = Built::new();
    let library = native_library(&built);
    for jdk in jdks() {
        let mut command = java(jdk);
        command.args(attachable(jdk)).arg(format!("-Dreferences={}", library.display()));
        let mut program = Talking::start(command.arg("-cp").arg(&built.classes).arg("com.acme.probed.Main"));
        assert_eq!(program.line(), "ready");
        let mut probed = Probed { program, jdk };
        probed.tell("native 30");
        let started = probed.trace("start", &["references", "--name", "r"]);
        assert!(started.success(), "{started}");
        probed.tell("native 300");
        let found = |run: &Value| {
            let own = rows(trace(run, "references"), "references")
                .iter()
                .find(|row| row["frames"][0] == "com.acme.probed.Native.keep")
                .unwrap_or_else(|| panic!("{run:#}"))
                .clone();
            let caller = own["frames"][1].as_str().expect("a frame");
            assert!(caller.starts_with("com.acme.probed.Native.references:"), "{own}");
            ["created", "weak", "freed", "live"].map(|key| number(&own[key]))
        };
        assert_eq!(found(&probed.ask("show", "r")), [600, 300, 200, 400], "Java {}", jdk.major);
        let text = probed.trace("show", &["r"]);
        assert!(text.stdout.contains("com.acme.probed.Native.keep"), "{text}");
        let ended = probed.ask("stop", "r");
        assert_eq!(found(&ended), [600, 300, 200, 400]);
        // The functions are the JVM's own again.
        probed.tell("native 3");
        let started = probed.trace("start", &["references", "--name", "r"]);
        assert!(started.success(), "{started}");
        probed.tell("native 0");
        let again = probed.ask("stop", "r");
        let own = rows(trace(&again, "references"), "references").iter();
        assert_eq!(own.filter(|row| row.to_string().contains("probed")).count(), 0, "{again:#}");
        probed.detach();
    }
}

#[test]
fn samples_of_allocations_estimate_what_each_place_allocates() {
    const ITEMS: u64 = 2_000_000;
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        let started = probed.trace("start", &["samples", "--name", "s", "--every", "16k"]);
        assert!(started.success(), "{started}");
        probed.tell(&format!("allocate {ITEMS}"));
        let run = probed.ask("show", "s");
        let sampled = trace(&run, "samples");
        assert_eq!(sampled["every_bytes"], 16 << 10);
        let sum = |class: &str, method: &str| {
            let own = rows(sampled, "samples").iter().filter(|row| {
                row["class"] == *class && row["frames"][0].as_str().is_some_and(|frame| frame.starts_with(method))
            });
            own.fold((0, 0.0), |(bytes, square), row| {
                (bytes + number(&row["bytes"]), square + (number(&row["error_bytes"]) as f64).powi(2))
            })
        };
        // An Item has 16 bytes with compressed class pointers; an array of 100 bytes 120.
        for (class, bytes) in [("com.acme.probed.Item", 16 * ITEMS), ("byte[]", 120 * ITEMS)] {
            let (estimated, square) = sum(class, "com.acme.probed.Main.allocate");
            // Twice the error: one in ten thousand runs is outside.
            assert!(
                (estimated as f64 - bytes as f64).abs() <= 2.0 * square.sqrt() + 64_000.0,
                "Java {}, {class}: {estimated} +- {} of {bytes}",
                jdk.major,
                square.sqrt()
            );
        }
        let folded = built.folder.path().join(format!("{}.folded", jdk.major));
        let file = folded.to_str().expect("UTF-8");
        let text = probed.trace("stop", &["s", "--folded", file, "--by", "bytes"]);
        assert!(text.success() && text.stdout.contains("Allocations by class"), "{text}");
        let folded = fs::read_to_string(&folded).expect("stacks");
        assert!(
            folded.lines().any(|line| line.contains("com.acme.probed.Main.allocate:") && line.contains(";byte[] "))
        );
        // Nobody samples any more.
        probed.tell("allocate 1000");
        let started = probed.trace("start", &["samples", "--name", "s", "--every", "1g"]);
        assert!(started.success(), "{started}");
        probed.tell("allocate 1000000");
        let few = probed.ask("stop", "s");
        assert!(number(&trace(&few, "samples")["events"]) < 50, "{few:#}");
        probed.detach();
    }
}

#[test]
fn calls_have_the_classes_of_their_arguments() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        let methods = ["outer", "inner", "none"].map(|name| format!("com.acme.probed.Told.{name}"));
        let mut arguments = vec!["calls", "--name", "c", "--arguments"];
        methods.iter().for_each(|method| arguments.extend(["--method", method]));
        let started = probed.trace("start", &arguments);
        assert!(started.success(), "{started}");
        probed.tell("tell 3");
        let run = probed.ask("stop", "c");
        let trees = rows(trace(&run, "calls"), "trees");
        assert_eq!(trees.len(), 3, "Java {}: {run:#}", jdk.major);
        for tree in trees {
            let told = rows(tree, "calls").iter().map(|call| format!("{} {}", call["method"], call["arguments"]));
            let expected = [
                r#""outer" ["java.lang.String","int[]","null"]"#,
                r#""inner" ["java.util.ArrayList","java.lang.Long","java.lang.String","java.lang.String"]"#,
                r#""none" null"#,
            ];
            assert_eq!(told.collect::<Vec<_>>(), expected, "Java {}", jdk.major);
        }
        probed.detach();
    }
}

#[test]
fn objects_that_nobody_uses_are_told_from_those_that_are_used() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.tell("hold 30");
        probed.begin(&["uses"], &["--name", "u", "--max-cpu", "100"]);
        probed.tell("hold 60");
        // An object is judged by the second.
        thread::sleep(Duration::from_secs(4));
        probed.tell("use 1");
        let run = probed.ask("show", "u");
        let places = rows(trace(&run, "uses"), "places").iter().filter(|row| row["class"] == "com.acme.probed.Held");
        let found: BTreeMap<String, [u64; 3]> = places
            .map(|row| {
                let made_by = row["frames"][0].as_str().expect("a frame").split(':').next().expect("a method");
                let lately = |lately: bool| -> u64 {
                    let own = rows(row, "unused").iter().filter(|own| (number(&own["below_s"]) <= 2) == lately);
                    own.map(|own| number(&own["objects"])).sum()
                };
                (made_by.to_owned(), [number(&row["live"]), lately(true), lately(false)])
            })
            .collect();
        let expected = [("(there before the trace)", [30, 20, 10]), ("com.acme.probed.Held.hold", [60, 40, 20])];
        let expected = expected.map(|(name, numbers)| (name.to_owned(), numbers)).into_iter().collect();
        assert_eq!(found, expected, "Java {}: {run:#}", jdk.major);
        let unused = rows(trace(&run, "uses"), "unused");
        assert!(unused.len() == 20 && unused.iter().all(|row| number(&row["unused_s"]) >= 2), "{unused:#?}");
        let text = probed.trace("show", &["u"]);
        assert!(text.stdout.contains("Live objects by the time since their last use"), "{text}");
        assert_eq!(rows(trace(&probed.ask("stop", "u"), "uses"), "unused").len(), 20, "the end has it, too");
        probed.detach();
    }
}

/// Lines of `Lines.java` whose mark is this.
fn marked(mark: &str) -> BTreeSet<u64> {
    let source = fs::read_to_string(root().join("tests/java/probed/com/acme/probed/Lines.java")).expect("the source");
    let lines = source.lines().enumerate().filter(|(_, line)| line.ends_with(mark));
    lines.map(|(index, _)| index as u64 + 1).collect()
}

#[test]
fn coverage_has_the_lines_that_were_reached_and_other_tools_read_it() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.begin(&["coverage"], &["--name", "c"]);
        probed.tell("lines 1");
        let file = |name: &str| -> PathBuf { built.folder.path().join(format!("{}-{name}", jdk.major)) };
        let (lcov, xml) = (file("lcov.info"), file("jacoco.xml"));
        let path = |file: &PathBuf| file.to_str().expect("UTF-8").to_owned();
        let output = probed.trace("stop", &["c", "-o", "json", "--lcov", &path(&lcov), "--jacoco", &path(&xml)]);
        assert!(output.success(), "{output}");
        let run = output.json();
        let classes = rows(trace(&run, "coverage"), "classes");
        let lines = classes.iter().find(|class| class["class"] == "com.acme.probed.Lines").expect("the class");
        let (mut reached, mut missed) = (BTreeSet::new(), BTreeSet::new());
        for line in rows(lines, "methods").iter().flat_map(|method| rows(method, "lines")) {
            let set = if number(&line[2]) > 0 { &mut reached } else { &mut missed };
            set.insert(number(&line[0]));
        }
        assert_eq!((&reached, &missed), (&marked("// +"), &marked("// -")), "Java {}", jdk.major);
        let entered = rows(lines, "methods").iter().filter(|method| method["entered"] == true);
        let names: BTreeSet<&str> = entered.filter_map(|method| method["method"].as_str()).collect();
        let expected = ["<clinit>", "<init>", "all", "branch", "caught", "loop", "nothing", "thrown"];
        assert_eq!(names, BTreeSet::from(expected), "Java {}", jdk.major);

        let lcov = fs::read_to_string(&lcov).expect("a tracefile");
        let own = lcov.split("end_of_record\n").find(|record| record.contains("SF:com/acme/probed/Lines.java\n"));
        let own = own.expect("a record");
        let data = own.lines().filter_map(|line| line.strip_prefix("DA:")?.split_once(','));
        let hit: BTreeSet<u64> =
            data.filter(|(_, hits)| *hits == "1").map(|(line, _)| line.parse().expect("a line")).collect();
        assert_eq!(hit, reached);
        assert!(own.contains("FNH:8\n") && own.contains("FNF:9\n"), "{own}");
        let xml = fs::read_to_string(&xml).expect("a report");
        let source =
            xml.split("<sourcefile name=\"Lines.java\">").nth(1).expect("its source").split("</sourcefile>").next();
        let covered = source.expect("its lines").matches("ci=\"0\"").count();
        assert_eq!(covered, missed.len(), "{xml}");
        probed.detach();
    }
}

#[test]
fn slow_calls_are_kept_with_what_they_called() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.tell("slow 0");
        let method = ["--method", "com.acme.probed.Slow.*", "--name", "s", "--slower", "150ms"];
        let output = probed.trace("start", &[&["calls"], &method[..]].concat());
        assert!(output.success(), "{output}");
        for ms in [1, 200, 2, 300, 3] {
            probed.tell(&format!("slow {ms}"));
        }
        let run = probed.ask("stop", "s");
        let calls = trace(&run, "calls");
        assert_eq!((number(&calls["outermost"]), number(&calls["slow"])), (5, 2), "Java {}", jdk.major);
        let trees = rows(calls, "trees");
        let ms: Vec<u64> = trees.iter().map(|tree| number(&tree["total_ns"]) / 1_000_000).collect();
        assert!(ms.len() == 2 && ms[0] >= 300 && ms[1] >= 200 && ms[1] < ms[0], "{ms:?}");
        for tree in trees {
            assert_eq!(tree["thread"], "main");
            let called: Vec<(&str, u64)> = rows(tree, "calls")
                .iter()
                .map(|call| (call["method"].as_str().expect("a name"), number(&call["level"])))
                .collect();
            assert_eq!(called, [("outer", 0), ("inner", 1), ("quick", 1)], "{tree:#}");
            let inner = &rows(tree, "calls")[1];
            assert!(number(&inner["total_ns"]) <= number(&tree["total_ns"]), "{tree:#}");
        }
        probed.detach();
    }
}

#[test]
fn only_what_passes_the_filter_is_recorded() {
    let built = Built::new();
    for jdk in jdks() {
        // The program's own runtime, whose scopes it opens, serves the agent as well.
        let class_path = std::env::join_paths([&built.classes, &built.runtime]).expect("a class path");
        let mut probed = Probed::with_class_path(jdk, &class_path);
        probed.tell("serve 10");
        let what = ["methods", "objects", "calls"];
        for user in ["anna", "bob", "nobody"] {
            probed.begin(&what, &["--name", user, "--scope", &format!("user={user}"), "--max-cpu", "100"]);
        }
        probed.begin(&["methods"], &["--name", "all"]);
        probed.begin(&["methods"], &["--name", "threads", "--thread", "caller-[0-1]"]);
        probed.begin(&["methods"], &["--name", "thread", "--thread", "*ler-2"]);
        probed.tell("serve 50");
        probed.tell("call 20");
        for (user, times) in [("anna", 50), ("bob", 100), ("nobody", 0)] {
            let run = probed.ask("stop", user);
            assert_eq!(run["scopes"][0], format!("user={user}"));
            let requests = calls(&run, "com.acme.probed.Scoped").get("request").map_or(0, |&(calls, _)| calls);
            assert_eq!(requests, times, "{user}, Java {}", jdk.major);
            let items = rows(trace(&run, "objects"), "places").iter().map(|row| number(&row["made"])).sum::<u64>();
            assert_eq!(items, times, "{user}, Java {}", jdk.major);
            assert_eq!(number(&trace(&run, "calls")["outermost"]), times, "{user}, Java {}", jdk.major);
        }
        // By the Java API.
        probed.tell("trace 7");
        assert_eq!(calls(&probed.ask("stop", "all"), "com.acme.probed.Scoped")["request"], (307, 0));
        assert!(calls(&probed.ask("stop", "threads"), "com.acme.probed.Calls").is_empty(), "no such pattern");
        assert_eq!(calls(&probed.ask("stop", "thread"), "com.acme.probed.Calls")["once"], (20, 0));
        probed.detach();
    }
}

#[test]
fn what_takes_too_much_is_left_out_or_ended_and_a_run_ends_by_its_time() {
    let built = Built::new();
    let jdk = jdks().last().expect("a JVM");
    let mut probed = Probed::start(jdk, &built);
    probed.tell("call 100000");
    probed.begin(&["methods"], &["--name", "m", "--max-cpu", "1"]);
    probed.begin(&["calls"], &["--name", "c", "--max-cpu", "1"]);
    let pid = probed.program.pid.clone();
    let ended = |name: &str| {
        let runs = run(weighbridge().args(["trace", "list", &pid])).json();
        let own = rows(&runs, "runs").iter().find(|run| run["name"] == *name).expect("the run").clone();
        own["ended_by"].as_str().map(str::to_owned)
    };
    let begin = Instant::now();
    let mut done = false;
    while !done {
        assert!(begin.elapsed() < PATIENCE, "never too much");
        assert_eq!(probed.program.tell("call 100000"), "done");
        done = ended("c").is_some();
    }
    assert_eq!(ended("c").as_deref(), Some("cost"));
    assert_eq!(ended("m"), None, "methods can be left out");
    let run = probed.ask("stop", "m");
    assert!(number(&trace(&run, "methods")["thinned"]) > 0, "{run:#}");
    let left = rows(trace(&run, "methods"), "methods").iter().filter(|row| row["left_out"] == true);
    assert!(left.count() > 0, "{run:#}");
    let text = probed.trace("stop", &["c"]);
    assert!(text.stdout.contains("ended because it took too much of the CPU"), "{text}");

    probed.begin(&["methods"], &["--name", "short", "--for", "1s"]);
    probed.tell("call 10");
    while ended("short").is_none() {
        assert!(begin.elapsed() < PATIENCE, "its time is never over");
        thread::sleep(Duration::from_millis(50));
    }
    probed.tell("call 10");
    let run = probed.ask("stop", "short");
    assert_eq!((run["ended_by"].as_str(), number(&run["for_ms"])), (Some("time"), 1000));
    assert_eq!(calls(&run, "com.acme.probed.Calls")["once"], (40, 0), "what came later is not counted");
    probed.detach();
}

#[test]
fn a_trace_from_here_brings_the_agent_and_takes_it_away_again() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.tell("call 10");
        let output = run(weighbridge()
            .args(["trace", &probed.program.pid, "methods", "collections"])
            .args(CLASSES)
            .args(["--for", "1s", "-o", "json"]));
        assert!(output.success(), "Java {}: {output}", jdk.major);
        let both = output.json();
        assert!(both["flight"]["events"].is_array() && both["probes"]["traces"].is_array(), "{both:#}");
        let status = run(weighbridge().args(["ctl", &probed.program.pid, "status"]));
        assert!(status.code == Some(3) && status.stderr.contains("is not measured"), "{status}");
        probed.tell("call 10");
    }
}

#[test]
fn what_cannot_be_traced_is_told() {
    let built = Built::new();
    let probed = Probed::start(&jdks()[0], &built);
    let pid = probed.program.pid.as_str();
    for (arguments, code, words) in [
        (vec![pid, "methods"], 2, "wants --class or --method"),
        (vec![pid, "time", "--class", "a.B"], 2, "are for traces by probes"),
        (vec!["start", pid, "time", "--class", "a.B"], 2, "a run that stays is of traces by probes"),
        (vec!["list", pid], 3, "is not measured"),
        (vec![pid, "methods", "--method", "render", "--for", "1s"], 3, "write the class, a dot and the method's name"),
        (vec![pid, "methods", "--class", "a..B", "--for", "1s"], 3, "a..B"),
        (vec![pid, "coverage", "--class", "a.B", "--thread", "x", "--for", "1s"], 3, "coverage is of all threads"),
        (vec![pid, "objects", "--method", "a.B.c", "--for", "1s"], 3, "objects, uses and coverage are of classes"),
        (vec![pid, "scopes", "--for", "1s"], 2, "wants --entries"),
        (vec![pid, "scopes", "--entries", "servelet"], 2, "nor one of servlet, session, spring"),
        (vec![pid, "scopes", "--entries", "/dev/null/x.toml"], 2, "x.toml"),
        (vec![pid, "samples", "--scope", "a=b", "--for", "1s"], 3, "are of all threads and scopes"),
        (vec![pid, "samples", "--every", "10", "--for", "1s"], 3, "one sample in 1024 bytes is the most"),
        (vec![pid, "samples", "--every", "often"], 2, "is no size"),
        (vec![pid, "time", "--watch", "1s"], 2, "--watch is for traces by probes"),
        (vec![pid, "methods", "--class", "a.B", "--scope", "anna", "--for", "1s"], 3, "a scope is KEY=VALUE"),
        (vec![pid, "methods", "--class", "a.B", "--max-cpu", "0", "--for", "1s"], 3, "max_cpu is a percentage"),
        (vec![pid, "methods", "--class", "a.B", "--lcov", "/dev/null/x", "--for", "1s"], 2, "--lcov"),
    ] {
        let output = run(weighbridge().arg("trace").args(&arguments));
        assert_eq!(output.code, Some(code), "{arguments:?}: {output}");
        assert!(output.stderr.contains(words) && output.stdout.is_empty(), "{arguments:?}: {output}");
    }
}

#[test]
fn traces_of_the_configuration_and_of_options_go_into_the_recording() {
    let built = Built::new();
    let config = built.folder.path().join("weighbridge.toml");
    let text = "version = 1\n[[trace]]\nname = \"lines\"\nwhat = [\"coverage\"]\nclasses = [\"com.acme.probed.Lines\"]\n\
                [[trace]]\nname = \"short\"\nwhat = [\"methods\"]\nclasses = [\"com.acme.probed.**\"]\nfor = \"1s\"\n";
    fs::write(&config, text).expect("the configuration");
    for jdk in jdks() {
        let recording = built.folder.path().join(format!("{}.wbr", jdk.major));
        let options = format!(
            "-agentpath:{}=config={},trace=objects+methods:com.acme.probed.Item,destfile={}",
            native_agent().display(),
            config.display(),
            recording.display()
        );
        let mut command = java(jdk);
        command.arg(options).arg("-cp").arg(&built.classes).arg("com.acme.probed.Main");
        let mut program = Talking::start(&mut command);
        assert_eq!(program.line(), "ready");
        let list = || run(weighbridge().args(["trace", "list", &program.pid])).json();
        let begin = Instant::now();
        while rows(&list(), "runs").len() < 3 {
            assert!(begin.elapsed() < PATIENCE, "Java {}", jdk.major);
            thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(program.tell("make 100"), "done");
        assert_eq!(program.tell("lines 1"), "done");
        let ended = |run: &Value| run["name"] == "short" && run["ended_by"] == "time";
        while !rows(&run(weighbridge().args(["trace", "list", &program.pid])).json(), "runs").iter().any(ended) {
            assert!(begin.elapsed() < PATIENCE, "Java {}", jdk.major);
            thread::sleep(Duration::from_millis(50));
        }
        drop(program.child.stdin.take());
        assert!(program.child.wait().expect("an end").success());

        let show = |arguments: &[&str]| run(weighbridge().args(["trace", "show"]).arg(&recording).args(arguments));
        let lines = show(&["lines", "-o", "json"]).json();
        assert_eq!((lines["ended_by"].as_str(), lines["traces"].as_array().map(Vec::len)), (Some("exit"), Some(1)));
        let reached = rows(trace(&lines, "coverage"), "classes")[0]["methods"].as_array().expect("methods");
        let reached: BTreeSet<u64> = (reached.iter().flat_map(|method| rows(method, "lines")))
            .filter(|line| number(&line[2]) > 0)
            .map(|line| number(&line[0]))
            .collect();
        assert_eq!(reached, marked("// +"), "Java {}", jdk.major);
        let objects = show(&["trace-1", "-o", "json"]).json();
        let made: u64 = rows(trace(&objects, "objects"), "places").iter().map(|row| number(&row["made"])).sum();
        assert_eq!(made, 250, "Java {}", jdk.major);
        assert_eq!(calls(&objects, "com.acme.probed.Item")["copy"], (50, 0));
        let several = show(&[]);
        assert!(several.code == Some(3) && several.stderr.contains("several runs: short, lines, trace-1"), "{several}");
        let none = show(&["other"]);
        assert!(none.code == Some(3) && none.stderr.contains("no run of traces has the name other"), "{none}");
        let report = run(weighbridge().arg("report").arg(&recording));
        assert!(report.stdout.contains("The run lines has traced coverage"), "{report}");
    }
}

/// JFR of 25 counts calls by probes of its own (JEP 520).
#[test]
fn calls_are_as_many_as_flight_recorder_counts() {
    let built = Built::new();
    let jdk = jdks().iter().find(|jdk| jdk.major == 25).expect("Java 25");
    let recording = built.folder.path().join("timing.jfr");
    let mut command = java(jdk);
    command
        .args(attachable(jdk))
        .arg(format!("-XX:StartFlightRecording:method-timing=com.acme.probed.Calls,filename={}", recording.display()));
    command.arg("-cp").arg(&built.classes).arg("com.acme.probed.Main");
    let mut program = Talking::start(&mut command);
    // The recorder may say that it has started.
    while program.line() != "ready" {}
    let mut probed = Probed { program, jdk };
    // Before the class is loaded, so that both see all calls.
    probed.begin(&["methods"], &["--name", "m", "--max-cpu", "100"]);
    probed.tell("call 500");
    let found = calls(&probed.ask("stop", "m"), "com.acme.probed.Calls");
    drop(probed.program.child.stdin.take());
    assert!(probed.program.child.wait().expect("an end").success());
    let mut print = Command::new(jdk.tool("jfr"));
    let print = run(print.args(["print", "--json", "--events", "jdk.MethodTiming"]).arg(&recording));
    let events = print.json();
    // Each event has the sums so far.
    let mut timed = BTreeMap::new();
    for event in rows(&events["recording"], "events") {
        let values = &event["values"];
        let method = values["method"]["name"].as_str().expect("a name").to_owned();
        let most: &mut u64 = timed.entry(method).or_default();
        *most = number(&values["invocations"]).max(*most);
    }
    timed.retain(|_, calls| *calls > 0);
    for (method, (calls, thrown)) in found {
        match timed.remove(&method) {
            // A call that ends by a `throw` of its own was two calls in 25.0.2.
            Some(theirs) => assert!(theirs == calls || theirs == calls + thrown, "{method}: {theirs}, {calls}"),
            None => assert!(method.starts_with("lambda$"), "{method}"),
        }
    }
    assert!(timed.is_empty(), "{timed:?}");
}

#[test]
fn the_run_that_ended_first_makes_room() {
    let built = Built::new();
    let probed = Probed::start(jdks().last().expect("a JVM"), &built);
    probed.begin(&["methods"], &["--name", "short", "--for", "1s"]);
    for number in 1..16 {
        probed.begin(&["methods"], &["--name", &format!("n{number}")]);
    }
    let more = || probed.trace("start", &[&["methods"], &CLASSES[..], &["--name", "more"]].concat());
    let begin = Instant::now();
    while !more().success() {
        assert!(begin.elapsed() < PATIENCE, "the short one never ends");
        thread::sleep(Duration::from_millis(50));
    }
    let refused = probed.trace("start", &[&["methods"], &CLASSES[..], &["--name", "again"]].concat());
    assert!(refused.code == Some(3) && refused.stderr.contains("16 runs of traces"), "{refused}");
    probed.detach();
}
