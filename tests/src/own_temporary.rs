//! Programs that see another `/tmp` than this process, as in a container.

use std::process::{Command, Stdio};

/// A command with the same program and arguments in a mount namespace of its own, with a `/tmp` that has these options
/// of `mount`; its process id is that of the program. `None` if this user may not do that, or if what the tests run is in `/tmp`.
pub fn with_own_temporary(options: &str, command: &Command) -> Option<Command> {
    if crate::root().starts_with("/tmp") {
        eprintln!("this checkout is in /tmp, which would be hidden: other folders are not tested");
        return None;
    }
    let mut may = unshare(options, "");
    if !may.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        eprintln!("this user may not mount anything: other folders are not tested");
        return None;
    }
    let mut outer = unshare(options, "exec \"$@\"");
    outer.arg(command.get_program()).args(command.get_args()).env_remove("JAVA_TOOL_OPTIONS");
    Some(outer)
}

fn unshare(options: &str, script: &str) -> Command {
    let mut command = Command::new("unshare");
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    command.args(if is_root { &["--mount"][..] } else { &["--mount", "--map-root-user"] });
    command.args(["sh", "-ec", &format!("mount -t tmpfs -o {options} none /tmp; {script}"), "sh"]);
    command
}
