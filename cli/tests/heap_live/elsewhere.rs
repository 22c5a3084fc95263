//! Programs in other folders, with other process ids, and of other users.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use weighbridge_tests::{forget_socket, jdks, run, with_own_temporary};

use crate::program::{Program, heap, weighbridge};

/// The user `nobody`.
const NOBODY: u32 = 65534;

#[test]
fn a_program_with_its_own_folders_is_dumped_there_if_there_is_room() {
    for jdk in jdks() {
        for (options, sentence) in [
            ("size=512m", None),
            ("size=1m", Some("are free, and the dump may take ")),
            ("ro", Some("Read-only file system")),
        ] {
            if with_own_temporary(options, &Command::new("true")).is_none() {
                return;
            }
            let inside = |command: Command| with_own_temporary(options, &command).expect("another folder");
            // A JVM that can write no performance data says so on its standard output.
            let program = Program::by(jdk, &["-XX:-UsePerfData"], &[], inside);
            let output = heap(&["threads", &program.pid, "-o", "json"]);
            match sentence {
                None => assert!(output.success(), "Java {}: {output}", jdk.version),
                Some(sentence) => {
                    assert!(
                        output.code == Some(3) && output.stderr.contains(sentence),
                        "Java {}: {output}",
                        jdk.version
                    );
                    assert_eq!(output.stderr.lines().count(), 1, "{output}");
                }
            }
            let left: Vec<_> =
                fs::read_dir(program.temporary()).expect("its folder").flatten().map(|it| it.file_name()).collect();
            assert!(left.iter().all(|name| name.to_string_lossy().starts_with(".java_pid")), "{left:?}");
            program.end();
        }
    }
}

#[test]
fn a_program_with_its_own_process_ids_is_dumped() {
    let unshare = |program: &str| {
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--kill-child", "--mount-proc", program]);
        command
    };
    if !unshare("true").status().is_ok_and(|status| status.success()) {
        eprintln!("this user may not make process namespaces: containers are not tested");
        return;
    }
    for jdk in jdks() {
        let inside = |command: Command| {
            let mut outer = unshare(command.get_program().to_str().expect("a path in UTF-8"));
            outer.args(command.get_args()).env_remove("JAVA_TOOL_OPTIONS");
            outer
        };
        let program = Program::by(jdk, &[], &[], inside);
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", program.pid)).expect("its child");
        let report = heap(&["threads", children.trim(), "-o", "json"]).json();
        assert_eq!(report["dump"]["process"]["pid"].to_string(), children.trim(), "Java {}", jdk.version);
        program.end();
    }
}

#[test]
fn the_program_of_another_user_is_dumped_by_root_alone() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("this is not root: programs of other users are not tested");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for jdk in jdks() {
        let as_nobody = |mut command: Command| {
            command.uid(NOBODY).gid(NOBODY).current_dir("/");
            command
        };
        let program = Program::by(jdk, &[], &[], as_nobody);
        forget_socket(&program.pid);
        let kept = folder.path().join(format!("{}.hprof", jdk.major));
        let output = heap(&["threads", &program.pid, "-o", "json", "--keep", kept.to_str().expect("a path in UTF-8")]);
        assert!(output.success(), "Java {}: {output}", jdk.version);
        use std::os::unix::fs::MetadataExt;
        assert_eq!(fs::metadata(&kept).expect("the dump").uid(), 0, "Java {}", jdk.version);
        program.end();
    }
    let program = Program::start(&jdks()[0], &[], &[]);
    let output = run(as_user(weighbridge().args(["heap", "threads", &program.pid])));
    assert!(output.code == Some(3) && output.stderr.contains("belongs to the user root; attach as root"), "{output}");
    program.end();
}

fn as_user(command: &mut Command) -> &mut Command {
    command.uid(NOBODY).gid(NOBODY).current_dir("/")
}
