//! What keeps from attaching: one line, an exit code, no file, and the program goes on.

use std::fs;
use std::process::Command;

use rustix::process::Signal;
use weighbridge_tests::{Jdk, Output, jdks, native_agent, with_own_temporary};

use crate::program::{Program, ask, wait_for};

/// Attaches in vain; the message without its beginning.
fn refused(program: &Program, more: &[&str]) -> Output {
    let recording = program.path("a.wbr");
    let common = ["attach", &program.pid, "-o", recording.to_str().unwrap()];
    let output = ask(&[&common[..], more].concat());
    assert!(output.stdout.is_empty(), "{output}");
    assert!(output.stderr.lines().last().unwrap().starts_with("weighbridge: error: "), "{output}");
    assert!(!recording.exists(), "{output}");
    assert_eq!(program.files(), [""; 0], "{output}");
    output
}

const ALL: [&str; 2] = ["--include", "com.acme.**"];

#[test]
fn a_wrong_configuration_or_option_is_named_and_nothing_is_changed() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let config = program.path("bad.toml");
        fs::write(&config, "version = 1\n[instrument]\ninclude = [\"com.acme.\"]\n").unwrap();
        let cases: [(&[&str], i32, &str); 6] = [
            (&["--config", config.to_str().unwrap()], 3, "bad.toml: line 3, column 12"),
            (&["--config", "/no/such.toml"], 3, "/no/such.toml"),
            (&["--include", "com..acme"], 3, "com..acme"),
            (&[], 2, "what to measure? --config FILE or --include PATTERN"),
            (&["--include", "com.acme.**", "--set", "interval=soon"], 3, "interval=soon"),
            (&["--include", "com.acme.**", "--set", "intrval=1s"], 3, "intrval"),
        ];
        for (arguments, code, sentence) in cases {
            let output = refused(&program, arguments);
            assert!(output.code == Some(code) && output.stderr.contains(sentence), "{arguments:?}: {output}");
            let lines = output.stderr.lines().filter(|line| !line.contains("warning: Java"));
            assert_eq!(lines.count(), 1, "{output}");
        }
        program.assert_clean(&jdk.version);
        program.end(0);
    }
}

#[test]
fn an_output_that_cannot_be_written_is_found_before_anything_is_changed() {
    let mut program = Program::start(&jdks()[0]);
    let there = program.path("there.wbr");
    fs::write(&there, "a file").unwrap();
    for (file, code) in [(there.to_str().unwrap(), 2), ("/no/such/folder/a.wbr", 3)] {
        let output = ask(&["attach", &program.pid, "--include", "com.acme.**", "-o", file]);
        assert!(output.code == Some(code) && output.stderr.contains(file), "{output}");
    }
    assert_eq!(fs::read_to_string(&there).unwrap(), "a file");
    assert_eq!(program.mapped(), [""; 0]);
    program.state();
    program.end(0);
}

#[test]
fn a_full_disk_ends_the_session() {
    // The library is loaded already: it is larger than any file may be here.
    let mut program = Program::with(&jdks()[0], &[&format!("-agentpath:{}", native_agent().display())]);
    let recording = program.path("a.wbr").display().to_string();
    let ours = crate::program::weighbridge().command();
    // No file may have more than a block of 512 bytes: what is written beyond is an error, as on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", limited, "sh"]).arg(ours.get_program()).args(["attach", &program.pid]);
    command.args(["--include", "com.acme.**", "--set", "interval=500ms", "-o", &recording]);
    let output = weighbridge_tests::run(&mut command);
    assert_eq!(output.code, Some(3), "{output}");
    let said = format!("error: {recording}: cannot be written: File too large (os error 27)\n");
    assert!(output.stderr.ends_with(&said), "{output}");
    wait_for("the end of the session", || !ask(&["ctl", &program.pid, "status"]).success());
    program.state();
    program.end(0);
}

#[test]
fn a_jvm_that_lets_nobody_attach_or_is_stopped_or_gone_is_named() {
    for jdk in jdks() {
        let program = Program::with(jdk, &["-XX:+DisableAttachMechanism"]);
        let output = refused(&program, &ALL);
        assert!(output.code == Some(3) && output.stderr.contains("-XX:+DisableAttachMechanism"), "{output}");
        program.end(0);
        let mut program = Program::start(jdk);
        program.stop();
        assert!(refused(&program, &ALL).stderr.contains("is stopped"), "Java {}", jdk.version);
        program.signal(Signal::CONT);
        wait_for("a JVM that goes on", || {
            !ask(&["jvms"])
                .stdout
                .lines()
                .any(|line| line.contains(&format!(" {} ", program.pid)) && line.contains("stopped"))
        });
        program.signal(Signal::KILL);
        program.wait();
        let output = refused(&program, &ALL);
        assert_eq!(output.code, Some(3));
        assert!(
            output
                .stderr
                .ends_with(&format!("there is no process {}; `weighbridge jvms` lists the JVMs\n", program.pid)),
            "{output}"
        );
    }
}

/// Starts a program that sees another `/tmp`, mounted with these options; `None` if this user may not do that.
fn with_temporary(jdk: &Jdk, options: &str) -> Option<Program> {
    with_own_temporary(options, &Command::new("true"))?;
    let inside = |command: Command| with_own_temporary(options, &command).expect("another folder");
    Some(Program::by(jdk, &["-XX:-UsePerfData"], inside))
}

#[test]
fn a_temporary_folder_that_takes_no_file_is_named_and_nothing_is_left_in_it() {
    for jdk in jdks() {
        for (options, sentence) in [
            ("ro", "cannot be made: Read-only file system (os error 30)"),
            ("size=64k", "cannot be written: No space left on device (os error 28)"),
        ] {
            let Some(program) = with_temporary(jdk, options) else { return };
            let output = refused(&program, &ALL);
            assert!(output.code == Some(3) && output.stderr.contains(sentence), "Java {}: {output}", jdk.version);
            let left = fs::read_dir(format!("/proc/{}/root/tmp", program.pid)).unwrap();
            assert_eq!(left.count(), 0, "Java {}", jdk.version);
            program.end(0);
        }
    }
}
