//! What the list says of running JVMs.

use std::fs;

use rustix::process::{Signal, geteuid};
use weighbridge_jdk::pack_jar;
use weighbridge_jvms::{Jvm, Obstacle, Vm, list};
use weighbridge_tests::{every_java, java, jdks};

use crate::program::{Program, classes};

fn listed(pid: u32) -> Jvm {
    list().unwrap().into_iter().find(|jvm| jvm.pid == pid).expect("a JVM of the list")
}

#[test]
fn a_jvm_is_listed_with_its_main_class_and_version() {
    for jdk in every_java() {
        // By its own word, and by its command line and the file `release`.
        for options in [&[][..], &["-XX:-UsePerfData"]] {
            let program = Program::start(jdk, options);
            let jvm = listed(program.pid);
            let expected = Jvm {
                pid: program.pid,
                inner_pid: program.pid,
                uid: geteuid().as_raw(),
                user: jvm.user.clone(),
                main: Some("Waiting".to_owned()),
                version: Some(jdk.version.clone()),
                vm: Some(Vm::HotSpot),
                obstacle: None,
                weighbridge: None,
            };
            assert_eq!(jvm, expected);
            assert_eq!(jvm.user == "root", geteuid().is_root());
            program.signal(Signal::STOP);
            while listed(program.pid).obstacle != Some(Obstacle::Stopped) {}
            program.signal(Signal::CONT);
            program.end();
        }
        let program = Program::start(jdk, &["-XX:+DisableAttachMechanism"]);
        assert_eq!(listed(program.pid).obstacle, Some(Obstacle::Disabled));
        program.end();
    }
}

#[test]
fn a_jar_is_named_by_its_whole_path_and_a_class_in_a_file_by_the_jvm() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("an app.jar");
    pack_jar(classes(), &[("Main-Class", "Waiting")], &jar);
    let arguments = folder.path().join("arguments");
    fs::write(&arguments, format!("-cp \"{}\" Waiting more", classes().display())).unwrap();
    let arguments = format!("@{}", arguments.display());
    for jdk in jdks() {
        let program = Program::of(java(jdk).arg("-jar").arg(&jar).arg("x")).unwrap();
        assert_eq!(listed(program.pid).main.as_deref(), jar.to_str());
        program.end();
        let program = Program::of(java(jdk).arg(&arguments)).unwrap();
        assert_eq!(listed(program.pid).main.as_deref(), Some("Waiting"));
        program.end();
        let program = Program::of(java(jdk).arg("-XX:-UsePerfData").arg(&arguments)).unwrap();
        assert_eq!(listed(program.pid).main.as_deref(), Some(&arguments[..]));
        program.end();
    }
}
