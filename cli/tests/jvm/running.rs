//! `run` and `demo` on a real JVM.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Answer, CONFIG, Folder};
use insta::assert_snapshot;
use serde_json::{Value, json};
use weighbridge_jdk::{pack_jar, to_build_with};

/// By the native agent, and with rewritten jars.
const WAYS: [&[&str]; 2] = [&[], &["--rewrite"]];

/// A program in two jars: the `Class-Path` of `app/main.jar` names `lib/lib.jar` beside it.
struct Program {
    folder: Folder,
    java: PathBuf,
}

impl Program {
    fn new() -> Self {
        let folder = Folder::new();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jvm/java");
        let jdk = to_build_with();
        for part in ["lib", "main"] {
            let classes = folder.path(&format!("classes/{part}"));
            let held = folder.path("classes/lib");
            let class_path = ["-cp", held.to_str().unwrap()];
            jdk.compile(&[&sources.join(part)], &classes, if part == "main" { &class_path } else { &[] });
        }
        for directory in ["app", "app/lib"] {
            fs::create_dir_all(folder.path(directory)).unwrap();
        }
        let manifest = [("Main-Class", "com.acme.cli.Main"), ("Class-Path", "lib/lib.jar missing.jar")];
        pack_jar(&folder.path("classes/main"), &manifest, &folder.path("app/main.jar"));
        pack_jar(&folder.path("classes/lib"), &[], &folder.path("app/lib/lib.jar"));
        folder.write("wb.toml", CONFIG);
        folder.write("lib-only.toml", "version = 1\n[instrument]\ninclude = [\"com.acme.cli.lib.**\"]\n");
        Program { folder, java: jdk.java() }
    }

    fn command(&self, way: &[&str], config: &str, java_arguments: &[&str]) -> Command {
        let mut command = self.folder.command();
        command.arg("run").args(way).args(["--config", config, "-o", "json", "-f", "report.json", "--force", "--"]);
        command.arg(&self.java).args(java_arguments);
        command
    }

    /// Runs with the input `hello`.
    fn run(&self, way: &[&str], config: &str, java_arguments: &[&str]) -> (Answer, Value) {
        self.answer(&mut self.command(way, config, java_arguments))
    }

    fn answer(&self, command: &mut Command) -> (Answer, Value) {
        let _ = fs::remove_file(self.folder.path("report.json"));
        self.folder.write("input", "hello\n");
        let answer = self.folder.answer(command.stdin(fs::File::open(self.folder.path("input")).unwrap()));
        (answer, self.report())
    }

    fn report(&self) -> Value {
        let report = fs::read(self.folder.path("report.json")).unwrap_or_default();
        serde_json::from_slice(&report).unwrap_or(Value::Null)
    }
}

/// Checks the program's own output and exit code, and seven held objects in the report.
fn assert_weighed(answer: &Answer, report: &Value, code: i32, arguments: &str) {
    assert_eq!(answer.code, Some(code), "{answer}");
    assert_eq!(answer.stdout, format!("out hello {arguments}\n"), "{answer}");
    assert_eq!(answer.stderr, "err\n", "{answer}");
    let classes = report["classes"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let held = classes.iter().find(|row| row["class"] == "com.acme.cli.lib.Held");
    let held = held.unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!((&held["allocated"], &held["live"]), (&7.into(), &7.into()), "{report:#}");
}

#[test]
fn an_executable_jar_keeps_its_class_path_its_streams_and_its_exit_code() {
    let program = Program::new();
    for way in WAYS {
        let (answer, report) = program.run(way, "wb.toml", &["-jar", "app/main.jar", "42", "x y"]);
        assert_weighed(&answer, &report, 42, "42|x y");
    }
}

#[test]
fn a_jar_that_a_class_path_leads_to_is_measured_even_if_the_first_jar_is_not() {
    let program = Program::new();
    // The JVM resolves a symbolic link before it looks for the Class-Path.
    #[cfg(unix)]
    std::os::unix::fs::symlink("app/main.jar", program.folder.path("link.jar")).unwrap();
    for way in WAYS {
        let (answer, report) = program.run(way, "lib-only.toml", &["-jar", "app/main.jar", "0"]);
        assert_weighed(&answer, &report, 0, "0");
        if cfg!(unix) {
            let (answer, report) = program.run(way, "lib-only.toml", &["-cp", "link.jar", "com.acme.cli.Main", "1"]);
            assert_weighed(&answer, &report, 1, "1");
        }
    }
}

#[test]
fn wildcards_directories_and_argument_files_are_followed() {
    let program = Program::new();
    program.folder.write("options", "-Xmx64m # small\n-cp \"classes/main:app/lib/*\"");
    let main = "com.acme.cli.Main";
    for way in WAYS {
        let (answer, report) = program.run(way, "wb.toml", &["-cp", "app/*:app/lib/*", main, "3"]);
        assert_weighed(&answer, &report, 3, "3");
        let (answer, report) = program.run(way, "wb.toml", &["--class-path=classes/main:classes/lib", main, "4"]);
        assert_weighed(&answer, &report, 4, "4");
        let (answer, report) = program.run(way, "wb.toml", &["@options", main, "5", "@options"]);
        assert_weighed(&answer, &report, 5, "5|@options");
    }
}

#[test]
fn the_class_path_of_the_environment_counts_when_the_command_names_none() {
    let program = Program::new();
    for way in WAYS {
        let mut command = program.command(way, "wb.toml", &["com.acme.cli.Main", "0"]);
        let (answer, report) = program.answer(command.env("CLASSPATH", "classes/main:classes/lib"));
        assert_weighed(&answer, &report, 0, "0");
    }
}

#[test]
fn the_second_run_uses_the_first_ones_rewritten_jars_and_a_changed_jar_does_not() {
    let program = Program::new();
    let run = |config: &str| program.run(&["--rewrite"], config, &["-jar", "app/main.jar", "0"]);
    let cached = || program.folder.names("cache/weighbridge");
    run("wb.toml");
    let first = cached();
    assert_eq!(first.len(), 1, "{first:?}");
    let (answer, report) = run("wb.toml");
    assert_weighed(&answer, &report, 0, "0");
    assert_eq!(cached(), first);
    run("lib-only.toml");
    assert_eq!(cached().len(), 2);
    pack_jar(&program.folder.path("classes/lib"), &[("Changed", "yes")], &program.folder.path("app/lib/lib.jar"));
    run("wb.toml");
    assert_eq!(cached().len(), 3);
}

#[test]
fn a_program_in_which_nothing_matches_is_an_error_unless_that_is_allowed() {
    let program = Program::new();
    program.folder.write("none.toml", "version = 1\n[instrument]\ninclude = [\"org.nothing.**\"]\n");
    let refused =
        program.folder.answer(&mut program.command(&["--rewrite"], "none.toml", &["-jar", "app/main.jar", "9"]));
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""), "{refused}");
    assert!(refused.stderr.contains("matches no class\n") && refused.stderr.contains("--allow-empty"), "{refused}");
    // What is loaded is known at the end only, and the program's own code comes first.
    let empty = "none.toml: the configuration selects no class that the program loaded";
    let error = format!("weighbridge: error: {empty}; with --allow-empty that is no error\n");
    let warning = format!("weighbridge: warning: {empty}\n");
    let rewritten = "weighbridge: warning: no class on the command line's class path or module path was rewritten\n";
    for (way, own, code, said) in [
        (&[][..], 0, 3, &error),
        (&[], 9, 9, &warning),
        (&["--allow-empty"], 0, 0, &warning),
        (&["--rewrite", "--allow-empty"], 9, 9, &rewritten.to_owned()),
    ] {
        let (answer, _) = program.run(way, "none.toml", &["-jar", "app/main.jar", &own.to_string()]);
        assert_eq!(
            (answer.code, answer.stdout),
            (Some(code), format!("out hello {own}\n")),
            "{way:?}: {}",
            answer.stderr
        );
        assert!(answer.stderr.ends_with(said.as_str()), "{way:?}: {}", answer.stderr);
    }
}

#[test]
fn the_report_goes_to_standard_error_and_the_recording_is_kept_when_asked_for() {
    let program = Program::new();
    for way in WAYS {
        let kept = program.folder.path(if way.is_empty() { "kept, 100%.wbr" } else { "also kept, 100%.wbr" });
        let mut command = program.folder.command();
        command
            .arg("run")
            .args(way)
            .args(["--config", "wb.toml", "--recording"])
            .arg(&kept)
            .arg("--")
            .arg(&program.java);
        let answer = program.folder.answer(command.args(["-jar", "app/main.jar", "0"]).stdin(Stdio::null()));
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), "out null 0\n"), "{answer}");
        assert!(answer.stderr.starts_with("err\nWeighbridge report of "), "{answer}");
        let report = program.folder.run(&["report", kept.to_str().unwrap()]);
        assert_eq!(report.code, Some(0), "{report}");
        let refused = program.folder.answer(&mut command);
        assert_eq!(refused.code, Some(2), "{refused}");
    }
}

#[test]
fn a_command_that_runs_no_program_is_left_alone() {
    let program = Program::new();
    for way in WAYS {
        let answer = program.folder.answer(&mut program.command(way, "wb.toml", &["--version"]));
        assert_eq!(answer.code, Some(0), "{answer}");
        assert!(answer.stdout.contains("Runtime Environment"), "{answer}");
        assert!(!answer.stderr.contains("weighbridge: "), "{answer}");
    }
}

/// A program that was started by `run` and waits.
#[cfg(unix)]
struct Waiting {
    run: std::process::Child,
    /// The JVM.
    pid: String,
}

#[cfg(unix)]
impl Waiting {
    fn start(command: &mut Command) -> Self {
        use std::io::{BufRead, BufReader};
        let mut run = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        run.stdin.take().unwrap().write_all(b"hello\n").unwrap();
        let mut line = String::new();
        BufReader::new(run.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "out hello 0|wait\n");
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", run.id())).unwrap_or_default();
        Waiting { run, pid: children.trim().to_owned() }
    }

    fn kill(pid: &str, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_signal_reaches_the_program_and_its_report_is_still_made() {
    let program = Program::new();
    for way in WAYS {
        let mut waiting = Waiting::start(&mut program.command(way, "wb.toml", &["-jar", "app/main.jar", "0", "wait"]));
        Waiting::kill(&waiting.run.id().to_string(), rustix::process::Signal::TERM);
        // A JVM that ends by SIGTERM gives 128 + 15.
        assert_eq!(waiting.run.wait().unwrap().code(), Some(143));
        let report = program.report();
        assert_eq!(report["jvms"][0]["ended"], true, "{report:#}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_is_asked_and_watched_while_it_runs() {
    let program = Program::new();
    let mut waiting = Waiting::start(&mut program.command(&[], "wb.toml", &["-jar", "app/main.jar", "0", "wait"]));
    let measured = program.folder.run(&["ctl", &waiting.pid, "measure", "now"]);
    assert_eq!(measured.code, Some(0), "{measured}");
    let frame = program.folder.run(&["watch", "--once", "--by", "class", "--size", "120x24", &waiting.pid]);
    assert!(frame.code == Some(0) && frame.stdout.contains("cli.lib.Held"), "{frame}");
    let listed: Value = serde_json::from_str(&program.folder.run(&["jvms", "-o", "json"]).stdout).unwrap();
    let of_pid = |jvm: &&Value| jvm["pid"].as_u64() == waiting.pid.parse().ok();
    assert_eq!(listed.as_array().unwrap().iter().find(of_pid).unwrap()["weighbridge"], "measuring", "{listed:#}");
    Waiting::kill(&waiting.pid, rustix::process::Signal::TERM);
    assert_eq!(waiting.run.wait().unwrap().code(), Some(143));
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_of_the_agent_however_the_run_ends() {
    use rustix::process::Signal;
    let program = Program::new();
    // Neither a comma nor an equals sign may reach the options of the agent.
    let temporary = program.folder.path("a, b=c");
    fs::create_dir(&temporary).unwrap();
    let config = program.folder.write("config, = here/wb.toml", CONFIG);
    let command = |arguments: &[&str]| {
        let mut command =
            program.command(&[], config.to_str().unwrap(), &[&["-jar", "app/main.jar"], arguments].concat());
        command.env("TMPDIR", &temporary);
        command
    };
    let (answer, report) = program.answer(&mut command(&["3"]));
    assert_weighed(&answer, &report, 3, "3");
    assert_eq!(program.folder.names("a, b=c"), [""; 0]);
    // The JVM crashes.
    let mut waiting = Waiting::start(&mut command(&["0", "wait"]));
    Waiting::kill(&waiting.pid, Signal::KILL);
    assert_eq!(waiting.run.wait().unwrap().code(), Some(137));
    assert_eq!(program.folder.names("a, b=c"), [""; 0]);
    // The command is killed; the JVM goes on, with a recording that is nobody's any more.
    let mut waiting = Waiting::start(&mut command(&["0", "wait"]));
    waiting.run.kill().unwrap();
    waiting.run.wait().unwrap();
    let mapped = fs::read_to_string(format!("/proc/{}/maps", waiting.pid)).unwrap();
    let libraries = mapped.lines().filter(|line| line.contains("libweighbridge"));
    libraries.for_each(|line| assert!(line.ends_with("/memfd:/libweighbridge.so (deleted)"), "{line}"));
    assert_eq!(program.folder.run(&["ctl", &waiting.pid, "detach"]).code, Some(0));
    Waiting::kill(&waiting.pid, Signal::KILL);
}

#[test]
fn a_jvm_that_the_program_starts_with_its_own_options_starts() {
    let program = Program::new();
    let (answer, report) = program.run(&[], "wb.toml", &["-cp", "app/main.jar", "com.acme.cli.Main", "5", "again"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(5), "err\nerr\n"), "{answer}");
    assert_eq!(answer.stdout, "out hello 5|again\nout null 4\n");
    let held = report["classes"].as_array().unwrap().iter().find(|row| row["class"] == "com.acme.cli.lib.Held");
    assert_eq!(held.unwrap()["allocated"], 7, "the child's are in a recording of its own: {report:#}");
}

#[test]
fn the_demo_writes_its_files_and_may_be_repeated() {
    let folder = Folder::new();
    for _ in 0..2 {
        let answer = folder.run(&["demo"]);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
        for part in ["By component", "By class", "com.acme.shop.", "weighbridge-demo/report.json"] {
            assert!(answer.stdout.contains(part), "{part}: {answer}");
        }
        let report = fs::read(folder.path("weighbridge-demo/report.json")).unwrap();
        assert_eq!(figures_of_the_shop(&serde_json::from_slice(&report).unwrap()), said_by_the_shop(&answer.stdout));
    }
    let names = folder.names("weighbridge-demo");
    let expected = [
        "made-by-weighbridge-demo",
        "report.html",
        "report.json",
        "report.txt",
        "shop-weighed.jar",
        "shop.jar",
        "shop.wbr",
        "weighbridge.toml",
    ];
    assert_eq!(names, expected);
}

/// Live products, pages and sessions, and the pages that were made. All are exact, as in the demo's configuration, but for the
/// map of the cache, of which code without probes could make a copy.
fn figures_of_the_shop(report: &Value) -> [u64; 4] {
    let classes = report["classes"].as_array().unwrap();
    let is_exact = |class: &&Value| class["exact"] == true;
    let others: Vec<&Value> = classes.iter().filter(|class| !is_exact(class)).collect();
    let [map] = others[..] else { panic!("one class is not exact: {report:#}") };
    let copied = (&map["class"], &map["sampled_for"], &map["live"], &map["tracked"]);
    assert_eq!(copied, (&"com.acme.shop.cache.LruCache$1".into(), &json!(["copies"]), &1.into(), &1.into()));
    let class = |name: &str| {
        let name = format!("com.acme.shop.{name}");
        classes.iter().find(|class| class["class"] == name.as_str()).unwrap_or_else(|| panic!("{name}: {report:#}"))
    };
    let live = |name: &str| class(name)["live"].as_u64().unwrap();
    let made = class("web.Page")["allocated"].as_u64().unwrap();
    [live("catalog.Product"), live("web.Page"), live("web.Session"), made]
}

/// The same from the output of the shop itself.
fn said_by_the_shop(output: &str) -> [u64; 4] {
    let line = output.lines().find(|line| line.starts_with("The shop served ")).expect("what the shop says");
    let numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    [numbers[1], numbers[2], numbers[3], numbers[4]]
}

#[test]
fn a_demo_replaces_only_what_a_demo_made() {
    let folder = Folder::new();
    folder.write("mine/thesis.txt", "precious");
    assert_snapshot!(folder.run(&["demo", "--dest", "mine"]));
    assert_eq!(folder.names("mine"), ["thesis.txt"]);
}
