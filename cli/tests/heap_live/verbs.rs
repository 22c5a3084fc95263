//! Every verb on a process, what it keeps, and what it refuses.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rustix::process::Signal;
use serde_json::Value;
use weighbridge_tests::jdks;

use crate::program::{Program, array, heap, number, rows, signal, wait_for};

fn row<'a>(report: &'a Value, table: &str, key: &str, value: &str) -> &'a Value {
    let row = rows(report, table).iter().find(|row| row[key] == value);
    row.unwrap_or_else(|| panic!("no {key} {value} in {report:#}"))
}

#[test]
fn every_verb_takes_a_process_and_says_what_stopped_it() {
    for jdk in jdks() {
        let program = Program::start(jdk, &[], &[]);
        let pid = program.pid.as_str();
        let config = tempfile::NamedTempFile::new().expect("a file");
        fs::write(&config, "version = 1\n[components]\nholders = [\"com.acme.alone.Main\"]\n")
            .expect("a configuration");
        let config = config.path().to_str().expect("a path in UTF-8");
        let report = |verb: &str, more: &[&str]| {
            let report = heap(&[&[verb, pid, "-o", "json"], more].concat()).json();
            assert_eq!(report["dump"]["file"], format!("process {pid}"));
            assert_eq!(report["dump"]["process"]["pid"].to_string(), pid);
            assert_eq!(program.left().len(), 0);
            report
        };
        let arrays: u64 = (1..=50).map(|i| array(1013 * i)).sum();
        let all = number(row(&report("histogram", &["--all"]), "classes", "class", "byte[]"), "shallow_bytes");
        let histogram = report("histogram", &[]);
        let reachable = number(row(&histogram, "classes", "class", "byte[]"), "shallow_bytes");
        assert!(reachable <= all && reachable > arrays + array(777_777), "Java {}: {reachable}", jdk.version);
        let dominators = report("dominators", &["--depth", "1", "--top", "0"]);
        let threads = row(&dominators, "nodes", "kind", "threads");
        assert!(number(threads, "retained_bytes") >= arrays, "Java {}: {threads:#}", jdk.version);
        let release = report("release", &["--threads", "holder-07,holder-08"]);
        let freed = number(&release["sets"][0], "proprietary_bytes");
        let own = array(7 * 1013) + array(8 * 1013);
        assert!((own..own + 4000).contains(&freed), "Java {}: {freed}", jdk.version);
        let components = report("components", &["--config", config]);
        assert_eq!(components["components"][0]["component"], "holders");
        let path = report("path", &["java.util.concurrent.Semaphore"]);
        assert_eq!(path["objects"], 1, "Java {}", jdk.version);
        // An object stays where it is if nothing was collected since.
        let address = path["paths"].as_array().expect("steps").last().expect("one")["example"].clone();
        let object = report("object", &[address.as_str().expect("an address")]);
        assert_eq!(object["class"], "java.util.concurrent.Semaphore", "Java {}", jdk.version);
        assert!(number(&report("waste", &[]), "reachable_bytes") > arrays, "Java {}", jdk.version);
        let diff = heap(&["diff", pid, pid, "-o", "json"]).json();
        assert_eq!(diff["before"]["process"]["pid"], diff["after"]["process"]["pid"]);
        let text = heap(&["histogram", pid, "--top", "3"]);
        for said in [format!("dump of process {pid} (com.acme.alone.Main) at 20"), "the program was stopped for".into()]
        {
            assert!(text.stdout.contains(&said), "{said}: {text}");
        }
        let page = heap(&["threads", pid, "-o", "html"]);
        assert!(page.stdout.contains("the program was stopped for"), "Java {}", jdk.version);
        program.end();
    }
}

#[test]
fn a_dump_that_is_kept_gives_the_same_figures_and_is_the_users_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    for jdk in jdks() {
        let program = Program::start(jdk, &[], &[]);
        let kept = folder.path().join(format!("{}.hprof", jdk.major));
        let file = kept.to_str().expect("a path in UTF-8");
        let mut of_process = heap(&["histogram", &program.pid, "--live", "--keep", file, "-o", "json"]).json();
        let of_file = heap(&["histogram", file, "-o", "json"]).json();
        assert!(of_process["dump"].as_object_mut().expect("facts").remove("process").is_some());
        assert_eq!(of_process, of_file, "Java {}", jdk.version);
        let about = fs::metadata(&kept).expect("the dump");
        let me = rustix::process::geteuid().as_raw();
        assert_eq!((about.uid(), about.permissions().mode() & 0o777), (me, 0o600));
        let again = heap(&["histogram", &program.pid, "--keep", file]);
        assert_eq!(again.code, Some(2), "{again}");
        assert_eq!(again.stderr, format!("weighbridge: error: {file}: exists; use --force to replace it\n"));
        let before = fs::metadata(&kept).expect("the dump").ino();
        assert!(heap(&["histogram", &program.pid, "--keep", file, "--force"]).success());
        assert_ne!(fs::metadata(&kept).expect("the dump").ino(), before);
        program.end();
    }
}

#[test]
fn a_pause_that_the_jvm_does_not_count_is_bounded() {
    for jdk in jdks() {
        let program = Program::start(jdk, &["-XX:-UsePerfData"], &[]);
        let process = heap(&["histogram", &program.pid, "-o", "json"]).json()["dump"]["process"].clone();
        assert_eq!(
            (&process["stopped_ms"], &process["safepoints"]),
            (&Value::Null, &Value::Null),
            "Java {}",
            jdk.version
        );
        assert!(number(&process, "answered_ms") > 0);
        let text = heap(&["histogram", &program.pid]);
        assert!(text.stdout.contains("the program was stopped for at most "), "{text}");
        program.end();
    }
}

#[test]
fn what_cannot_be_dumped_is_named_as_by_attach() {
    let refused = |arguments: &[&str], code: i32, sentence: &str| {
        let output = heap(arguments);
        assert!(output.code == Some(code) && output.stdout.is_empty(), "{output}");
        assert_eq!(output.stderr, format!("weighbridge: error: {sentence}\n"));
    };
    let here = std::process::id().to_string();
    let no_jvm = heap(&["threads", &here]);
    assert!(no_jvm.code == Some(3) && no_jvm.stderr.contains("is no JVM"), "{no_jvm}");
    refused(&["threads", "4194999"], 3, "there is no process 4194999; `weighbridge jvms` lists the JVMs");
    for (flags, sentence) in [
        (&["--live"][..], "app.hprof: --live and --keep are for a process"),
        (&["--keep", "a"], "app.hprof: --live and --keep are for a process"),
        (&["--watch", "1s"], "app.hprof: --watch is for a process"),
    ] {
        refused(&[&["threads", "app.hprof"], flags].concat(), 2, sentence);
    }
    refused(&["diff", "1", "2", "--keep", "a"], 2, "--keep is for one process");
    for jdk in jdks() {
        let program = Program::start(jdk, &["-XX:+DisableAttachMechanism"], &[]);
        let output = heap(&["threads", &program.pid]);
        assert!(output.code == Some(3) && output.stderr.contains("-XX:+DisableAttachMechanism"), "{output}");
        program.end();
        let program = Program::start(jdk, &[], &[]);
        signal(&program.talking.child, Signal::STOP);
        let stat = format!("/proc/{}/stat", program.pid);
        wait_for("a stop", || fs::read_to_string(&stat).expect("a process").contains(") T "));
        let sentence =
            "is stopped; continue it with `kill -CONT {pid}` and attach again".replace("{pid}", &program.pid);
        refused(&["threads", &program.pid], 3, &format!("process {} {sentence}", program.pid));
        signal(&program.talking.child, Signal::CONT);
        program.end();
    }
}
