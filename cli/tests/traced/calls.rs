//! Calls of methods: how many, how long, with what they call.

use std::collections::BTreeMap;
use std::process::Command;

use weighbridge_tests::{Talking, attachable, java, jdk, jdks, run};

use crate::program::{Built, Probed, calls, number, rows, trace};

/// What `call N` does in the class `Calls`, on four threads.
fn expected(n: u64) -> BTreeMap<String, (u64, u64)> {
    let all = 4 * n;
    let refused = 4 * n.div_ceil(3);
    let rows = [
        ("once", all, 0),
        ("<init>", 2 * all + all - refused, 0),
        ("twice", all, 0),
        ("own", 2 * all, 0),
        ("down", 4 * all, 0),
        ("fails", 2 * all, 2 * all),
        ("caught", all, 0),
        ("checked", all, refused),
        ("lambda$once$0", all, 0),
    ];
    rows.into_iter().map(|(name, calls, thrown)| (name.to_owned(), (calls, thrown))).collect()
}

#[test]
fn calls_are_counted_exactly_and_several_runs_do_not_know_of_each_other() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        // Before: these classes are retransformed; the others get their probes when they are loaded.
        probed.tell("call 10");
        probed.begin(&["methods"], &["--name", "a"]);
        probed.tell("call 300");
        probed.begin(&["methods"], &["--name", "b"]);
        probed.tell("call 200");
        let first = probed.ask("show", "a");
        assert_eq!(first["state"], "running");
        assert_eq!(calls(&first, "com.acme.probed.Calls"), {
            let (one, two) = (expected(300), expected(200));
            one.into_iter()
                .map(|(name, (n, thrown))| {
                    let (more, and) = two[&name];
                    (name, (n + more, thrown + and))
                })
                .collect::<BTreeMap<_, _>>()
        });
        let second = probed.ask("stop", "b");
        assert_eq!(second["ended_by"], "stop");
        assert_eq!(calls(&second, "com.acme.probed.Calls"), expected(200), "Java {}", jdk.major);
        assert_eq!(calls(&second, "com.acme.probed.Below")["<init>"], (800, 0));
        assert_eq!(calls(&second, "com.acme.probed.Through")["through"], (800, 0));
        assert_eq!(calls(&second, "com.acme.probed.Main")["onThreads"], (1, 0));
        probed.tell("call 100");
        let first = probed.ask("stop", "a");
        assert_eq!(calls(&first, "com.acme.probed.Calls")["once"], (4 * 600, 0), "Java {}", jdk.major);
        let gone = probed.trace("show", &["a"]);
        assert!(gone.code == Some(3) && gone.stderr.contains("no run of traces has the name a"), "{gone}");
        probed.detach();
        probed.tell("call 10");
    }
}

#[test]
fn calls_have_the_classes_of_their_arguments() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        let methods = ["outer", "inner", "none"].map(|name| format!("com.acme.probed.Told.{name}"));
        let mut arguments = vec!["calls", "--name", "c", "--arguments"];
        methods.iter().for_each(|method| arguments.extend(["--method", method]));
        let started = probed.trace("start", &arguments);
        assert!(started.success(), "{started}");
        probed.tell("tell 3");
        let run = probed.ask("stop", "c");
        let trees = rows(trace(&run, "calls"), "trees");
        assert_eq!(trees.len(), 3, "Java {}: {run:#}", jdk.major);
        for tree in trees {
            let told = rows(tree, "calls").iter().map(|call| format!("{} {}", call["method"], call["arguments"]));
            let expected = [
                r#""outer" ["java.lang.String","int[]","null"]"#,
                r#""inner" ["java.util.ArrayList","java.lang.Long","java.lang.String","java.lang.String"]"#,
                r#""none" null"#,
            ];
            assert_eq!(told.collect::<Vec<_>>(), expected, "Java {}", jdk.major);
        }
        probed.detach();
    }
}

#[test]
fn slow_calls_are_kept_with_what_they_called() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.tell("slow 0");
        let method = ["--method", "com.acme.probed.Slow.*", "--name", "s", "--slower", "150ms"];
        let output = probed.trace("start", &[&["calls"], &method[..]].concat());
        assert!(output.success(), "{output}");
        for ms in [1, 200, 2, 300, 3] {
            probed.tell(&format!("slow {ms}"));
        }
        let run = probed.ask("stop", "s");
        let calls = trace(&run, "calls");
        assert_eq!((number(&calls["outermost"]), number(&calls["slow"])), (5, 2), "Java {}", jdk.major);
        let trees = rows(calls, "trees");
        let ms: Vec<u64> = trees.iter().map(|tree| number(&tree["total_ns"]) / 1_000_000).collect();
        assert!(ms.len() == 2 && ms[0] >= 300 && ms[1] >= 200 && ms[1] < ms[0], "{ms:?}");
        for tree in trees {
            assert_eq!(tree["thread"], "main");
            let called: Vec<(&str, u64)> = rows(tree, "calls")
                .iter()
                .map(|call| (call["method"].as_str().expect("a name"), number(&call["level"])))
                .collect();
            assert_eq!(called, [("outer", 0), ("inner", 1), ("quick", 1)], "{tree:#}");
            let inner = &rows(tree, "calls")[1];
            assert!(number(&inner["total_ns"]) <= number(&tree["total_ns"]), "{tree:#}");
        }
        probed.detach();
    }
}

/// JFR of 25 counts calls by probes of its own (JEP 520).
#[test]
fn calls_are_as_many_as_flight_recorder_counts() {
    let built = Built::new();
    let jdk = jdk(25);
    let recording = built.folder.path().join("timing.jfr");
    let mut command = java(jdk);
    command
        .args(attachable(jdk))
        .arg(format!("-XX:StartFlightRecording:method-timing=com.acme.probed.Calls,filename={}", recording.display()));
    command.arg("-cp").arg(&built.classes).arg("com.acme.probed.Main");
    let mut program = Talking::start(&mut command);
    // The recorder may say that it has started.
    while program.line() != "ready" {}
    let mut probed = Probed { program, jdk };
    // Before the class is loaded, so that both see all calls.
    probed.begin(&["methods"], &["--name", "m", "--max-cpu", "100"]);
    probed.tell("call 500");
    let found = calls(&probed.ask("stop", "m"), "com.acme.probed.Calls");
    drop(probed.program.child.stdin.take());
    assert!(probed.program.child.wait().expect("an end").success());
    let mut print = Command::new(jdk.tool("jfr"));
    let print = run(print.args(["print", "--json", "--events", "jdk.MethodTiming"]).arg(&recording));
    let events = print.json();
    // Each event has the sums so far.
    let mut timed = BTreeMap::new();
    for event in rows(&events["recording"], "events") {
        let values = &event["values"];
        let method = values["method"]["name"].as_str().expect("a name").to_owned();
        let most: &mut u64 = timed.entry(method).or_default();
        *most = number(&values["invocations"]).max(*most);
    }
    timed.retain(|_, calls| *calls > 0);
    for (method, (calls, thrown)) in found {
        match timed.remove(&method) {
            // A call that ends by a `throw` of its own was two calls in 25.0.2.
            Some(theirs) => assert!(theirs == calls || theirs == calls + thrown, "{method}: {theirs}, {calls}"),
            None => assert!(method.starts_with("lambda$"), "{method}"),
        }
    }
    assert!(timed.is_empty(), "{timed:?}");
}
