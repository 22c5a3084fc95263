//! `init` and `config`: a configuration is proposed that is right and selects classes.

use std::fs;

use insta::assert_snapshot;

use crate::support::{Folder, demo_class, zip};

/// Any class file: `init` reads names only.
const CLASS: &[u8] = &[0xca, 0xfe, 0xba, 0xbe];

fn checked(folder: &Folder, file: &str) {
    let answer = folder.run(&["config", "check", file]);
    assert_eq!(answer.code, Some(0), "{answer}");
}

#[test]
fn the_proposal_for_an_executable_jar_has_its_packages_and_their_components() {
    let folder = Folder::new();
    folder.write("shop.jar", weighbridge_samples::DEMO_JAR);
    let answer = folder.run(&["init", "shop.jar"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    checked(&folder, "weighbridge.toml");
    let text = fs::read_to_string(folder.path("weighbridge.toml")).expect("the file");
    assert_snapshot!(format!("{}\n{text}", answer.stdout));
    let again = folder.run(&["init", "shop.jar"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(2), ""), "{again}");
    assert!(again.stderr.contains("exists; use --force"), "{again}");
    assert_eq!(folder.run(&["init", "shop.jar", "--force"]).code, Some(0));
    let printed = folder.run(&["init", "shop.jar", "-f", "-"]);
    assert_eq!(printed.stdout, text);
}

#[test]
fn what_is_proposed_is_what_instrument_rewrites() {
    let folder = Folder::new();
    folder.write("shop.jar", weighbridge_samples::DEMO_JAR);
    assert_eq!(folder.run(&["init", "shop.jar"]).code, Some(0));
    let answer = folder.run(&["instrument", "shop.jar", "--config", "weighbridge.toml", "-o", "weighed.jar"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
}

#[test]
fn of_a_spring_boot_jar_the_own_classes_are_measured_and_what_frameworks_keep_for_them() {
    let folder = Folder::new();
    let tomcat = zip(&[
        ("org/apache/catalina/core/StandardContext.class", CLASS),
        ("org/apache/catalina/session/StandardSession.class", CLASS),
        ("org/apache/catalina/Host.class", CLASS),
    ]);
    let jar = zip(&[
        (
            "META-INF/MANIFEST.MF",
            b"Manifest-Version: 1.0\r\nMain-Class: org.springframework.boot.loader.launch.JarLauncher\r\nStart-Class: org.petclinic.Main\r\n\r\n",
        ),
        ("org/springframework/boot/loader/launch/JarLauncher.class", CLASS),
        ("BOOT-INF/classes/org/petclinic/Main.class", CLASS),
        ("BOOT-INF/classes/org/petclinic/owner/Owner.class", CLASS),
        ("BOOT-INF/classes/org/petclinic/owner/Pet.class", CLASS),
        ("BOOT-INF/classes/org/petclinic/vet/Vet.class", CLASS),
        ("BOOT-INF/lib/tomcat-embed-core.jar", &tomcat),
    ]);
    folder.write("app.jar", jar);
    let answer = folder.run(&["init", "app.jar", "--schema"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    checked(&folder, "weighbridge.toml");
    let schema = folder.run(&["config", "schema"]).stdout;
    assert_eq!(fs::read_to_string(folder.path("weighbridge.schema.json")).expect("the schema"), schema);
    let text = fs::read_to_string(folder.path("weighbridge.toml")).expect("the file");
    assert_snapshot!(format!("{}\n{text}", answer.stdout));
}

#[test]
fn of_a_jar_with_libraries_merged_in_the_packages_of_the_main_class_are_the_application() {
    let folder = Folder::new();
    let jar = zip(&[
        ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\nMain-Class: com.acme.app.Main\r\n\r\n"),
        ("com/acme/app/Main.class", CLASS),
        ("com/acme/app/work/Job.class", CLASS),
        ("com/google/common/cache/LocalCache.class", CLASS),
        ("org/slf4j/Logger.class", CLASS),
    ]);
    folder.write("app.jar", jar);
    let answer = folder.run(&["init", "app.jar", "-f", "-"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("\"com.acme.app.**\""), "{answer}");
    assert!(!answer.stdout.contains("org.slf4j"), "{answer}");
    assert!(answer.stdout.contains("\"caches.guava\" = [\"com.google.common.cache.LocalCache\"]"), "{answer}");
}

#[test]
fn of_a_project_what_its_modules_have_built_is_measured() {
    let folder = Folder::new();
    for class in ["a/target/classes/com/acme/a/A.class", "b/target/classes/com/acme/b/B.class"] {
        folder.write(class, CLASS);
    }
    let answer = folder.run(&["init", "-f", "-"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("2 of 2 classes") && answer.stdout.contains("\"com.acme.**\""), "{answer}");
}

#[test]
fn budgets_are_what_a_run_had_and_a_margin() {
    let folder = Folder::new();
    folder.write("page.jar", zip(&[("com/acme/shop/web/Page.class", &demo_class("com/acme/shop/web/Page.class"))]));
    let report = r#"{"format":1,"jvms":[],"summary":{},"components":[
        {"component":"web","live":10,"live_error":0.0,"exact":true,"own_bytes":10000}],
        "classes":[{"class":"com.acme.shop.web.Page","component":"web","live":10,"exact":true,"own_bytes":10000}]}"#;
    folder.write("first.json", report);
    let answer = folder.run(&["init", "page.jar", "--from", "first.json", "--margin", "20"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    let text = fs::read_to_string(folder.path("weighbridge.toml")).expect("the file");
    assert_snapshot!(text.split("# Limits").nth(1).expect("budgets"));
    let held = folder.run(&["check", "first.json", "--config", "weighbridge.toml"]);
    assert_eq!(held.code, Some(0), "{held}");
}

#[test]
fn what_has_no_classes_gets_one_clear_error_and_no_file() {
    let folder = Folder::new();
    folder.write("empty/readme.txt", b"nothing");
    folder.write("text.jar", b"no zip");
    folder.write("none.jar", zip(&[("a.txt", b"a")]));
    let refusals: Vec<String> =
        [&["init", "empty"][..], &["init", "text.jar"], &["init", "none.jar"], &["init", "gone.jar"]]
            .into_iter()
            .chain([&["init", "none.jar", "--schema", "-f", "-"][..], &["config", "check", "gone.toml"]])
            .map(|arguments| {
                let answer = folder.run(arguments);
                assert_eq!((answer.stdout.as_str(), answer.stderr.lines().count()), ("", 1), "{answer}");
                format!("{arguments:?}: {:?} {}", answer.code.expect("a code"), answer.stderr)
            })
            .collect();
    assert!(!folder.path("weighbridge.toml").exists());
    assert_snapshot!(refusals.concat());
}

#[test]
fn config_check_tells_what_a_configuration_has_or_where_it_is_wrong() {
    let folder = Folder::new();
    folder.write("right.toml", "version = 1\n[instrument]\ninclude = [\"a.**\"]\n[components]\nweb = [\"a.web.**\"]\n");
    folder.write("wrong.toml", "version = 1\n[instrument]\ninculde = [\"a.**\"]\n");
    let right = folder.run(&["config", "check", "right.toml"]);
    assert_eq!(right.stdout, "right.toml: right; 1 pattern of classes to measure, 1 component\n", "{right}");
    let wrong = folder.run(&["config", "check", "right.toml", "wrong.toml"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(3), ""), "{wrong}");
    assert!(wrong.stderr.contains("wrong.toml: line 3, column 1: unknown key `inculde`"), "{wrong}");
}
