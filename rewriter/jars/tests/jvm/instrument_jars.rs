//! Jars through the whole rewriter, and then run; published jars.

use std::fs;
use std::process::Command;

use crate::craft::Zip;
use crate::program::{Run, app, base, entries, executable, find, names, read};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]";

#[test]
fn an_executable_jar_with_the_runtime_runs_as_before() {
    let run = Run::new(&[("app.jar", executable())], ALL);
    let java = weighbridge_jdk::to_build_with().java();
    let output = |jar: &str| {
        let mut command = Command::new(&java);
        command.arg("-Xverify:all").arg("-Dweighbridge.output=none").arg("-jar").arg(jar).arg("x");
        let output = command.current_dir(run.folder()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(output("app.jar"), "leaf 7 of 7, leaf 1 of 1, main\n");
    assert_eq!(output("out/app.jar"), "leaf 7 of 7, leaf 1 of 1, main\n");
}

#[test]
fn a_rewritten_jar_without_the_runtime_runs_as_before() {
    let run = Run::new(&[("lib.jar", Zip::of(entries(&[base(), app()])).bytes())], ALL);
    assert!(!run.summary.jars[0].carries_runtime);
    let mut command = Command::new(weighbridge_jdk::to_build_with().java());
    command.args(["-Xverify:all", "-cp", "out/lib.jar", "com.acme.app.Main", "x"]).current_dir(run.folder());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "leaf 7 of 7, leaf 1 of 1, main\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_signed_jar_loses_its_signature_only_if_a_class_changed() {
    let jar = weighbridge_tests::jar("bcprov-jdk18on");
    let original = fs::read(jar).unwrap();
    let none = Run::new(&[("bc.jar", original.clone())], ALL);
    assert!(none.output("bc.jar") == original);
    let config = "version = 1\n[instrument]\ninclude = [\"org.bouncycastle.util.Arrays$Iterator\"]";
    let one = Run::new(&[("bc.jar", original)], config);
    // It has a Multi-Release version too.
    assert_eq!(one.summary.total.classes_rewritten, 2);
    insta::assert_snapshot!(one.summary.jars[0].warnings.join("\n"));
    let new = one.output("bc.jar");
    let signature = |name: &String| name.starts_with("META-INF/") && (name.ends_with(".SF") || name.ends_with("SA"));
    assert!(!names(&new).iter().any(signature));
    assert!(find(&read(&new, "META-INF/MANIFEST.MF"), b"-Digest").is_none());
}

#[test]
fn every_class_of_a_big_library_is_rewritten_or_listed() {
    let config = "version = 1\n[instrument]\ninclude = [\"**\"]";
    let run = Run::new(&[("guava.jar", fs::read(weighbridge_tests::jar("guava")).unwrap())], config);
    let counts = run.summary.total;
    assert_eq!(counts.classes_matched, counts.classes_seen);
    assert_eq!(counts.classes_rewritten + counts.classes_skipped, counts.classes_matched);
    let expected = ["interface", "module-info", "no constructor", "abstract"];
    for skipped in &run.summary.jars[0].skipped {
        assert!(expected.iter().any(|reason| skipped.reason.contains(reason)), "{skipped:?}");
        assert!(skipped.harmless, "{skipped:?}");
    }
    // The other reader checks the CRC of every entry.
    let new = run.output("guava.jar");
    for name in names(&new) {
        read(&new, &name);
    }
}
