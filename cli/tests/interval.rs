//! What measurements at an interval claim, while a program makes garbage that no collection has met: beside what the program
//! itself knows to keep.

use std::fs;
use std::sync::Mutex;

use weighbridge_recording::{ClassRow, Line, Reader};
use weighbridge_tests::{Jdk, at_once, compile, every_java, java, more_rounds, native_agent};

const NUMBER: usize = 5;
const CLASSES: [&str; NUMBER] = ["Kept", "Many", "Dropped", "Churned", "Seldom"];
/// Those of which nothing goes while a phase lasts.
const STEADY: [bool; NUMBER] = [true, true, true, false, true];
/// New ones that may be there for a moment: before it replaces an old one, or before it is dropped.
const NEW: [u64; NUMBER] = [0, 0, 0, 1, 2];
const COLLECTORS: [&str; 5] = ["Serial", "Parallel", "G1", "Shenandoah", "Z"];
/// The program reads the clock a little before or after what it tells, and so does the runtime.
const MARGIN_MS: u64 = 30;

/// The program kept so many of each class from one moment to the other.
struct Phase {
    from: u64,
    to: u64,
    kept: [u64; NUMBER],
}

/// What was compared.
#[derive(Debug, Default, Clone, Copy)]
struct Compared {
    exact: u32,
    estimated: u32,
    /// Of these, those whose 95 % interval has the truth.
    held: u32,
    /// Bounds `not collected`.
    bounds: u32,
    bounds_held: u32,
}

impl Phase {
    fn parse(line: &str) -> Option<Phase> {
        let numbers: Option<Vec<u64>> = line.strip_prefix("phase ")?.split(' ').map(|word| word.parse().ok()).collect();
        let [from, to, kept @ ..] = &numbers?[..] else { return None };
        Some(Phase { from: *from, to: *to, kept: kept.try_into().ok()? })
    }

    fn of(phases: &[Phase], time: u64) -> Option<&Phase> {
        phases.iter().find(|phase| phase.from + MARGIN_MS <= time && time + MARGIN_MS <= phase.to)
    }
}

impl Compared {
    fn add(&mut self, other: Compared) {
        self.exact += other.exact;
        self.estimated += other.estimated;
        self.held += other.held;
        self.bounds += other.bounds;
        self.bounds_held += other.bounds_held;
    }

    fn sum(all: [Compared; NUMBER]) -> Compared {
        let mut sum = Compared::default();
        all.into_iter().for_each(|one| sum.add(one));
        sum
    }

    /// `live` is of the marking; `now`: the phase in which it was counted.
    fn live(&mut self, row: &ClassRow, class: usize, marked: &Phase, now: &Phase, context: &str) {
        let Some(live) = row.live else { return };
        let truth = marked.kept[class];
        let is_whole = STEADY[class] && std::ptr::eq(marked, now);
        if row.live_error == Some(0.0) {
            self.exact += 1;
            assert!(live <= truth + NEW[class] && (live >= truth || !is_whole), "{live} live, {truth} are: {context}");
        } else {
            let error = 1.96 * row.live_error.unwrap_or(0.0);
            self.estimated += 1;
            let is_low = is_whole && (live as f64) + error < truth as f64;
            self.held += u32::from(!is_low && live as f64 - error <= truth as f64);
        }
    }

    fn bound(&mut self, row: &ClassRow, class: usize, now: &Phase, context: &str) {
        let Some(most) = row.not_collected else { return };
        let error = 1.96 * row.not_collected_error.unwrap_or(0.0);
        let held = most as f64 + error >= now.kept[class] as f64;
        self.bounds += 1;
        self.bounds_held += u32::from(held);
        assert!(
            held || row.not_collected_error != Some(0.0),
            "{most} not collected, {} live: {context}",
            now.kept[class]
        );
    }
}

/// The phase in which all of a snapshot was made: after the one before it was written, and before it was written itself.
fn made_in(phases: &[Phase], before: u64, written: u64) -> Option<&Phase> {
    let (first, now) = (Phase::of(phases, before)?, Phase::of(phases, written)?);
    std::ptr::eq(first, now).then_some(now)
}

#[derive(Clone, Copy)]
struct Run<'a> {
    jdk: &'a Jdk,
    collector: &'a str,
    /// Threads that only compute.
    busy: u32,
    /// Heap dumps are read where the budgets allow it.
    reads_dumps: bool,
    /// Megabytes of the heap, of which a third is kept from the start if there are so many.
    heap: u32,
}

/// By class.
fn measured(run: Run, classes: &std::path::Path, folder: &std::path::Path) -> [Compared; NUMBER] {
    let Run { jdk, collector, busy, reads_dumps, heap } = run;
    let name = format!("{}-{collector}-{busy}-{heap}m{}", jdk.major, if reads_dumps { "-dumps" } else { "" });
    let old = if heap > 1000 { heap / 3 } else { 0 };
    let recording = folder.join(format!("{name}.wbr"));
    let mut command = java(jdk);
    command.args(["-XX:+UnlockExperimentalVMOptions", &format!("-XX:+Use{collector}GC"), &format!("-Xmx{heap}m")]).arg(
        format!(
            "-agentpath:{}=config={},destfile={},interval=100ms,cpu_percent=100{}",
            native_agent().display(),
            folder.join("weighbridge.toml").display(),
            recording.display(),
            if reads_dumps { concat!(",pause=2s,reader=", env!("CARGO_BIN_EXE_weighbridge")) } else { "" }
        ),
    );
    // What is measured has to fit into a phase, and a dump of a large heap is not written in a second.
    let (phases, milliseconds) = match (more_rounds(), old) {
        (true, 0) => ("20", "1200"),
        (true, _) => ("8", "5000"),
        (false, _) => ("5", "1200"),
    };
    let arguments = ["com.acme.interval.Main", phases, milliseconds, &busy.to_string(), &old.to_string()];
    let output = weighbridge_tests::run(command.arg("-cp").arg(classes).args(arguments));
    assert!(output.success(), "{name}: {output}");
    let phases: Vec<Phase> = output.stdout.lines().filter_map(Phase::parse).collect();
    let mut ids = [None; NUMBER];
    let mut compared = [Compared::default(); NUMBER];
    let (mut before, mut last) = (0, None);
    for line in Reader::open(&recording).expect("a recording") {
        match line.expect("a line") {
            Line::Class(class) => {
                let index = CLASSES.iter().position(|name| class.class.ends_with(&format!("${name}")));
                ids[index.expect("a class of the program")] = Some(class.id);
            }
            Line::Snapshot(snapshot) if snapshot.reason.as_deref() == Some("interval") => {
                let written = snapshot.uptime_ms.expect("its time");
                let now = made_in(&phases, before, written);
                before = written;
                let until = snapshot.marking.and_then(|marking| marking.until_ms.or(marking.uptime_ms));
                let marked = snapshot.marking.and_then(|marking| marking.uptime_ms);
                assert!(last <= marked, "{name}: the marking of {last:?} was told before that of {marked:?}");
                last = marked;
                let Some(now) = now else { continue };
                let marked = marked.and_then(|time| made_in(&phases, time, until?));
                for (class, id) in ids.iter().enumerate() {
                    let Some(row) = snapshot.classes.iter().find(|row| Some(row.id) == *id) else { continue };
                    let context = format!("{name}: {}: {row:?} {:?}", CLASSES[class], snapshot.marking);
                    compared[class].bound(row, class, now, &context);
                    if let Some(marked) = marked {
                        compared[class].live(row, class, marked, now, &context);
                    }
                }
            }
            _ => {}
        }
    }
    eprintln!("{name}: {:?}", Compared::sum(compared));
    // With a large heap on a busy machine a measurement may be longer than a phase.
    assert!(Compared::sum(compared).bounds > 0 || old > 0, "{name}: nothing was compared");
    compared
}

#[test]
fn exact_counts_are_exact_intervals_hold_and_bounds_are_above_what_lives_without_a_collection_on_request() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("interval", &[], folder.path());
    let config =
        "version = 1\n[instrument]\ninclude = [\"com.acme.interval.Main$*\"]\n[measure]\nat = [\"every 100ms\"]\n";
    fs::write(folder.path().join("weighbridge.toml"), config).expect("the configuration");
    // Each Java with one collector or two, and all of them where somebody asks for more rounds.
    let mut runs = Vec::new();
    for (index, jdk) in every_java().iter().enumerate() {
        for (number, collector) in COLLECTORS.into_iter().enumerate() {
            let is_new = ["Shenandoah", "Z"].contains(&collector) && jdk.major < 17;
            let busy = u32::from(number % 2 == 1) * 2;
            let small = Run { jdk, collector, busy, reads_dumps: number % 2 == 0, heap: 128 };
            if !is_new && (more_rounds() || (number + index) % 3 == 0) {
                runs.push(small);
            }
            if !is_new && more_rounds() {
                let other = Run { busy: 2 - busy, reads_dumps: !small.reads_dumps, ..small };
                runs.extend([other, Run { heap: 4096, ..small }, Run { heap: 4096, ..other }]);
            }
        }
    }
    let by_class = Mutex::new([Compared::default(); NUMBER]);
    at_once(runs, |run| {
        let compared = measured(run, &classes, folder.path());
        let mut by_class = by_class.lock().expect("no panic");
        by_class.iter_mut().zip(compared).for_each(|(all, one)| all.add(one));
    });
    let by_class = by_class.into_inner().expect("no panic");
    for (name, compared) in CLASSES.iter().zip(&by_class) {
        eprintln!("{name}: {compared:?}");
    }
    let sum = Compared::sum(by_class);
    eprintln!("all: {sum:?}");
    let least = if more_rounds() { 100 } else { 1 };
    assert!(sum.exact > least && sum.estimated > least && sum.bounds > 50, "{sum:?}");
    // Of one JVM the snapshots share their sample, so the share varies more than that of as many trials.
    assert!(sum.held * 100 >= sum.estimated * 90, "{sum:?}");
    assert!(sum.bounds_held * 100 >= sum.bounds * 95, "{sum:?}");
}
