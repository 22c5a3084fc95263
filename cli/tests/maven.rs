//! The Maven plugin on builds of three modules: tests are weighed, what is packaged is not, and nothing is done twice.

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};
use weighbridge_tests::maven::{Sample, deploy, local, publish_binary};
use weighbridge_tests::{Output, Weighbridge, java, jdks, run};

const BINARY: &str = env!("CARGO_BIN_EXE_weighbridge");
const VERDICTS: &str = "app/target/weighbridge/TEST-weighbridge.xml";
const REWRITTEN: &str = "target/weighbridge/classpath";

/// What the unit tests of the module `app` construct and keep.
const UNIT_TESTS_OF_APP: [(&str, &str, u64, u64); 4] = [
    ("com.acme.orders.Line", "orders", 3_050, 1_850),
    ("com.acme.orders.Order", "orders", 1_000, 600),
    ("com.acme.orders.book.OrderBook", "book", 1, 1),
    ("com.acme.orders.book.UrgentOrder", "book", 50, 50),
];

/// The same with those of the integration test, which has a JVM and a recording of its own.
const TESTS_OF_APP: [(&str, &str, u64, u64); 4] = [
    ("com.acme.orders.Line", "orders", 3_057, 1_850),
    ("com.acme.orders.Order", "orders", 1_000, 600),
    ("com.acme.orders.book.OrderBook", "book", 2, 1),
    ("com.acme.orders.book.UrgentOrder", "book", 57, 50),
];

#[test]
fn the_tests_of_all_modules_are_weighed_on_the_oldest_and_newest_java_and_the_jars_stay_original() {
    let sample = Sample::new(BINARY);
    for jdk in jdks() {
        let jvm = format!("-Djvm={}", jdk.java().display());
        let output = sample.maven(&["clean", "verify", &jvm]);
        assert!(output.success(), "Java {}: {output}", jdk.version);
        let app = sample.report("app");
        assert_eq!(classes(&app), TESTS_OF_APP, "Java {}: {app:#}", jdk.version);
        assert_eq!(app["jvms"][0]["version"].as_str().map(|v| v.starts_with(&jdk.version)), Some(true), "{app:#}");
        let api = sample.report("api");
        let allocated: Vec<(&str, u64)> = classes(&api).iter().map(|class| (class.0, class.2)).collect();
        assert_eq!(allocated, [("com.acme.orders.Line", 20), ("com.acme.orders.Order", 10)]);
        let text = std::fs::read_to_string(sample.path("app/target/weighbridge/report.txt")).expect("a text report");
        assert!(text.contains("com.acme.orders.book.UrgentOrder"), "{text}");
        let verdicts = std::fs::read_to_string(sample.path(VERDICTS)).expect("the budget of app is checked");
        assert!(verdicts.contains("tests=\"1\" failures=\"0\" errors=\"0\""), "{verdicts}");
        assert!(!sample.path("dist/target/weighbridge/report.json").exists(), "dist has no tests");
        for jar in ["api/target/orders-api-1.0.jar", "app/target/orders-app-1.0.jar"] {
            assert_eq!(bridges(&sample.path(jar)), 0, "{jar}");
        }
        assert_eq!(bridges(&sample.path("dist/target/orders-dist-1.0-jar-with-dependencies.jar")), 0);
    }
}

#[test]
fn the_jar_with_dependencies_is_rewritten_beside_the_original_and_weighs_itself() {
    let sample = Sample::new(BINARY);
    let output = sample.maven(&["package", "-DskipTests"]);
    assert!(output.success(), "{output}");
    let jar = sample.path("dist/target/weighbridge/packaged/weighed/orders-dist-1.0-jar-with-dependencies.jar");
    assert_eq!(bridges(&jar), 1);
    for jdk in jdks() {
        let recording = sample.path(&format!("{}.wbr", jdk.major));
        let destination = format!("-Dweighbridge.destfile={}", recording.display());
        let output = run(java(jdk).arg(destination).arg("-jar").arg(&jar));
        assert!(output.success() && output.stderr.is_empty(), "Java {}: {output}", jdk.version);
        assert_eq!(output.stdout, "25 open orders\n");
        let report = Weighbridge::new(BINARY).report(&recording);
        let order = classes(&report).into_iter().find(|class| class.0 == "com.acme.orders.Order");
        assert_eq!(order, Some(("com.acme.orders.Order", "orders", 25, 25)), "Java {}", jdk.version);
    }
}

#[test]
fn a_second_build_rewrites_nothing_and_a_changed_class_only_what_sees_it() {
    let sample = Sample::new(BINARY);
    let build = || {
        let output = sample.maven(&["verify"]);
        assert!(output.success(), "{output}");
        ["api", "app"].map(|module| sample.written(&format!("{module}/{REWRITTEN}")))
    };
    let first = build();
    assert!(first[0].len() == 5 && first[1].len() == 6, "classes, their mark, bridge, runtime and a jar: {first:#?}");
    let packaged = sample.written("dist/target/weighbridge/packaged");
    assert_eq!(build(), first);
    assert_eq!(sample.written("dist/target/weighbridge/packaged"), packaged);
    let recordings = sample.written("app/target/weighbridge/recordings");
    assert_eq!(recordings.len(), 2, "those of the first build are gone: {recordings:?}");
    assert_eq!(classes(&sample.report("app")), TESTS_OF_APP);

    sample.edit("app/src/main/java/com/acme/orders/book/OrderBook.java", "open orders", "orders");
    sample.edit("app/src/test/java/com/acme/orders/book/OrderBookTest.java", "open orders", "orders");
    let changed = build();
    assert_eq!(changed[0], first[0], "api does not see app");
    assert_ne!(changed[1], first[1]);
    assert_eq!(classes(&sample.report("app")), TESTS_OF_APP);

    sample.edit("weighbridge.toml", "\"com.acme.orders.**\"", "\"com.acme.orders.*\"");
    let configured = build();
    assert_ne!(configured[0], changed[0]);
    assert!(!sample.path(&format!("app/{REWRITTEN}/classes")).exists(), "no class of app matches any more");
    assert_eq!(classes(&sample.report("app")).len(), 2);
}

#[test]
fn without_the_phase_package_modules_are_weighed_from_their_folders() {
    let sample = Sample::new(BINARY);
    let output = sample.maven(&["test", "--threads", "2"]);
    assert!(output.success(), "{output}");
    let report = Weighbridge::new(BINARY).report(&sample.path("app/target/weighbridge/recordings"));
    assert_eq!(classes(&report), UNIT_TESTS_OF_APP);
    let output = sample.maven(&["test", "-Dweighbridge.dependencies=false"]);
    assert!(output.success(), "{output}");
    let report = Weighbridge::new(BINARY).report(&sample.path("app/target/weighbridge/recordings"));
    let own: Vec<&str> = classes(&report).iter().map(|class| class.0).collect();
    assert_eq!(own, ["com.acme.orders.book.OrderBook", "com.acme.orders.book.UrgentOrder"]);
}

#[test]
fn when_tests_fail_and_the_build_goes_on_the_next_module_is_weighed_from_original_classes() {
    let sample = Sample::new(BINARY);
    sample.edit("api/src/test/java/com/acme/orders/OrderTest.java", "order + 1", "order");
    let output = sample.maven(&["test", "--fail-never"]);
    assert!(output.stdout.contains("Failures: 1"), "{output}");
    let report = Weighbridge::new(BINARY).report(&sample.path("app/target/weighbridge/recordings"));
    assert_eq!(classes(&report), UNIT_TESTS_OF_APP);
}

#[test]
fn what_would_go_wrong_is_said_before_anything_is_rewritten() {
    let sample = Sample::new(BINARY);
    let refused = |output: Output, message: &str| {
        assert!(!output.success() && output.stdout.contains(message), "{message}: {output}");
        assert!(!sample.path("api").join(REWRITTEN).exists());
    };
    let absent = sample.path("nowhere/weighbridge").display().to_string();
    refused(sample.maven_with(&absent, &["test", "--projects", "api"]), &format!("no executable `{absent}`"));
    refused(sample.maven(&["test", "-Dweighbridge.config=absent.toml", "-pl", "api"]), "absent.toml does not exist");
    sample.edit("pom.xml", "<goal>restore</goal>", "");
    refused(sample.maven(&["test", "--projects", "api"]), "the goal `instrument` needs the goal `restore`");
    let output = sample.maven_with(&absent, &["verify", "-Dweighbridge.skip"]);
    assert!(output.success(), "{output}");
    assert!(!sample.path("app/target/weighbridge").exists(), "skipped is as if the plugin were not there");
}

#[test]
fn without_an_installed_binary_the_artifact_of_this_machine_is_resolved_and_an_offline_build_names_it() {
    let sample = Sample::new(BINARY);
    let version = env!("CARGO_PKG_VERSION");
    _ = std::fs::remove_dir_all(local("io.weighbridge", "weighbridge-cli"));
    let settings = sample.path("cli.xml").display().to_string();
    let build = |more: &[&str]| {
        let arguments = ["verify", "--projects", "api", "-Dweighbridge.formats=text", "--settings", &settings];
        sample.maven_alone(&[&arguments, more].concat())
    };
    std::fs::write(&settings, "<settings/>").expect("settings");
    let output = build(&["--offline"]);
    let coordinates = format!("io.weighbridge:weighbridge-cli:{version}:exe:");
    assert!(!output.success() && output.stdout.contains(&coordinates), "{output}");
    assert!(output.stdout.contains("offline") && output.stdout.contains("-Dweighbridge.executable=FILE"), "{output}");

    let repository = sample.path("repository");
    publish_binary(BINARY, version, &repository);
    let url = format!("<url>file://{}</url>", repository.display().to_string().replace(' ', "%20"));
    let with_repository = format!(
        "<settings><profiles><profile><id>cli</id><repositories><repository><id>cli</id>{url}</repository></repositories>\
         </profile></profiles><activeProfiles><activeProfile>cli</activeProfile></activeProfiles></settings>"
    );
    std::fs::write(&settings, with_repository).expect("settings");
    let output = build(&[]);
    assert!(output.success(), "{output}");
    let text = std::fs::read_to_string(sample.path("api/target/weighbridge/report.txt")).expect("a report");
    assert!(text.contains("com.acme.orders.Order"), "{text}");
}

#[test]
fn the_release_profile_makes_what_maven_central_asks_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let modules = "runtime-java/runtime,plugins/maven,plugins/gradle,plugins/gradle/marker";
    deploy(modules, folder.path(), &["-Prelease", "-DskipTests"]);
    let version = env!("CARGO_PKG_VERSION");
    let artifact = |name: &str, rest: &str| {
        let file = folder.path().join(format!("io/weighbridge/{name}/{version}/{name}-{version}{rest}"));
        assert!(file.is_file(), "{} is not there", file.display());
        file
    };
    let names = [
        "weighbridge-runtime",
        "weighbridge-maven-plugin",
        "weighbridge-gradle-plugin",
        "io.weighbridge.gradle.plugin",
    ];
    for name in names {
        let pom = std::fs::read_to_string(artifact(name, ".pom")).expect("the POM");
        for asked in ["<name>", "<description>", "<url>", "<licenses>", "<developers>", "<scm"] {
            assert!(pom.contains(asked), "{name} has no {asked}: {pom}");
        }
        assert!(!pom.contains("<parent>"), "nobody has the parent: {pom}");
    }
    for (name, source) in [
        ("weighbridge-runtime", "io/weighbridge/Weighbridge"),
        ("weighbridge-maven-plugin", "io/weighbridge/maven/InstrumentMojo"),
        ("weighbridge-gradle-plugin", "io/weighbridge/gradle/WeighbridgePlugin"),
    ] {
        artifact(name, ".jar");
        let sources = entries(&artifact(name, "-sources.jar"));
        assert!(sources.contains(&format!("{source}.java")), "{name}: {sources:?}");
        let pages = entries(&artifact(name, "-javadoc.jar"));
        assert!(pages.contains(&format!("{source}.html")), "{name}: {pages:?}");
        assert!(!pages.iter().any(|page| page.starts_with("io/weighbridge/runtime/")), "no API: {pages:?}");
    }
}

#[test]
fn a_broken_budget_breaks_the_build_and_so_does_one_that_was_not_measured() {
    let sample = Sample::new(BINARY);
    let verify = |more: &[&str]| sample.maven(&[&["verify", "--projects", "api,app"], more].concat());
    sample.edit("weighbridge.toml", "max = 1000", "max = 599");
    let output = verify(&[]);
    assert!(!output.success() && output.stdout.contains("memory budgets are broken"), "{output}");
    assert!(output.stdout.contains("broken: class com.acme.orders.Order of component orders: live 600, 599 allowed"));
    let verdicts = std::fs::read_to_string(sample.path(VERDICTS)).expect("verdicts");
    assert!(verdicts.contains("tests=\"1\" failures=\"1\""), "{verdicts}");
    let output = verify(&["-Dweighbridge.haltOnFailure=false"]);
    assert!(output.success() && output.stdout.contains("[WARNING] broken: class com.acme.orders.Order"), "{output}");
    let output = verify(&["-DskipTests"]);
    assert!(output.success() && output.stdout.contains("No budget is checked: tests are skipped"), "{output}");
    let output = verify(&["-DargLine=-Xmx1g"]);
    assert!(output.stdout.contains("-DargLine on the command line wins over the plugin"), "{output}");
    assert!(!output.success() && output.stdout.contains("ran with an `argLine` without @{argLine}"), "{output}");
}

#[test]
fn the_plugin_explains_every_parameter_of_every_goal() {
    let sample = Sample::new(BINARY);
    let output = sample.maven(&[
        concat!("io.weighbridge:weighbridge-maven-plugin:", env!("CARGO_PKG_VERSION"), ":help"),
        "-Ddetail",
        "-N",
    ]);
    assert!(output.success() && !output.stdout.contains("(no description"), "{output}");
    for goal in ["instrument", "instrument-jar", "restore", "report", "check"] {
        assert!(output.stdout.contains(&format!("weighbridge:{goal}\n")), "{goal}: {output}");
    }
}

/// Name, component, allocated and live objects of the classes of a report, by name; all figures must be exact.
fn classes(report: &Value) -> Vec<(&str, &str, u64, u64)> {
    let mut classes: Vec<_> = report["classes"]
        .as_array()
        .expect("a list of classes")
        .iter()
        .map(|class| {
            assert_eq!(class["exact"], json!(true), "{class:#}");
            let text = |key: &str| class[key].as_str().expect("a text");
            let number = |key: &str| class[key].as_u64().expect("a number");
            (text("class"), text("component"), number("allocated"), number("live"))
        })
        .collect();
    classes.sort();
    classes
}

/// How many bridge classes a jar has: one for each folder of classes that was rewritten.
fn bridges(jar: &Path) -> usize {
    entries(jar).iter().filter(|name| name.contains("/Weighbridge$")).count()
}

/// The names of the entries of a jar.
fn entries(jar: &Path) -> Vec<String> {
    let archive = zip::ZipArchive::new(File::open(jar).expect("a jar")).expect("an archive");
    archive.file_names().map(|name| name.expect("a name").into_owned()).collect()
}
