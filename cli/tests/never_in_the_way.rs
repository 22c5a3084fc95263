//! Programs that do what a measurement must survive: measured ones behave like the originals, and their counts hold,
//! whether their jars were rewritten or the native agent changes their classes when they are loaded, or later.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use weighbridge_jdk::pack_jar;
use weighbridge_tests::{
    Jdk, Output, Weighbridge, at_once, attach_in_the_middle, attachable, compile, in_the_middle, jar, java, jdks,
    native_agent, run,
};

const MAIN: &str = "com.acme.hostile.Main";

/// How the programs are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Their jar was rewritten, and the runtime is an agent in Java.
    Jar,
    /// The native agent is there from the start.
    Native,
    /// It attaches before the program's main method runs.
    Attached,
}

/// Every class of the programs, rewritten once for all tests.
struct Programs {
    folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    way: Way,
}

impl Programs {
    /// Runs a test with an agent from the start, both ways on each Java.
    fn each(test: impl Fn(&Programs, &Jdk) + Sync) {
        at_once(Programs::from_the_start(), |(programs, jdk)| test(programs, jdk));
    }

    /// The same, and by attaching.
    fn each_and_attached(test: impl Fn(&Programs, &Jdk) + Sync) {
        let attached = jdks().iter().map(|jdk| (&Programs::all()[2], jdk));
        at_once(Programs::from_the_start().chain(attached), |(programs, jdk)| test(programs, jdk));
    }

    fn from_the_start() -> impl Iterator<Item = (&'static Programs, &'static Jdk)> {
        Programs::all()[..2].iter().flat_map(|programs| jdks().iter().map(move |jdk| (programs, jdk)))
    }

    fn all() -> &'static [Programs; 3] {
        static PROGRAMS: OnceLock<[Programs; 3]> = OnceLock::new();
        PROGRAMS.get_or_init(|| [Way::Jar, Way::Native, Way::Attached].map(Programs::new))
    }

    fn new(way: Way) -> Programs {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        let original = folder.path().join("hostile.jar");
        pack_jar(&compile("hostile", &[], folder.path()), &[], &original);
        let config = folder.path().join("weighbridge.toml");
        fs::write(&config, "version = 1\n[instrument]\ninclude = [\"com.acme.hostile.**\"]\n")
            .expect("the configuration");
        let summary = weighbridge.instrument(&[&original], &config, &folder.path().join("weighed"));
        assert!(summary["total"]["classes_rewritten"].as_u64() >= Some(12), "{summary:#}");
        Programs { folder, weighbridge, way }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The jar to be measured.
    fn weighed(&self) -> PathBuf {
        match self.way {
            Way::Jar => self.path("weighed/hostile.jar"),
            Way::Native | Way::Attached => self.original(),
        }
    }

    fn original(&self) -> PathBuf {
        self.path("hostile.jar")
    }

    /// A JVM with the agent, which records under a name.
    fn java(&self, jdk: &Jdk, name: &str) -> (Command, PathBuf) {
        let recording = self.path(&format!("{name}-{}.wbr", jdk.major));
        let mut command = java(jdk);
        let agent = match self.way {
            Way::Jar => format!("-javaagent:{}=", self.path("weighed/weighbridge-runtime.jar").display()),
            Way::Native | Way::Attached => {
                let config = self.path("weighbridge.toml");
                format!("-agentpath:{}=config={},", native_agent().display(), config.display())
            }
        };
        command.arg(format!("{agent}destfile={}", recording.display()));
        (command, recording)
    }

    /// Runs a program as it was and rewritten; everything but the counts must be equal.
    fn compare(&self, jdk: &Jdk, mode: &str, options: &[&str]) -> Figures {
        let (middle, folder) = in_the_middle();
        let launched = |command: &mut Command, jar: PathBuf| {
            let class_path = std::env::join_paths([&jar, folder]).expect("a class path");
            command.args(options).args(attachable(jdk)).arg("-cp").arg(class_path);
            command.args([middle, "once", MAIN, mode]);
        };
        let (mut plain, (mut command, recording)) = (java(jdk), self.java(jdk, mode));
        launched(&mut plain, self.original());
        let original = run(&mut plain);
        let weighed = if self.way == Way::Attached {
            let config = self.path("weighbridge.toml");
            let arguments = ["--config", config.to_str().expect("UTF-8")];
            command = java(jdk);
            launched(&mut command, self.original());
            let (before, mut output) = attach_in_the_middle(&self.weighbridge, &mut command, &recording, &arguments);
            output.stdout = format!("{before}middle\n{}", output.stdout);
            output
        } else {
            launched(&mut command, self.weighed());
            run(&mut command)
        };
        let context = format!("Java {} {mode} {:?}", jdk.version, self.way);
        assert_ne!(weighed.code, Some(99), "{context}: it hung");
        assert_eq!(original.code, weighed.code, "{context}: {weighed}");
        assert_eq!(said(&original), said(&weighed), "{context}");
        assert_eq!(original.stderr, weighed.stderr, "{context}");
        Figures { made: made(&weighed), report: self.weighbridge.report(&recording), context }
    }

    /// Runs a command with the rewritten program that says how many things it made; gives what was counted.
    fn check(&self, command: &mut Command, recording: &Path, context: &str) -> Output {
        let output = run(command);
        assert!(output.success() && output.stderr.is_empty(), "{context}: {output}");
        let report = self.weighbridge.report(recording);
        Figures { made: made(&output), report, context: context.to_owned() }.exact();
        output
    }
}

/// Standard output without the counts, which a deeper stack or a fuller heap may change, in order of the alphabet:
/// threads print when they like.
fn said(output: &Output) -> Vec<String> {
    let mut lines: Vec<String> =
        output.stdout.lines().filter(|line| !line.starts_with("made ")).map(str::to_owned).collect();
    lines.sort();
    lines
}

fn made(output: &Output) -> Option<u64> {
    output.stdout.lines().find_map(|line| line.strip_prefix("made "))?.parse().ok()
}

struct Figures {
    made: Option<u64>,
    report: Value,
    context: String,
}

impl Figures {
    /// Things that the runtime counted, in the last snapshot.
    fn counted(&self) -> u64 {
        let classes = self.report["classes"].as_array().unwrap_or_else(|| panic!("{}", self.context));
        let thing = classes.iter().find(|row| row["class"] == "com.acme.hostile.Thing");
        thing.and_then(|row| row["allocated"].as_u64()).unwrap_or_else(|| panic!("{}: {:#}", self.context, self.report))
    }

    fn exact(&self) {
        assert_eq!(Some(self.counted()), self.made, "{}", self.context);
    }
}

#[test]
fn initialisers_that_construct_on_many_threads_at_once_neither_hang_nor_lose_a_count() {
    Programs::each_and_attached(|programs, jdk| {
        for _ in 0..3 {
            programs.compare(jdk, "initializers", &[]).exact();
            let recording = programs.path(&format!("initializers-{}.wbr", jdk.major));
            fs::remove_file(recording).expect("the recording");
        }
    });
}

#[test]
fn rewritten_classes_that_construct_when_they_are_hashed_printed_or_asked_for_classes_do_not_recurse() {
    Programs::each_and_attached(|programs, jdk| {
        let figures = programs.compare(jdk, "recursion", &[]);
        // The loader constructs when the walk asks it for a class, after the program has said its number.
        assert!(Some(figures.counted()) >= figures.made, "{}", figures.context);
    });
}

#[test]
fn a_stack_that_overflows_in_constructors_costs_at_most_one_count_each_time() {
    Programs::each_and_attached(|programs, jdk| {
        // With both compilers: larger frames of the first leave a probe without room where the program has some.
        let figures = programs.compare(jdk, "overflow", &["-Xss512k", "-XX:TieredStopAtLevel=4"]);
        let (counted, made) = (figures.counted(), figures.made.expect("a number"));
        assert!(counted.abs_diff(made) <= 50, "{}: counted {counted}, made {made}", figures.context);
    });
}

#[test]
fn a_heap_that_runs_out_is_the_programs_own_affair_and_its_counts_hold() {
    Programs::each_and_attached(|programs, jdk| {
        programs.compare(jdk, "memory", &["-Xmx48m", "-XX:+UseSerialGC"]).exact();
    });
}

#[test]
fn an_exit_within_a_shutdown_hook_does_not_hold_up_the_last_measurement() {
    Programs::each_and_attached(|programs, jdk| {
        let figures = programs.compare(jdk, "exit-in-hook", &[]);
        assert!(figures.counted() >= 1000, "{}", figures.context);
    });
}

#[test]
fn an_exit_with_a_class_loaders_lock_held_still_ends_the_jvm() {
    Programs::each_and_attached(|programs, jdk| {
        // The walk asks the locked loader for the class of a field, and waits; what was counted before it is not lost.
        let figures = programs.compare(jdk, "exit-with-lock", &[]);
        assert_eq!(figures.counted(), 1000, "{}", figures.context);
        let stopped = figures.report["jvms"][0]["walk_stopped"].as_str().unwrap_or_default().to_owned();
        assert!(stopped.contains("lock"), "{}: {stopped}", figures.context);
        assert_eq!(figures.report["jvms"][0]["ended"], true, "{}", figures.context);
    });
}

#[test]
fn uncaught_exceptions_and_interrupts_stay_the_programs_own() {
    Programs::each_and_attached(|programs, jdk| {
        programs.compare(jdk, "uncaught", &[]).exact();
        programs.compare(jdk, "interrupted", &[]).exact();
    });
}

#[test]
fn streams_of_the_programs_own_are_never_written_to() {
    Programs::each_and_attached(|programs, jdk| {
        let figures = programs.compare(jdk, "streams", &[]);
        figures.exact();
    });
}

#[test]
fn a_warning_goes_past_the_programs_own_error_stream() {
    Programs::each(|programs, jdk| {
        let (mut command, _) = programs.java(jdk, "warning");
        command.arg("-Dweighbridge.references=0").arg("-cp").arg(programs.weighed());
        let output = run(command.args([MAIN, "streams"]));
        assert_eq!(made(&output), Some(1000), "{output}");
        assert_eq!(output.stderr.lines().count(), 1, "{output}");
        assert!(output.stderr.starts_with("weighbridge: option references=0 is ignored"), "{output}");
    });
}

#[test]
fn an_image_of_nothing_but_java_base_is_measured_at_intervals_and_at_exit() {
    Programs::each(|programs, jdk| {
        let recording = programs.path(&format!("base-{}.wbr", jdk.major));
        let (mut command, path) = match programs.way {
            Way::Jar => (java(jdk), vec![programs.weighed(), programs.path("weighed/weighbridge-runtime.jar")]),
            Way::Native | Way::Attached => (programs.java(jdk, "base").0, vec![programs.weighed()]),
        };
        command.args(["--limit-modules", "java.base", "-Dweighbridge.interval=20ms"]);
        command.arg(format!("-Dweighbridge.destfile={}", recording.display()));
        command.arg("-cp").arg(std::env::join_paths(path).expect("paths")).args([MAIN, "initializers"]);
        programs.check(&mut command, &recording, &format!("Java {} without other modules", jdk.version));
    });
}

#[test]
fn a_security_manager_that_allows_the_program_nothing_changes_nothing() {
    // JEP 486 removed the security manager in 24.
    let able: Vec<&Jdk> = jdks().iter().filter(|jdk| jdk.major < 18).collect();
    assert!(!able.is_empty(), "no Java older than 18 found");
    for programs in Programs::all() {
        let policy = programs.path("strict.policy");
        let runtime = programs.path("weighed/weighbridge-runtime.jar");
        let granted = format!("grant codeBase \"file:{}\"", runtime.display());
        fs::write(&policy, format!("{granted} {{ permission java.security.AllPermission; }};\n")).expect("the policy");
        let policy = format!("-Djava.security.policy=={}", policy.display());
        for jdk in &able {
            programs.compare(jdk, "plain", &["-Djava.security.manager", &policy]).exact();
        }
    }
}

#[test]
fn other_agents_may_change_the_same_classes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let retransform = folder.path().join("retransform.jar");
    let classes = compile("retransform", &[], folder.path());
    let attributes = [("Premain-Class", "com.acme.agent.Retransform"), ("Can-Retransform-Classes", "true")];
    pack_jar(&classes, &attributes, &retransform);
    let jacoco = jar("org.jacoco.agent");
    Programs::each(|programs, jdk| {
        for (name, agent) in [
            (
                "jacoco",
                format!(
                    "-javaagent:{}=destfile={}",
                    jacoco.display(),
                    programs.path(&format!("jacoco-{}.exec", jdk.major)).display()
                ),
            ),
            ("retransform", format!("-javaagent:{}", retransform.display())),
        ] {
            for first in [true, false] {
                let name = format!("{name}-{first}");
                let (mut command, recording) = programs.java(jdk, &name);
                if first {
                    let (ours, _) = programs.java(jdk, &name);
                    command = java(jdk);
                    command.arg(&agent).args(ours.get_args().last());
                } else {
                    command.arg(&agent);
                }
                command.arg("-cp").arg(programs.weighed()).args([MAIN, "plain"]);
                let output = programs.check(&mut command, &recording, &format!("Java {} {name}", jdk.version));
                assert!(!output.stdout.contains("failed"), "{output}");
            }
        }
    });
}

#[test]
fn a_program_in_an_isolated_loader_is_counted_through_the_bridge_and_runs_without_a_runtime() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let launcher = compile("isolated", &[], folder.path());
    Programs::each(|programs, jdk| {
        for parent in ["null", "platform"] {
            let arguments =
                ["com.acme.isolated.Launch".into(), parent.into(), programs.weighed(), MAIN.into(), "plain".into()];
            let (mut command, recording) = programs.java(jdk, &format!("isolated-{parent}"));
            command.arg("-cp").arg(&launcher).args(&arguments);
            let context = format!("Java {} parent {parent}", jdk.version);
            let with = programs.check(&mut command, &recording, &context);
            let without = run(java(jdk).arg("-cp").arg(&launcher).args(&arguments));
            assert!(without.success() && without.stderr.is_empty(), "{context}: {without}");
            assert_eq!(with.stdout, without.stdout, "{context}");
        }
    });
}

#[test]
fn a_program_in_a_named_module_is_counted_and_runs_without_a_runtime() {
    Programs::each(|programs, jdk| {
        let arguments =
            ["-p".into(), programs.weighed(), "-m".into(), format!("com.acme.hostile/{MAIN}").into(), "plain".into()];
        let (mut command, recording) = programs.java(jdk, "module");
        let with = programs.check(command.args(&arguments), &recording, &format!("Java {} module", jdk.version));
        let without = run(java(jdk).args(&arguments));
        assert!(without.success() && without.stderr.is_empty(), "{without}");
        assert_eq!(with.stdout, without.stdout);
    });
}
