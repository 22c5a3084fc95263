//! Classes of the JDK: exact counts, and programs that still run.

use std::collections::BTreeMap;

use serde_json::Value;
use weighbridge_tests::{at_once, every_java, run};

use crate::programs::{Programs, counted, made, rows};

/// How many objects of each class were constructed.
fn allocated(report: &Value) -> BTreeMap<String, u64> {
    rows(report).iter().map(counted).collect()
}

#[test]
fn collections_of_the_jdk_are_counted_exactly_on_all_kinds_of_threads_and_the_runtimes_own_are_not() {
    let classes = [
        "HashMap",
        "LinkedHashMap",
        "ArrayList",
        "HashSet",
        "concurrent.ConcurrentHashMap",
        "concurrent.atomic.AtomicLong",
    ];
    let config =
        format!("[instrument]\ninclude = [{}]\n", classes.map(|class| format!("\"java.util.{class}\"")).join(", "));
    let programs = Programs::new("loading", &[]);
    for jdk in every_java() {
        // What the runtime constructs for many measurements would be seen.
        let run = |times, options| programs.measure(jdk, &config, options, &["com.acme.loading.Collections", times]);
        let [(once, few), (often, many)] = [run("1", ""), run("2000", ",interval=10ms,cpu_percent=100")];
        // The JDK's own threads of 21 and later construct one more or less.
        let its_own = if jdk.major < 21 { 0 } else { 2 };
        let (few, many) = (allocated(&few), allocated(&many));
        for ((class, least), (_, most)) in made(&once).into_iter().zip(made(&often)) {
            let counted = many[&class] - few[&class];
            assert!(counted.abs_diff(most - least) <= its_own, "Java {}: {class}: {few:?} {many:?}", jdk.version);
        }
    }
}

/// The JVM's own count has a line for each class; those below a selected one belong to it.
#[test]
fn live_objects_of_classes_below_a_selected_one_are_counted_by_the_jvm_too() {
    let config = "[instrument]\ninclude = [\"java.util.HashMap\"]\n";
    let programs = Programs::new("loading", &[]);
    for jdk in every_java() {
        let (output, report) = programs.measure(jdk, config, "", &["com.acme.loading.Below"]);
        let [row] = rows(&report).as_slice() else { panic!("one class: {report:#}") };
        let (kept, live) = (made(&output)[0].1, row["live"].as_u64().expect("a count"));
        let known = counted(row).1 + row["before"].as_u64().unwrap_or(0) + row["unannounced"].as_u64().unwrap_or(0);
        assert!((kept..=known).contains(&live), "Java {}: {kept} kept, {known} known: {row:#}", jdk.version);
    }
}

#[test]
fn a_program_runs_on_whatever_classes_of_the_jdk_have_probes() {
    let programs = Programs::new("loading", &[]);
    at_once(every_java().iter().enumerate(), |(index, jdk)| {
        let launch = ["com.acme.loading.Everything"];
        let original = run(programs.java(jdk).args(launch));
        assert!(original.success(), "{original}");
        // All that there is on each Java, and the parts on every second one.
        let parts = [
            "java.lang.String",
            "java.lang.Thread",
            "java.lang.ThreadLocal**",
            "java.lang.ref.**",
            "java.util.concurrent.**",
            "java.lang.**",
        ];
        for include in ["java.**", "**"].into_iter().chain(parts.into_iter().skip(index % 2).step_by(2)) {
            let config = format!("[instrument]\ninclude = [\"{include}\"]\n");
            let (output, report) = programs.measure(jdk, &config, "", &launch);
            assert_eq!(original.stdout, output.stdout, "Java {} {include}", jdk.version);
            assert!(!rows(&report).is_empty(), "Java {} {include}: {report:#}", jdk.version);
        }
    });
}
