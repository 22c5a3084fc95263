//! What else is in a JVM: archives of classes, other agents, class loaders and modules of all kinds.

use std::fs;
use std::process::Command;

use weighbridge_jdk::pack_jar;
use weighbridge_tests::{Jdk, at_once, jar, java, jdks, native_agent, run};

use crate::programs::{LOADING, Programs, as_made, counted, rows};

const MAIN: &str = "com.acme.loading.Loading";

/// The options with which a JVM has an archive with the program's classes, made by a run of it.
fn archives(programs: &Programs, jdk: &Jdk) -> Vec<Vec<String>> {
    let folder = programs.folder.path();
    let program = folder.join("program.jar");
    pack_jar(&programs.classes, &[], &program);
    let in_folder = |name: &str| folder.join(format!("{name}-{}", jdk.major)).display().to_string();
    let java = |options: &[String]| {
        let mut command = java(jdk);
        command.args(options).arg("-cp").arg(&program);
        command
    };
    let made = |command: &mut Command| {
        let output = run(command);
        assert!(output.success(), "Java {}: {output}", jdk.version);
    };
    let (list, archive) = (in_folder("list"), format!("-XX:SharedArchiveFile={}", in_folder("archive")));
    made(java(&["-Xshare:off".to_owned(), format!("-XX:DumpLoadedClassList={list}")]).arg(MAIN));
    made(&mut java(&["-Xshare:dump".to_owned(), format!("-XX:SharedClassListFile={list}"), archive.clone()]));
    let mut all = vec![vec![archive]];
    if jdk.major >= 25 {
        made(java(&[format!("-XX:AOTCacheOutput={}", in_folder("cache"))]).arg(MAIN));
        all.push(vec![format!("-XX:AOTCache={}", in_folder("cache"))]);
    }
    for options in &mut all {
        options.extend(["-cp".to_owned(), program.display().to_string(), MAIN.to_owned()]);
    }
    all
}

#[test]
fn archives_of_classes_stay_in_use_and_their_classes_are_counted() {
    let programs = Programs::new("loading", &[]);
    for jdk in jdks() {
        for options in archives(&programs, jdk) {
            let log = programs.folder.path().join("classes.log");
            let logging = format!("-Xlog:class+load:file={}", log.display());
            let shared = |context: &str| {
                let text = fs::read_to_string(&log).expect("the log");
                for class in ["java.util.HashMap", "com.acme.loading.Loading", "com.acme.loading.Classes$Base"] {
                    let line = |line: &&str| line.contains(&format!(" {class} source: shared objects file"));
                    assert!(text.lines().any(|one| line(&one)), "{context}: {class} is not from the archive:\n{text}");
                }
            };
            let context = format!("Java {} {options:?}", jdk.version);
            let idle =
                run(java(jdk).arg(format!("-agentpath:{}", native_agent().display())).arg(&logging).args(&options));
            assert!(idle.success(), "{context}: {idle}");
            shared(&format!("{context}, idle"));
            let (output, report) = programs.measure_as(LOADING, "", |agent| {
                let mut command = java(jdk);
                command.arg(agent).arg(&logging).args(&options);
                command
            });
            shared(&context);
            as_made(&output, &report, &context);
        }
    }
}

#[test]
fn a_system_class_loader_of_the_programs_own_changes_nothing() {
    let programs = Programs::new("loading", &[]);
    for jdk in jdks() {
        for loader in ["SystemLoader", "SystemLoader$Appendable"] {
            // With an archive of classes the JVM itself warns that such a loader makes it useless.
            let option = format!("-Djava.system.class.loader=com.acme.loading.{loader}");
            let (output, report) = programs.measure(jdk, LOADING, "", &["-Xshare:off", &option, MAIN]);
            as_made(&output, &report, &format!("Java {} {loader}", jdk.version));
        }
    }
}

#[test]
fn the_agent_of_opentelemetry_works_beside_it() {
    let programs = Programs::new("loading", &[]);
    let other = format!("-javaagent:{}", jar("opentelemetry-javaagent").display());
    at_once(jdks().iter().zip([true, false].into_iter().cycle()), |(jdk, first)| {
        let (output, report) = programs.measure_as(LOADING, "", |agent| {
            let mut command = programs.java(jdk);
            for signal in ["traces", "metrics", "logs"] {
                command.arg(format!("-Dotel.{signal}.exporter=none"));
            }
            command.args(if first { [agent, &other] } else { [&other, agent] }).arg(MAIN);
            command
        });
        let context = format!("Java {}, first: {first}", jdk.version);
        assert!(output.stderr.contains("opentelemetry-javaagent - version"), "{context}: {output}");
        assert!(!output.stderr.contains("ERROR") && !output.stderr.contains("weighbridge"), "{context}: {output}");
        as_made(&output, &report, &context);
    });
}

#[test]
fn a_bundle_of_osgi_that_imports_nothing_is_counted() {
    let felix = jar("org.apache.felix.framework");
    let programs = Programs::new("osgi", std::slice::from_ref(&felix));
    let class = "com.fasterxml.jackson.core.JsonFactory";
    for jdk in jdks() {
        let (output, report) = programs.measure_as("[instrument]\ninclude = [\"com.fasterxml.**\"]\n", "", |agent| {
            let mut command = java(jdk);
            command.arg(agent).arg("-cp").arg(std::env::join_paths([&programs.classes, &felix]).expect("paths"));
            command.arg(format!("-Djava.io.tmpdir={}", programs.folder.path().display()));
            command.arg(format!("-Dbundles={}", jar("jackson-core").display())).arg(format!("-Dtype={class}"));
            command.arg("Bundles");
            command
        });
        assert!(output.stdout.contains(&format!("made {class} of com.fasterxml.jackson.core")), "{output}");
        assert!(!output.stdout.contains("not isolated"), "{output}");
        let row = rows(&report).iter().map(counted).find(|(name, _)| name == class);
        assert_eq!(row, Some((class.to_owned(), 1)), "Java {}: {report:#}", jdk.version);
    }
}

#[test]
fn a_module_that_exports_nothing_to_the_agent_is_counted() {
    let programs = Programs::new("module", &[]);
    for jdk in jdks() {
        let path = programs.classes.to_str().expect("UTF-8");
        let launch = ["-p", path, "-m", "com.acme.mod/com.acme.mod.Main"];
        let (output, report) = programs.measure(jdk, "[instrument]\ninclude = [\"com.acme.mod.*\"]\n", "", &launch);
        assert_eq!(output.stdout, "part of com.acme.mod\n");
        assert_eq!(rows(&report).iter().map(counted).collect::<Vec<_>>(), [("com.acme.mod.Part".to_owned(), 1)]);
    }
}
