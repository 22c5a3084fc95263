//! Real programs: what the JVM's own histogram says is alive is alive in the replay of the same run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use weighbridge_jvms::AttachTarget;
use weighbridge_replay::{Life, MomentOf, Replayed};

use weighbridge_tests::{Jdk, Talking, at_once, compile, jars, jdks, root};

use crate::traced::Traced;

const POINTS: usize = 6;

/// In the names of classes of the programs and their libraries: none of their objects may be missing.
const OF_PROGRAMS: [&str; 6] =
    ["org.h2.", "com.fasterxml.", "com.sun.tools.javac.", "RoundTrip", "Session", "TenFiles"];
/// Classes of which the trace itself has objects, which it does not tell. Strings and their bytes are also the constants that
/// the compilers of the JVM resolve in code that nobody has run.
const OURS: [&str; 9] = [
    "[B",
    "[I",
    "[J",
    "[Ljava.lang.Object;",
    "java.lang.Class",
    "java.lang.Integer",
    "java.lang.Object",
    "java.lang.String",
    "java.util.concurrent.ConcurrentHashMap$Node",
];

/// Padding in the heap, which no event can tell: as much as where the JVM happened to collect leaves.
const PADDING: [&str; 2] = ["[Ljdk.internal.vm.FillerElement;", "jdk.internal.vm.FillerObject"];

/// Instances by class name.
type Counts = BTreeMap<String, u64>;

/// What `jcmd PID GC.class_histogram` says: after a full collection.
fn histogram(pid: &str) -> Counts {
    let target = AttachTarget::find(pid.parse().expect("a number")).expect("the JVM");
    let text = target.command("jcmd", &["GC.class_histogram"], Duration::from_secs(60)).expect("a histogram");
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        words.next().filter(|number| number.ends_with(':'))?;
        let instances: u64 = words.next()?.parse().ok()?;
        Some((words.nth(1)?.to_owned(), instances))
    };
    let mut counts = Counts::new();
    for (class, instances) in text.lines().filter_map(row).filter(|(class, _)| !PADDING.contains(&class.as_str())) {
        *counts.entry(class).or_default() += instances;
    }
    counts
}

/// What lives after each of some events.
fn alive(traced: &Traced, replayed: &Replayed, events: &[u64]) -> Vec<Counts> {
    let mut counts = vec![BTreeMap::<u32, u64>::new(); events.len()];
    for life in replayed.births().expect("births") {
        let life: Life = life.expect("a life");
        for (event, counts) in events.iter().zip(&mut counts) {
            if life.lives_after(*event) {
                *counts.entry(life.class).or_default() += 1;
            }
        }
    }
    let classes = &traced.trace.names().classes;
    let named = |counts: BTreeMap<u32, u64>| {
        let mut named = Counts::new();
        for (class, instances) in counts {
            let name = classes.get(&class).map_or("?", |class| class.name.as_str());
            *named.entry(name.to_owned()).or_default() += instances;
        }
        named
    };
    counts.into_iter().map(named).collect()
}

fn check(jdk: &Jdk, program: &str, class_path: &[PathBuf], arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("run.wbe");
    let mut command = Traced::command(jdk, folder.path(), &file, class_path);
    let mut run = Talking::start(
        command.arg(program).arg(POINTS.to_string()).args(arguments).stderr(std::process::Stdio::null()),
    );
    let pid = run.line().strip_prefix("pid ").expect("a number").to_owned();
    let mut histograms = Vec::new();
    for _ in 0..POINTS {
        assert_eq!(run.line(), "point", "{program}");
        // While the trace's writer compresses, the JVM collects nothing, and the histogram would count garbage.
        std::thread::sleep(Duration::from_millis(150));
        histograms.push(histogram(&pid));
        use std::io::Write;
        run.child.stdin.as_mut().expect("its input").write_all(b".").expect("a program that reads");
    }
    assert!(run.child.wait().expect("its end").success(), "{program}");
    let traced = Traced::open(&file);
    let mark = traced.method("Points", "mark");
    let replayed = traced.replay(&[mark]);
    let moments: Vec<u64> =
        replayed.moments.iter().filter(|moment| matches!(moment.what, MomentOf::Method(_))).map(|m| m.event).collect();
    assert_eq!(moments.len(), POINTS);
    // Each histogram collects, and the next point is later.
    let collections = replayed.marks.iter().filter(|mark| mark.what == MomentOf::Mark("collection".to_owned()));
    let collections: Vec<u64> = collections.map(|mark| mark.event).collect();
    for (at, point) in moments.windows(2).enumerate() {
        let seen = collections.iter().any(|event| (point[0]..point[1]).contains(event));
        assert!(seen, "{program}, Java {}: no collection after point {at}", jdk.version);
    }
    let mut first = None;
    for (at, (real, replay)) in histograms.iter().zip(alive(&traced, &replayed, &moments)).enumerate() {
        let point_of_run = format!("{program}, Java {}, point {at}", jdk.version);
        let count = |class: &str| replay.get(class).copied().unwrap_or(0);
        let missing: BTreeMap<&str, u64> = real
            .iter()
            .filter(|(class, _)| !class.contains("weighbridge") && !class.contains("Weighbridge$"))
            .map(|(class, instances)| (class.as_str(), instances.saturating_sub(count(class))))
            .filter(|(_, missing)| *missing > 0)
            .collect();
        let of_program = missing.iter().filter(|(class, _)| OF_PROGRAMS.iter().any(|prefix| class.contains(prefix)));
        assert_eq!(of_program.collect::<Vec<_>>(), [], "{point_of_run}");
        let live: u64 = real.values().sum();
        let [ours, others] = [true, false].map(|ours| -> u64 {
            missing.iter().filter(|(class, _)| OURS.contains(class) == ours).map(|(_, missing)| missing).sum()
        });
        assert!(others * 100 < live, "{point_of_run}: {others} of {live} objects are missing: {missing:?}");
        let before = *first.get_or_insert(ours);
        assert!(
            ours.abs_diff(before) * 40 < live,
            "{point_of_run}: {ours} objects are missing, at first {before}: {missing:?}"
        );
        let more = |(class, n): (&String, &u64)| n.saturating_sub(real.get(class).copied().unwrap_or(0));
        let more: u64 = replay.iter().map(more).sum();
        assert!(more * 100 < live, "{point_of_run}: {more} more than the {live} of the JVM");
        println!(
            "{point_of_run}: {live} objects live, {more} more in the replay, {others} less, {ours} of the trace's own classes"
        );
    }
}

#[test]
fn what_the_jvm_says_is_alive_is_alive_in_the_replay() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = jars(&["h2", "jackson-core", "jackson-databind", "jackson-annotations"]);
    let classes = compile("every-event", &libraries, folder.path());
    let class_path: Vec<PathBuf> = libraries.into_iter().chain([classes]).collect();
    // The one that builds is between.
    at_once(jdks(), |jdk| {
        check(jdk, "Session", &class_path, &[]);
        check(jdk, "RoundTrip", &class_path, &[]);
    });
    let sources = root().join("runtime-java/runtime/src/main/java");
    let ten = sources.join("io/weighbridge/runtime/jvm");
    let arguments = [ten.to_str().expect("UTF-8"), sources.to_str().expect("UTF-8")];
    check(&weighbridge_jdk::to_build_with(), "TenFiles", &class_path, &arguments);
}
