//! JVMs with process ids and folders of their own, as in a container. Where the system does not let this user make
//! them, the tests say that they are skipped.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use weighbridge_jvms::{AttachTarget, Error, list};
use weighbridge_tests::{Jdk, jdks};

use crate::program::{PATIENCE, Program, classes, waiting};

/// All JVMs of this file have the process id 1, so all but those of one test need this.
const OWN_FOLDER: &str = r#"mount -t tmpfs none /tmp; exec "$@""#;

/// A program in a process and mount namespace of its own, and the process id of its JVM here.
struct Contained(Program, u32);

/// Starts the program by a shell that first prepares its folders; it finds the command in its arguments.
fn contained(jdk: &Jdk, options: &[&str], script: &str) -> Option<Contained> {
    contained_by(jdk, options, script, |_| {})
}

/// The same, with more options of `unshare`.
fn contained_by(jdk: &Jdk, options: &[&str], script: &str, more: fn(&mut Command)) -> Option<Contained> {
    let unshare = || {
        let mut command = Command::new("unshare");
        more(command.args(["--pid", "--fork", "--mount-proc"]).stderr(Stdio::null()));
        command
    };
    if !unshare().arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("this user may not make process namespaces: containers are not tested");
        return None;
    }
    if [classes(), &jdk.home].iter().any(|needed| needed.starts_with("/tmp")) {
        eprintln!("what a container needs is in /tmp, which it gets anew: containers are not tested");
        return None;
    }
    let java = waiting(jdk, options);
    let mut command = unshare();
    command.args(["sh", "-ec", script, "sh"]).arg(java.get_program()).args(java.get_args().map(OsStr::to_owned));
    let program = Program::of(command.env_remove("JAVA_TOOL_OPTIONS")).expect("a program in a container");
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", program.pid)).unwrap();
    let inner = children.trim().parse().unwrap();
    Some(Contained(program, inner))
}

fn works(jdk: &Jdk, script: &str, more: fn(&mut Command)) {
    let Some(Contained(program, pid)) = contained_by(jdk, &[], script, more) else { return };
    let jvm = list().unwrap().into_iter().find(|jvm| jvm.pid == pid).unwrap();
    assert_eq!((jvm.inner_pid, jvm.main.as_deref()), (1, Some("Waiting")));
    assert_eq!(jvm.version.as_ref(), Some(&jdk.version));
    let target = AttachTarget::find(pid).unwrap();
    assert_eq!((target.pid(), target.inner_pid()), (pid, 1));
    for _ in 0..2 {
        assert_eq!(target.properties(PATIENCE).unwrap()["java.version"], jdk.version);
    }
    assert_eq!(target.temporary_folder().find_owner(".attach_pid1"), None);
    program.end();
}

#[test]
fn a_jvm_with_its_own_process_ids_answers() {
    for jdk in jdks() {
        works(jdk, r#"exec "$@""#, |_| {});
    }
}

#[test]
fn a_jvm_with_its_own_folder_answers() {
    for jdk in jdks() {
        works(jdk, OWN_FOLDER, |_| {});
    }
}

/// As in containers of a user without rights: its root is another user here.
#[test]
fn a_jvm_with_its_own_users_answers() {
    for jdk in jdks() {
        works(jdk, OWN_FOLDER, |command| {
            command.args(["--user", "--map-root-user"]);
            if rustix::process::geteuid().is_root() {
                command.uid(65534).gid(65534).current_dir("/");
            }
        });
    }
}

#[test]
fn a_full_disk_is_named() {
    let jdk = &jdks()[0];
    // The folder itself is the only file there is room for.
    let script = r#"mount -t tmpfs -o nr_inodes=1 none /tmp; exec "$@""#;
    let Some(Contained(program, pid)) = contained(jdk, &["-XX:-UsePerfData"], script) else { return };
    let error = AttachTarget::find(pid).unwrap().properties(PATIENCE).unwrap_err().to_string();
    let expected = format!(
        "cannot make /proc/{pid}/root/tmp/.attach_pid1, which asks process {pid} to listen \
         (No space left on device (os error 28)); make room or let it be written to"
    );
    assert_eq!(error, expected);
    program.end();
}

#[test]
fn a_jvm_without_the_folder_is_named() {
    let jdk = &jdks()[0];
    // A root with all that is in this one, but no /tmp.
    let script = r#"
        mount -t tmpfs none /mnt
        for entry in /*; do
            case $entry in
                /tmp | /mnt) ;;
                *) if [ -L "$entry" ]; then cp -P "$entry" /mnt/
                   elif [ -d "$entry" ]; then mkdir "/mnt$entry"; mount --rbind "$entry" "/mnt$entry"
                   fi ;;
            esac
        done
        exec chroot /mnt "$@""#;
    let Some(Contained(program, pid)) = contained(jdk, &[], script) else { return };
    let error = AttachTarget::find(pid).unwrap_err();
    assert!(matches!(error, Error::NoTemporary { .. }), "{error}");
    let expected = format!(
        "process {pid} has no folder /proc/{pid}/root/tmp for its attach socket (No such file or directory (os error 2)); \
         make one that it can write to"
    );
    assert_eq!(error.to_string(), expected);
    program.end();
}
