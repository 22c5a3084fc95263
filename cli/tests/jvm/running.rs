//! `run` and `demo` on a real JVM.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Answer, CONFIG, Folder};
use insta::assert_snapshot;
use serde_json::Value;
use weighbridge_jdk::{pack_jar, to_build_with};

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

    fn command(&self, config: &str, java_arguments: &[&str]) -> Command {
        let mut command = self.folder.command();
        command.args(["run", "--config", config, "-o", "json", "-f", "report.json", "--force", "--"]);
        command.arg(&self.java).args(java_arguments);
        command
    }

    /// Runs with the input `hello`.
    fn run(&self, config: &str, java_arguments: &[&str]) -> (Answer, Value) {
        let _ = fs::remove_file(self.folder.path("report.json"));
        self.folder.write("input", "hello\n");
        let mut command = self.command(config, java_arguments);
        command.stdin(fs::File::open(self.folder.path("input")).unwrap());
        let answer = self.folder.answer(&mut command);
        let report = fs::read(self.folder.path("report.json")).unwrap_or_default();
        (answer, serde_json::from_slice(&report).unwrap_or(Value::Null))
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
    let (answer, report) = program.run("wb.toml", &["-jar", "app/main.jar", "42", "x y"]);
    assert_weighed(&answer, &report, 42, "42|x y");
}

#[test]
fn a_jar_that_a_class_path_leads_to_is_rewritten_even_if_the_first_jar_is_not() {
    let program = Program::new();
    let (answer, report) = program.run("lib-only.toml", &["-jar", "app/main.jar", "0"]);
    assert_weighed(&answer, &report, 0, "0");
    // The same through a symbolic link, which the JVM resolves before it looks for the Class-Path.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("app/main.jar", program.folder.path("link.jar")).unwrap();
        let (answer, report) = program.run("lib-only.toml", &["-cp", "link.jar", "com.acme.cli.Main", "1"]);
        assert_weighed(&answer, &report, 1, "1");
    }
}

#[test]
fn wildcards_directories_and_argument_files_are_followed() {
    let program = Program::new();
    let main = "com.acme.cli.Main";
    let (answer, report) = program.run("wb.toml", &["-cp", "app/*:app/lib/*", main, "3"]);
    assert_weighed(&answer, &report, 3, "3");
    let (answer, report) = program.run("wb.toml", &["--class-path=classes/main:classes/lib", main, "4"]);
    assert_weighed(&answer, &report, 4, "4");
    program.folder.write("options", "-Xmx64m # small\n-cp \"classes/main:app/lib/*\"");
    let (answer, report) = program.run("wb.toml", &["@options", main, "5", "@options"]);
    assert_weighed(&answer, &report, 5, "5|@options");
}

#[test]
fn the_class_path_of_the_environment_counts_when_the_command_names_none() {
    let program = Program::new();
    program.folder.write("input", "hello\n");
    let mut command = program.command("wb.toml", &["com.acme.cli.Main", "0"]);
    command.env("CLASSPATH", "classes/main:classes/lib");
    command.stdin(fs::File::open(program.folder.path("input")).unwrap());
    let answer = program.folder.answer(&mut command);
    let report = fs::read(program.folder.path("report.json")).unwrap();
    assert_weighed(&answer, &serde_json::from_slice(&report).unwrap(), 0, "0");
}

#[test]
fn the_second_run_uses_the_first_ones_cache_and_a_changed_jar_does_not() {
    let program = Program::new();
    let cached = || program.folder.names("cache/weighbridge");
    program.run("wb.toml", &["-jar", "app/main.jar", "0"]);
    let first = cached();
    assert_eq!(first.len(), 1, "{first:?}");
    let (answer, report) = program.run("wb.toml", &["-jar", "app/main.jar", "0"]);
    assert_weighed(&answer, &report, 0, "0");
    assert_eq!(cached(), first);
    program.run("lib-only.toml", &["-jar", "app/main.jar", "0"]);
    assert_eq!(cached().len(), 2);
    pack_jar(&program.folder.path("classes/lib"), &[("Changed", "yes")], &program.folder.path("app/lib/lib.jar"));
    program.run("wb.toml", &["-jar", "app/main.jar", "0"]);
    assert_eq!(cached().len(), 3);
}

#[test]
fn a_program_in_which_nothing_matches_runs_only_if_that_is_allowed() {
    let program = Program::new();
    program.folder.write("none.toml", "version = 1\n[instrument]\ninclude = [\"org.nothing.**\"]\n");
    let refused = program.folder.answer(&mut program.command("none.toml", &["-jar", "app/main.jar", "9"]));
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""), "{refused}");
    assert!(refused.stderr.contains("matches no class\n") && refused.stderr.contains("--allow-empty"), "{refused}");
    let mut allowed = program.folder.command();
    allowed.args(["run", "--config", "none.toml", "--allow-empty", "--"]).arg(&program.java);
    let answer = program.folder.answer(allowed.args(["-jar", "app/main.jar", "9"]));
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(9), "out null 9\n"), "{answer}");
    assert!(answer.stderr.contains("was rewritten"), "{answer}");
}

#[test]
fn the_report_goes_to_standard_error_and_the_recording_is_kept_when_asked_for() {
    let program = Program::new();
    let mut command = program.folder.command();
    command.args(["run", "--config", "wb.toml", "--recording", "kept, 100%.wbr", "--"]);
    command.arg(&program.java).args(["-jar", "app/main.jar", "0"]).stdin(Stdio::null());
    let answer = program.folder.answer(&mut command);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), "out null 0\n"), "{answer}");
    assert!(answer.stderr.starts_with("err\nWeighbridge report of "), "{answer}");
    let report = program.folder.run(&["report", "kept, 100%.wbr"]);
    assert_eq!(report.code, Some(0), "{report}");
    let refused = program.folder.answer(&mut command);
    assert_eq!(refused.code, Some(2), "{refused}");
}

#[test]
fn a_command_that_runs_no_program_is_left_alone() {
    let program = Program::new();
    let answer = program.folder.answer(&mut program.command("wb.toml", &["--version"]));
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("Runtime Environment"), "{answer}");
}

#[cfg(unix)]
#[test]
fn a_signal_reaches_the_program_and_its_report_is_still_made() {
    use std::io::{BufRead, BufReader};
    let program = Program::new();
    let mut command = program.command("wb.toml", &["-jar", "app/main.jar", "0", "wait"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "out hello 0|wait\n");
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    // A JVM that ends by SIGTERM gives 128 + 15.
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let report: Value = serde_json::from_slice(&fs::read(program.folder.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["jvms"][0]["ended"], true, "{report:#}");
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

/// Live products, pages and sessions, and the pages that were made. All are exact, as in the demo's configuration.
fn figures_of_the_shop(report: &Value) -> [u64; 4] {
    let classes = report["classes"].as_array().unwrap();
    assert!(classes.iter().all(|class| class["exact"] == true), "{report:#}");
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
