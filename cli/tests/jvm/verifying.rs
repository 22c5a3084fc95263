//! `verify --jvm` as a user sees it: one line per problem, and exit code 3 if there is one.

use insta::assert_snapshot;

use crate::rewritten::{SESSION, rewritten, without_versions};
use crate::support::{Folder, demo_class, zip};

/// A class whose verification fails: its first constructor returns before it calls `super()`.
fn unverifiable() -> Vec<u8> {
    let mut class = demo_class(SESSION);
    // aload_0, invokespecial: how the constructors of this class begin.
    let at = class.windows(2).position(|code| code == [0x2A, 0xB7]).expect("a constructor");
    class[at..at + 4].fill(0);
    class
}

#[test]
fn a_rewritten_jar_is_sound_and_links_what_the_original_links() {
    let folder = rewritten();
    let answer = folder.run(&["verify", "out.jar", "--jvm", "--against", "app.jar"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    assert!(answer.stdout.ends_with("; no problem\n"), "{answer}");
    assert_snapshot!(without_versions(&answer.stdout));
}

#[test]
fn every_java_links_a_rewritten_jar() {
    let folder = rewritten();
    for jdk in weighbridge_tests::jdks() {
        let home = jdk.home.to_str().expect("UTF-8");
        let answer = folder.run(&["verify", "out.jar", "--jvm", "--java", home, "--against", "app.jar"]);
        assert_eq!(answer.code, Some(0), "{home}: {answer}");
        assert!(answer.stdout.contains(&format!("link on Java {}", jdk.version)), "{answer}");
    }
}

#[test]
fn a_class_that_the_jvm_refuses_is_a_problem_even_if_its_structure_is_sound() {
    let folder = Folder::new();
    folder.write("app.jar", zip(&[(SESSION, &unverifiable())]));
    assert_eq!(folder.run(&["verify", "app.jar"]).code, Some(0));
    let answer = folder.run(&["verify", "app.jar", "--jvm"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(answer.stdout.starts_with(&format!("app.jar!/{SESSION}: does not link on Java ")), "{answer}");
    assert!(answer.stdout.contains("VerifyError"), "{answer}");
}

#[test]
fn classes_of_one_package_with_different_signers_are_a_problem() {
    let folder = Folder::new();
    folder.write("src/p/A.java", "package p; public class A { }");
    folder.write("src/p/B.java", "package p; public class B extends A { }");
    let jdk = weighbridge_jdk::to_build_with();
    jdk.compile(&[&folder.path("src")], &folder.path("classes"), &[]);
    let class = |name: &str| std::fs::read(folder.path("classes/p").join(name)).expect("a class");
    let above = folder.write("above.jar", zip(&[("p/A.class", &class("A.class"))]));
    folder.write("below.jar", zip(&[("p/B.class", &class("B.class"))]));
    let verify = || folder.run(&["verify", "below.jar", "--jvm", "--class-path", "above.jar"]);
    assert_eq!(verify().code, Some(0));
    let store = folder.path("store");
    let key = ["-storepass", "changeit", "-alias", "acme", "-keystore"];
    let mut keytool = std::process::Command::new(jdk.tool("keytool"));
    keytool.args(["-genkeypair", "-keyalg", "EC", "-dname", "CN=acme"]).args(key).arg(&store);
    assert!(weighbridge_tests::run(&mut keytool).success());
    let mut signer = std::process::Command::new(jdk.tool("jarsigner"));
    signer.args(["-storepass", "changeit", "-keystore"]).arg(&store).arg(&above).arg("acme");
    assert!(weighbridge_tests::run(&mut signer).success());
    let answer = verify();
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(answer.stdout.contains("SecurityException: class \"p.A\"'s signer information does not match"), "{answer}");
}

#[test]
fn what_the_original_does_not_link_either_is_no_problem_but_every_difference_is() {
    let folder = rewritten();
    folder.write("bad.jar", zip(&[(SESSION, &unverifiable())]));
    assert_eq!(folder.run(&["verify", "bad.jar", "--jvm", "--against", "bad.jar"]).code, Some(0));
    let answer = folder.run(&["verify", "bad.jar", "--jvm", "--against", "app.jar"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(
        answer.stdout.contains(&format!("bad.jar!/{SESSION}: links in the original and no more on Java")),
        "{answer}"
    );
    assert!(answer.stdout.contains("links in the original and is missing here"), "{answer}");
    let answer = folder.run(&["verify", "app.jar", "--jvm", "--against", "bad.jar"]);
    assert!(answer.stdout.contains("links, though it does not in the original: VerifyError"), "{answer}");
    assert!(answer.stdout.contains("is not in the original"), "{answer}");
}

#[test]
fn what_a_class_needs_is_looked_for_on_the_class_path_and_missed_with_a_note() {
    let folder = Folder::new();
    folder.write("src/p/Base.java", "package p; public class Base { }");
    folder.write("src/p/Derived.java", "package p; public class Derived extends Base { }");
    weighbridge_jdk::to_build_with().compile(&[&folder.path("src")], &folder.path("classes"), &[]);
    let class = |name: &str| std::fs::read(folder.path("classes").join(name)).expect("a compiled class");
    folder.write("derived.jar", zip(&[("p/Derived.class", &class("p/Derived.class"))]));
    folder.write("lib/base.jar", zip(&[("p/Base.class", &class("p/Base.class"))]));
    let alone = folder.run(&["verify", "derived.jar", "--jvm"]);
    assert_eq!(alone.code, Some(0), "{alone}");
    let note = "note: derived.jar!/p/Derived.class: not linked: NoClassDefFoundError: p/Base\n";
    assert!(alone.stdout.contains(note), "{alone}");
    for path in ["lib/base.jar", "lib/*"] {
        let complete = folder.run(&["verify", "derived.jar", "--jvm", "--class-path", path]);
        assert!(!complete.stdout.contains("note"), "{path}: {complete}");
        assert!(complete.stdout.contains("1 of 1 classes link"), "{path}: {complete}");
    }
}

#[test]
fn nested_archives_hidden_copies_and_versions_are_linked_too() {
    let folder = Folder::new();
    let class = demo_class(SESSION);
    let inner = zip(&[(SESSION, &unverifiable())]);
    let version = format!("META-INF/versions/9/{SESSION}");
    let future = format!("META-INF/versions/999/{SESSION}");
    let entries: [(&str, &[u8]); 5] = [
        (SESSION, &class),
        ("WEB-INF/lib/inner.jar", &inner),
        // No loader takes classes from there.
        ("templates/data.jar", &inner),
        (&version, &unverifiable()),
        (&future, &class),
    ];
    folder.write("app.jar", zip(&entries));
    let answer = folder.run(&["verify", "app.jar", "--jvm"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    let refused: Vec<&str> = answer.stdout.lines().filter(|line| line.contains("does not link")).collect();
    assert_eq!(refused.len(), 2, "{answer}");
    assert!(refused[0].starts_with(&format!("app.jar!/{version}: ")), "{answer}");
    assert!(refused[1].starts_with(&format!("app.jar!/WEB-INF/lib/inner.jar!/{SESSION}: ")), "{answer}");
    assert!(
        answer.stdout.contains(&format!("note: app.jar!/{future}: not linked: is for Java 999 and newer")),
        "{answer}"
    );
}

#[test]
fn the_json_form_has_as_many_linked_classes_as_were_asked_for() {
    let answer = rewritten().run(&["verify", "out.jar", "--jvm", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert!(found["jvm"]["asked"].as_u64() > Some(0), "{answer}");
    assert_eq!(found["jvm"]["linked"], found["jvm"]["asked"]);
    assert_eq!(found["problems"], serde_json::json!([]));
}

#[test]
fn wrong_input_of_verify_is_named() {
    let folder = rewritten();
    assert_snapshot!("no_dependency", folder.run(&["verify", "app.jar", "--jvm", "--class-path", "none.jar"]));
    assert_snapshot!("no_original", folder.run(&["verify", "app.jar", "--jvm", "--against", "none.jar"]));
}
