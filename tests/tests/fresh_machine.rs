//! `run-tests` on machines that lack something: commands are scripts in one folder, which is the whole `PATH`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use weighbridge_tests::{Output, root, run};

/// What `run-tests` itself uses of a machine that has nothing else.
const BARE: [&str; 6] = ["dirname", "mkdir", "grep", "env", "touch", "chmod"];

/// What the tests need, each with what it prints and its Debian package.
const NEEDED: [(&str, &str, &str); 10] = [
    ("c++", "", "g++"),
    ("mvn", "", "maven"),
    ("go", "", "golang-go"),
    ("node", "v18.20.4", "nodejs"),
    ("npm", "", "npm"),
    ("chromium", "", "chromium"),
    ("python3", "", "python3"),
    ("mmdebstrap", "", "mmdebstrap"),
    ("curl", "", "curl"),
    ("script", "", "bsdutils"),
];

/// A copy of the script beside a `target` that has the Javas already, and an empty machine.
struct Machine(TempDir);

impl Machine {
    fn bare() -> Self {
        let machine = Machine(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir(machine.path("bin")).expect("a folder");
        for tool in BARE {
            let real = std::env::split_paths(&std::env::var_os("PATH").expect("a PATH"))
                .map(|folder| folder.join(tool))
                .find(|file| file.is_file());
            symlink(real.unwrap_or_else(|| panic!("no {tool}")), machine.path("bin").join(tool)).expect("a link");
        }
        for (major, version) in [(11, "11.0.13"), (17, "17.0.9"), (21, "21.0.8"), (25, "25.0.2")] {
            let bin = machine.path(&format!("target/jdks/{major}/bin"));
            fs::create_dir_all(&bin).expect("a folder");
            machine.script(&bin.join("java"), &format!("echo 'openjdk version \"{version}\"' >&2"));
        }
        fs::copy(root().join("run-tests"), machine.path("run-tests")).expect("the script");
        machine.command("cargo", "echo \"cargo $*\"; echo \"on $WEIGHBRIDGE_TEST_JDKS\"; exit ${CARGO_CODE:-0}");
        machine.command("javac", "echo javac 17.0.15");
        machine.command("kill", "");
        machine
    }

    /// A machine that has Rust and an `apt-get` that brings what it is asked for.
    fn debian() -> Self {
        let machine = Self::bare();
        machine.command("rustc", "echo rustc 1.99.1");
        machine.command("sudo", "exec \"$@\"");
        machine.command("apt-cache", "");
        fs::create_dir(machine.path("packages")).expect("a folder");
        let mut apt = String::from("echo \"apt-get $*\"\ncd \"${0%/*}\"\nfor package; do\ncase $package in\n");
        for (name, prints, package) in NEEDED {
            machine.script(&machine.path("packages").join(name), &format!("echo {prints}"));
            apt += &format!("{package}) ln -s ../packages/{name} {name};;\n");
        }
        machine.command("apt-get", &(apt + "esac\ndone"));
        machine.command("ln", "exec /bin/ln \"$@\"");
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, file: &Path, lines: &str) {
        fs::write(file, format!("#!/bin/sh\n{lines}\n")).expect("a script");
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("its permissions");
    }

    fn command(&self, name: &str, lines: &str) {
        self.script(&self.path("bin").join(name), lines);
    }

    fn run_tests(&self, arguments: &[&str], cargo_code: i32) -> Output {
        let mut script = Command::new("/bin/bash");
        script.arg(self.path("run-tests")).args(arguments);
        run(script.env_clear().env("PATH", self.path("bin")).env("CARGO_CODE", cargo_code.to_string()))
    }
}

#[test]
fn what_is_missing_is_named_all_at_once_and_nothing_is_built() {
    let machine = Machine::bare();
    let output = machine.run_tests(&[], 0);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{output}");
    let said: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(
        said,
        [
            "run-tests: the tests need what this machine lacks:",
            concat!("  Rust ", env!("CARGO_PKG_RUST_VERSION"), " or newer, by https://rustup.rs (cargo, rustc)"),
            "  a C and C++ compiler (c++)",
            "  Maven (mvn)",
            "  Go (go)",
            "  Node.js 18 or newer (node)",
            "  npm (npm)",
            "  Chromium or Chrome (chromium)",
            "  Python 3 (python3)",
            "  pip of Python 3 (python3 -m pip)",
            "  mmdebstrap",
            "  curl",
            "  script",
        ]
    );
}

#[test]
fn on_debian_one_call_of_apt_brings_the_rest_and_a_second_run_calls_none() {
    let machine = Machine::debian();
    let output = machine.run_tests(&[], 0);
    assert!(output.success(), "{output}");
    let packages = "g++ maven golang-go nodejs npm chromium python3 python3-pip mmdebstrap curl bsdutils";
    let javas = [11, 17, 21, 25].map(|major| machine.path(&format!("target/jdks/{major}")).display().to_string());
    let tests = format!("cargo test --all-features --workspace\non {}\n", javas.join(":"));
    assert_eq!(
        output.stdout,
        format!("apt-get update\napt-get install -y --no-install-recommends {packages}\n{tests}")
    );
    assert_eq!(machine.run_tests(&[], 0).stdout, tests);
    let one = machine.run_tests(&["-p", "weighbridge", "--test", "maven"], 0);
    assert!(one.stdout.starts_with("cargo test --all-features -p weighbridge --test maven\n"), "{one}");
}

#[test]
fn a_failed_test_fails_the_command() {
    let machine = Machine::debian();
    assert_eq!(machine.run_tests(&[], 101).code, Some(101));
}

#[test]
fn what_apt_does_not_have_is_named_before_apt_is_called() {
    let machine = Machine::debian();
    machine.command("rustc", "echo rustc 1.94.9");
    let output = machine.run_tests(&[], 0);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{output}");
    assert!(output.stderr.contains("Install these first: Rust 1.95 or newer"), "{output}");
}

#[test]
fn a_command_that_is_too_old_after_installing_is_named() {
    let machine = Machine::debian();
    machine.script(&machine.path("packages/node"), "echo v12.22.12");
    let output = machine.run_tests(&[], 0);
    assert!(output.code == Some(1) && !output.stdout.contains("cargo"), "{output}");
    assert!(output.stderr.ends_with("lacks:\n  Node.js 18 or newer (node)\n"), "{output}");
}
