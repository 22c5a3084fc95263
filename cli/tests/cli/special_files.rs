//! FIFOs, sockets, devices and foreign folders: refused before they are opened, and never replaced.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{Answer, CONFIG, Folder, RECORDING};

/// A directory with inputs of each kind, and with what can be none.
fn prepared() -> (Folder, UnixListener) {
    let folder = Folder::new();
    folder.write("app.jar", weighbridge_samples::DEMO_JAR);
    folder.write("wb.toml", CONFIG);
    folder.write("run.wbr", RECORDING);
    folder.write("java", "never started");
    mknodat(CWD, folder.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
    symlink("pipe", folder.path("to-pipe")).expect("a link");
    symlink("missing", folder.path("to-nothing")).expect("a link");
    symlink("/dev/null", folder.path("to-device")).expect("a link");
    let socket = UnixListener::bind(folder.path("socket")).expect("a socket");
    (folder, socket)
}

/// Every way to name an input, as `IT`.
const INPUTS: [&str; 34] = [
    "instrument IT --config wb.toml --dest out",
    "instrument app.jar --config IT --dest out",
    "explain com.acme.A IT --config wb.toml",
    "explain com.acme.A app.jar --config IT",
    "verify IT",
    "verify app.jar --jvm --class-path IT",
    "verify app.jar --jvm --against IT",
    "report IT",
    "report run.wbr IT",
    "diff IT run.wbr",
    "diff run.wbr IT",
    "merge IT run.wbr -f both.wbr",
    "check IT --config wb.toml",
    "check run.wbr --config IT",
    "check run.wbr --config wb.toml --baseline IT",
    "trend IT",
    "config check IT",
    "export IT --openmetrics",
    "export IT --parquet out",
    "init IT",
    "init app.jar --from IT",
    "replay IT",
    "replay run.wbe --recording IT",
    "watch IT --once",
    "watch localhost:1 --token-file IT --once",
    "console IT",
    "console --config IT",
    "heap histogram IT",
    "heap dominators app.hprof --config IT",
    "heap diff app.hprof IT",
    "heap redact IT -o out.hprof",
    "trace show IT",
    "run --config IT -- ./java -version",
    "attach 1 --config IT",
];

/// Every way to name an output that is a file, as `IT`. Each refuses it before it looks for a process or an input.
const OUTPUTS: [&str; 25] = [
    "instrument app.jar --config wb.toml -o IT",
    "report run.wbr -f IT",
    "diff run.wbr run.wbr -f IT",
    "merge run.wbr -f IT",
    "heap histogram app.hprof -f IT",
    "trend run.wbr run.wbr -f IT",
    "heap redact app.hprof -o IT",
    "config schema -f IT",
    "run --config wb.toml --recording IT -- ./java -version",
    "run --config wb.toml --every-event=IT -- ./java -version",
    "attach 1 --include com.acme.** -o IT",
    "heap histogram 1 --keep IT",
    "heap diff app.hprof 1 --keep IT",
    "heap histogram 1 -f IT",
    "trace 1 time --keep IT",
    "trace 1 coverage --lcov IT",
    "trace 1 coverage --jacoco IT",
    "trace 1 objects --folded IT",
    "trace 1 time -f IT",
    "trace show 1 --lcov IT",
    "trace stop 1 -f IT",
    "check run.wbr --config wb.toml -f IT",
    "replay run.wbe -f IT",
    "doctor 1 -f IT",
    "init app.jar -f IT",
];

/// Every way to name a directory for outputs, as `IT`.
const OUTPUT_FOLDERS: [&str; 5] = [
    "instrument app.jar --config wb.toml --dest IT",
    "export run.wbr --parquet IT",
    "demo --dest IT",
    "man --dest IT",
    "agent --dest IT",
];

fn run(folder: &Folder, command: &str, it: &str) -> Answer {
    let words: Vec<String> = command.split(' ').map(|word| word.replace("IT", it)).collect();
    folder.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_fifo_or_socket_is_refused_as_an_input_of_every_verb_before_it_is_opened() {
    let (folder, _socket) = prepared();
    for command in INPUTS {
        // To open the FIFO would wait for ever.
        for (it, kind) in [("pipe", "a FIFO"), ("to-pipe", "a FIFO"), ("socket", "a socket")] {
            let answer = run(&folder, command, it);
            assert_eq!(answer.code, Some(3), "{command} with {it}: {answer}");
            let message = format!("weighbridge: error: {it}: is {kind}; an input must be a file\n");
            assert_eq!(answer.stderr, message, "{command}");
        }
    }
    let entries = folder.path("e.toml");
    fs::rename(folder.path("pipe"), &entries).expect("another name");
    let answer = folder.run(&["trace", "1", "scopes", "--entries", "e.toml"]);
    assert!(answer.stderr.contains("e.toml: is a FIFO"), "{answer}");
}

#[test]
fn what_is_no_regular_file_is_no_output_with_force_neither() {
    let (folder, _socket) = prepared();
    for command in OUTPUTS.into_iter().chain(OUTPUT_FOLDERS) {
        for (it, kind) in [
            ("pipe", "a FIFO"),
            ("to-pipe", "a FIFO"),
            ("socket", "a socket"),
            ("to-device", "a device"),
            ("to-nothing", "a link that leads nowhere"),
        ] {
            // A demo replaces what a demo made, without being forced.
            let can_force = !command.starts_with("demo");
            for force in ["", "--force "].into_iter().filter(|force| can_force || force.is_empty()) {
                let at = if command.contains(" -- ") { " -- " } else { " " };
                let forced = match at {
                    " -- " => command.replace(" -- ", &format!(" {force}-- ")),
                    _ => format!("{command} {force}").trim_end().to_owned(),
                };
                let answer = run(&folder, &forced, it);
                assert_eq!(answer.code, Some(2), "{forced} with {it}: {answer}");
                let message =
                    format!("weighbridge: error: {it}: is {kind}, and is not replaced, with --force neither\n");
                assert_eq!(answer.stderr, message, "{forced}");
            }
        }
    }
    let kind = |name: &str| fs::symlink_metadata(folder.path(name)).expect("still there").file_type();
    assert!(kind("pipe").is_fifo() && kind("socket").is_socket() && kind("to-device").is_symlink());
}

#[test]
fn a_fifo_that_no_argument_names_is_not_opened_either() {
    let (folder, _socket) = prepared();
    for name in ["libs/x.jar", "libs/y.war", "dest/libweighbridge.so"] {
        let path = folder.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
    }
    let left_out =
        |name: &str| format!("weighbridge: warning: libs/{name}: is a FIFO; an input must be a file; left out\n");
    let none = folder.run(&["init", "libs", "-f", "-"]);
    let nothing = "weighbridge: error: libs: no classes or jars here; build the project first, or name its jar\n";
    assert_eq!(none.code, Some(3), "{none}");
    assert!(none.stderr.contains(&left_out("x.jar")) && none.stderr.ends_with(nothing), "{none}");

    folder.write("libs/app.jar", weighbridge_samples::DEMO_JAR);
    let one = folder.run(&["init", "libs", "-f", "-"]);
    assert_eq!(one.code, Some(0), "{one}");
    assert!(one.stdout.contains("\"com.acme.shop.**\""), "{one}");
    assert!(one.stderr.contains(&left_out("x.jar")) && one.stderr.contains(&left_out("y.war")), "{one}");

    for force in [&[][..], &["--force"]] {
        let agent = folder.run(&[&["agent", "--dest", "dest"], force].concat());
        assert_eq!(agent.code, Some(2), "{agent}");
        let message = "dest/libweighbridge.so: is a FIFO, and is not replaced, with --force neither\n";
        assert!(agent.stderr.ends_with(message), "{agent}");
    }
}

#[test]
fn force_replaces_no_input() {
    let (folder, _socket) = prepared();
    let budgets = format!("{CONFIG}[[budget]]\nclass = \"**\"\nfigure = \"live\"\nmax = 0\n");
    folder.write("budgets.toml", budgets);
    for (command, it) in [
        ("report IT -f IT", "run.wbr"),
        ("trace show IT -f IT", "run.wbr"),
        ("trace show IT --lcov IT", "run.wbr"),
        ("check IT --config budgets.toml -f IT", "run.wbr"),
        ("check run.wbr --config IT -f IT", "budgets.toml"),
        ("check run.wbr --config budgets.toml --baseline IT -f ./IT", "run.wbr"),
    ] {
        let before = fs::read(folder.path(it)).expect("an input");
        let answer = run(&folder, &format!("{command} --force"), it);
        assert_eq!(answer.code, Some(2), "{command}: {answer}");
        assert!(answer.stderr.ends_with(&format!("{it}: is one of the inputs\n")), "{command}: {answer}");
        assert_eq!(fs::read(folder.path(it)).expect("still there"), before, "{command}");
    }
}

/// A recording with a run of traces.
fn traced() -> Vec<u8> {
    let run = r#"{"kind":"header","format":1}
{"kind":"traces","name":"c","state":"ended","since_ms":1,"lasted_ms":1,"of":[],"scopes":[],"probed":{"classes":1,"us":1,"longest_us":1},"traces":[{"what":"coverage","classes":[{"class":"a.B","source":"B.java","methods":[{"method":"m","descriptor":"()V","line":7,"entered":true,"lines":[[7,1,1]]}]}]}]}
"#;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(run.as_bytes()).and_then(|()| gzip.finish()).expect("memory")
}

#[test]
fn what_a_trace_writes_for_other_tools_is_replaced_as_a_whole_and_only_by_force() {
    let folder = Folder::new();
    folder.write("run.wbr", traced());
    for option in ["--lcov", "--jacoco", "--folded"] {
        let show = |more: &[&str]| folder.run(&[&["trace", "show", "run.wbr", option, "out"], more].concat());
        let first = show(&[]);
        assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""), "{option}: {first}");
        let written = fs::read(folder.path("out")).expect("the output");
        assert_eq!(show(&[]).stderr, "weighbridge: error: out: exists; use --force to replace it\n");
        // Another name of the old file keeps its content.
        folder.write("out", "old");
        fs::hard_link(folder.path("out"), folder.path("kept")).expect("a link");
        assert_eq!(show(&["--force"]).code, Some(0));
        assert_eq!(fs::read(folder.path("out")).expect("the output"), written, "{option}");
        assert_eq!(fs::read(folder.path("kept")).expect("the old file"), b"old", "{option}");
        fs::remove_file(folder.path("out")).and_then(|()| fs::remove_file(folder.path("kept"))).expect("files");
    }
    let both = folder.run(&["trace", "show", "run.wbr", "--lcov", "out", "--jacoco", "out"]);
    assert_eq!(both.stderr, "weighbridge: error: out: is named for two outputs\n", "{both}");
    assert_eq!(folder.names("."), ["run.wbr"]);
}

#[test]
fn a_lone_dash_names_no_output() {
    let (folder, _socket) = prepared();
    let elsewhere = ["ctl 1 start run --file IT"];
    for command in OUTPUTS.into_iter().chain(OUTPUT_FOLDERS).chain(elsewhere) {
        // That one can write to standard output.
        if command.starts_with("init ") {
            continue;
        }
        let answer = run(&folder, command, "-");
        assert_eq!(answer.code, Some(2), "{command}: {answer}");
        let message = "weighbridge: error: -: names no file here; write ./- for a file of this name\n";
        assert_eq!(answer.stderr, message, "{command}");
    }
    assert!(!folder.path("-").exists());
    let answer = run(&folder, "report run.wbr -f IT", "./-");
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(folder.path("-").is_file());
}

#[test]
fn force_replaces_only_a_directory_that_an_earlier_run_wrote() {
    let folder = Folder::new();
    folder.write("wb.toml", CONFIG);
    folder.write("in.jar", weighbridge_samples::DEMO_JAR);
    folder.write("classes/com/acme/A.class", "no class");
    folder.write("home/mine.txt", "mine");
    folder.write("dest/in.jar/mine.txt", "mine");
    symlink("home", folder.path("to-home")).expect("a link");
    let instrument = |source: &str, to: [&str; 2]| {
        folder.run(&["instrument", source, "--config", "wb.toml", "--force", to[0], to[1]])
    };
    for (source, to, named) in [
        ("classes", ["-o", "home"], "home: is a directory that weighbridge did not write"),
        ("classes", ["-o", "to-home"], "to-home: is a link to a directory"),
        ("in.jar", ["--dest", "dest"], "dest/in.jar: is a directory that weighbridge did not write"),
    ] {
        let answer = instrument(source, to);
        assert_eq!(answer.code, Some(2), "{answer}");
        assert!(answer.stderr.starts_with(&format!("weighbridge: error: {named}")), "{answer}");
    }
    for kept in ["home/mine.txt", "dest/in.jar/mine.txt"] {
        assert_eq!(fs::read_to_string(folder.path(kept)).expect("still there"), "mine");
    }

    for _ in 0..2 {
        let answer = instrument("classes", ["-o", "out"]);
        assert_eq!(answer.code, Some(0), "{answer}");
        assert_eq!(folder.names("out"), [".made-by-weighbridge", "com"]);
        // Whatever is put into an earlier output goes with it.
        folder.write("out/com/old.txt", "old");
    }
    // A file takes the name of an earlier output that was a directory.
    fs::rename(folder.path("out"), folder.path("in-2.jar")).expect("another name");
    let answer = instrument("in.jar", ["-o", "in-2.jar"]);
    // `-o` with a directory is a mistake of its own; `--dest` is not.
    assert_eq!(answer.code, Some(2), "{answer}");
    fs::create_dir(folder.path("dest-2")).expect("a directory");
    fs::rename(folder.path("in-2.jar"), folder.path("dest-2/in.jar")).expect("another name");
    let answer = instrument("in.jar", ["--dest", "dest-2"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(folder.path("dest-2/in.jar").is_file());
}

#[test]
fn the_mark_of_an_output_is_no_part_of_its_classes() {
    let folder = Folder::new();
    folder.write("wb.toml", "version = 1\n[instrument]\ninclude = [\"org.none.**\"]\n");
    folder.write("classes/com/acme/A.class", "no class");
    let allowed = |from: &str, to: &str| {
        folder.run(&["instrument", from, "--config", "wb.toml", "--allow-empty", "--json", "-o", to])
    };
    for answer in [allowed("classes", "once"), allowed("once", "twice")] {
        assert_eq!(answer.code, Some(0), "{answer}");
        assert!(answer.stdout.contains("\"bytes_in\": 8,") && answer.stdout.contains("\"bytes_out\": 8\n"), "{answer}");
    }
}
