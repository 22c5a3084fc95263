//! Programs in other folders, with other process ids, and of other users.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
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
    if !is_root() {
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

#[test]
fn what_the_class_path_of_another_user_leads_to_is_read_as_that_user() {
    if !is_root() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("its mode");
    let (secret, link) = (folder.path().join("secret"), folder.path().join("link"));
    fs::create_dir_all(secret.join("hidden/vault")).expect("a folder");
    fs::write(secret.join("hidden/vault/Safe.class"), "").expect("a class");
    fs::set_permissions(&secret, Permissions::from_mode(0o700)).expect("its mode");
    symlink(&secret, &link).expect("a link");
    let as_nobody = |command: Command| {
        let mut changed = Command::new(command.get_program());
        let mut arguments: Vec<OsString> = command.get_args().map(OsString::from).collect();
        let of = arguments.iter().position(|argument| argument == "-cp").expect("a class path") + 1;
        arguments[of].push(format!(":{}", link.display()));
        changed.args(arguments).uid(NOBODY).gid(NOBODY).current_dir("/");
        changed
    };
    let program = Program::by(&jdks()[0], &[], &[], as_nobody);
    let proposed = || run(weighbridge().args(["init", &program.pid, "-f", "-"]));
    let refused = proposed();
    assert_eq!(refused.code, Some(3), "{refused}");
    assert!(!format!("{refused}").contains("vault"), "{refused}");
    fs::set_permissions(&secret, Permissions::from_mode(0o755)).expect("its mode");
    let read = proposed();
    assert!(read.success() && read.stdout.contains("1 of 2 classes"), "{read}");
    forget_socket(&program.pid);
    program.end();
}

#[test]
fn a_link_in_the_class_path_of_a_container_leads_to_nothing_outside() {
    let Some(_) = with_own_temporary("size=64m", &Command::new("true")) else { return };
    // The container has another `/tmp`, so there it is not.
    let outside = tempfile::tempdir_in("/tmp").expect("a folder");
    fs::create_dir_all(outside.path().join("hidden/vault")).expect("a folder");
    fs::write(outside.path().join("hidden/vault/Safe.class"), "").expect("a class");
    let inside = |command: Command| {
        let mut changed = Command::new(command.get_program());
        let mut arguments: Vec<OsString> = command.get_args().map(OsString::from).collect();
        let of = arguments.iter().position(|argument| argument == "-cp").expect("a class path") + 1;
        arguments[of].push(":/tmp/link");
        with_own_temporary("size=64m", changed.args(arguments)).expect("another folder")
    };
    let program = Program::by(&jdks()[0], &["-XX:-UsePerfData"], &[], inside);
    let link = program.temporary().join("link");
    let proposed = || run(weighbridge().args(["init", &program.pid, "-f", "-"]));
    symlink(outside.path(), &link).expect("a link");
    let refused = proposed();
    assert!(refused.success() && refused.stdout.contains("1 of 1 classes"), "{refused}");
    assert!(!format!("{refused}").contains("vault"), "{refused}");
    fs::create_dir_all(program.temporary().join("classes/own")).expect("a folder");
    fs::write(program.temporary().join("classes/own/Safe.class"), "").expect("a class");
    fs::remove_file(&link).expect("removed");
    symlink("/tmp/classes", &link).expect("a link");
    let read = proposed();
    assert!(read.success() && read.stdout.contains("of 2 classes"), "{read}");
    // A file that is no jar is named as the JVM names it.
    fs::write(program.temporary().join("no.jar"), "no jar").expect("a file");
    fs::remove_file(&link).expect("removed");
    symlink("no.jar", &link).expect("a link");
    let refused = proposed();
    assert!(refused.stderr.contains(": /tmp/link: is no jar"), "{refused}");
    program.end();
}

/// Whether programs of other users can be tested.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("this is not root: programs of other users are not tested");
    }
    is_root
}

fn as_user(command: &mut Command) -> &mut Command {
    command.uid(NOBODY).gid(NOBODY).current_dir("/")
}
