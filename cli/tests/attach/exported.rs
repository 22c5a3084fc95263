//! `export PID`: the figures of a program that is measured.

use std::io::BufRead;
use std::path::Path;

use weighbridge_tests::{Output, jdks};

use crate::collector::{TAKEN, collector, export};
use crate::program::{Attached, COUNTED, Program, ask, wait_for};
use crate::served::{PROMETHEUS, Served};

/// The value of a series of the counted class, or none.
fn value(page: &str, family: &str, pid: &str) -> Option<u64> {
    let series =
        format!("{family}{{recording=\"process {pid}\",program=\"com.acme.attached.Main\",class=\"{COUNTED}\"");
    let line = page.lines().find(|line| line.starts_with(&series))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Measures it, but not at an interval.
fn measured(program: &Program) -> Attached {
    // On a busy machine a collection may take longer than the 100 ms that are granted unless more is.
    let options = ["--include", "com.acme.**", "--set", "interval=off", "--pause", "10s"];
    Attached::start(&program.pid, &program.path("a.wbr"), &options)
}

fn openmetrics(pid: &str) -> Output {
    export(&["--openmetrics"], Path::new(pid))
}

#[test]
fn an_export_has_the_figures_of_now_and_leaves_the_session_as_it_was() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let pid = program.pid.clone();
        let attached = measured(&program);
        for (more, made) in [(10, 10), (5, 15)] {
            program.tell(&format!("make {more}"));
            let page = openmetrics(&pid);
            assert!(page.success() && page.stdout.ends_with("# EOF\n"), "{page}");
            for family in ["weighbridge_object_allocated_total", "weighbridge_object_live"] {
                assert_eq!(value(&page.stdout, family, &pid), Some(made), "Java {}: {page}", jdk.version);
            }
        }
        let (url, taking) = collector(vec![(TAKEN, b"")]);
        let sent = export(&["--otlp", &url], Path::new(&pid));
        assert!(sent.success() && sent.stderr.contains("sent: 1 recording to "), "{sent}");
        let request = &taking.join().unwrap()[0].body;
        assert!(request.windows(COUNTED.len()).any(|bytes| bytes == COUNTED.as_bytes()));
        let status = ask(&["ctl", &pid, "status"]).json();
        assert_eq!((&status["state"], &status["snapshots"]), (&"measuring".into(), &3.into()), "{status}");
        ask(&["detach", &pid]).json();
        assert_eq!(attached.end().0, Some(0));
        program.assert_clean(&jdk.version);
        program.end(15);
    }
}

#[test]
fn what_is_served_follows_the_program_and_stays_when_it_is_no_longer_measured() {
    let mut program = Program::start(&jdks()[0]);
    let pid = program.pid.clone();
    let attached = measured(&program);
    program.tell("make 10");
    let mut served = Served::start(&[], Path::new(&pid));
    let live = |served: &Served| {
        let page = served.ask("GET /metrics", PROMETHEUS).2;
        let ended = page.lines().any(|line| line.starts_with("weighbridge_jvms_ended{") && line.ends_with(" 1"));
        (value(&page, "weighbridge_object_allocated_total", &pid), ended)
    };
    assert_eq!(live(&served), (Some(10), false));
    program.tell("make 5");
    assert_eq!(live(&served).0, Some(10), "a scrape measures nothing");
    ask(&["ctl", &pid, "measure"]).json();
    wait_for("the snapshot", || live(&served).0 == Some(15));
    program.tell("make 1");
    ask(&["detach", &pid]).json();
    attached.end();
    wait_for("the last snapshot", || live(&served) == (Some(16), true));
    let mut said = String::new();
    served.stderr.read_line(&mut said).unwrap();
    assert_eq!(said, format!("weighbridge: warning: process {pid} is no longer measured; its last figures stay\n"));
    assert_eq!(live(&served), (Some(16), true));
    program.end(16);
}

#[test]
fn a_process_that_cannot_be_exported_is_named_with_what_to_do() {
    let program = Program::start(&jdks()[0]);
    let pid = program.pid.clone();
    let is_refused = |output: Output| {
        assert_eq!((output.code, output.stdout.as_str(), output.stderr.lines().count()), (Some(3), "", 1), "{output}");
        assert!(
            output.stderr.contains(&format!("process {pid}")) && output.stderr.contains("weighbridge attach"),
            "{output}"
        );
    };
    is_refused(openmetrics(&pid));
    let attached = Attached::to(&program, &program.path("a.wbr"));
    let tables = ask(&["export", "--parquet", "tables", &pid]);
    assert!(
        tables.code == Some(2) && tables.stderr.contains(&format!("`weighbridge attach {pid} -o FILE`")),
        "{tables}"
    );
    ask(&["detach", &pid]).json();
    attached.end();
    is_refused(openmetrics(&pid));
    let mut other = std::process::Command::new("sleep").arg("100").spawn().unwrap();
    let id = other.id().to_string();
    let no_jvm = openmetrics(&id);
    assert!(no_jvm.code == Some(3) && no_jvm.stderr.contains("no JVM"), "{no_jvm}");
    other.kill().unwrap();
    other.wait().unwrap();
    let gone = openmetrics(&id);
    let expected = format!("weighbridge: error: {id}: there is no such process, and no such file\n");
    assert_eq!((gone.code, gone.stderr), (Some(3), expected));
    program.end(0);
}
