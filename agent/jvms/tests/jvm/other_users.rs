//! JVMs of other users. Only root can make one, so for others these tests say that they are skipped.

use std::os::unix::process::CommandExt;
use std::thread;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_res_gid, set_thread_res_uid};
use weighbridge_jvms::{AttachTarget, Obstacle, list};
use weighbridge_tests::{forget_socket, jdks};

use crate::program::{PATIENCE, Program, waiting};

/// A user that has no rights: `nobody`.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    if !geteuid().is_root() {
        eprintln!("not root: JVMs of other users are not tested");
    }
    geteuid().is_root()
}

#[test]
fn root_attaches_to_any_users_jvm() {
    for jdk in jdks().iter().filter(|_| is_root()) {
        let mut command = waiting(jdk, &[]);
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
        let Some(program) = Program::of(&mut command) else {
            eprintln!("Java {} is in a folder closed to others: not tested", jdk.version);
            continue;
        };
        forget_socket(&program.pid.to_string());
        let target = program.target();
        assert_eq!((target.uid(), target.gid()), (NOBODY, NOBODY));
        for _ in 0..2 {
            assert_eq!(target.properties(PATIENCE).unwrap()["java.version"], jdk.version);
        }
        program.end();
    }
}

#[test]
fn anybody_else_is_told_whose_it_is() {
    for jdk in jdks().iter().filter(|_| is_root()) {
        let program = Program::start(jdk, &[]);
        let pid = program.pid;
        let as_nobody = move || {
            let (gid, uid) = (Gid::from_raw(NOBODY), Uid::from_raw(NOBODY));
            set_thread_res_gid(gid, gid, gid).unwrap();
            set_thread_res_uid(uid, uid, uid).unwrap();
            (AttachTarget::find(pid).unwrap_err().to_string(), list().unwrap())
        };
        let (error, jvms) = thread::spawn(as_nobody).join().unwrap();
        assert_eq!(error, format!("process {pid} belongs to the user root; attach as root"));
        let jvm = jvms.into_iter().find(|jvm| jvm.pid == pid).unwrap();
        assert_eq!(jvm.obstacle, Some(Obstacle::OtherUser));
        assert_eq!(jvm.main.as_deref(), Some("Waiting"));
        assert_eq!((jvm.user.as_str(), jvm.vm), ("root", None));
        program.end();
    }
}
