//! Measurements by a heap dump: to the byte what the program keeps, whatever was sampled, is garbage, or came without a constructor.
#![cfg(target_os = "linux")]

use std::fs;

use serde_json::Value;
use weighbridge_tests::{Weighbridge, at_once, compile, java, jdks, run};

/// Few references, so that most objects have none.
const CONFIG: &str = r#"
version = 1
[instrument]
include = ["com.acme.dumped.Main$Order", "com.acme.dumped.Main$Line", "com.acme.dumped.Main$Shelf", "com.acme.dumped.Main$Node"]
[measure.budget]
references = 200
[components]
orders = ["com.acme.dumped.Main$Order"]
shelves = ["com.acme.dumped.Main$Shelf", "com.acme.dumped.Main$Node"]
"#;
const ORDERS: u64 = 100_000;
/// Shallow bytes with a header of 12 bytes and references of 4: of an order, of one with a `long` more, of `byte[40]`,
/// `int[10]`, `byte[1000]`.
const ORDER: u64 = 24;
const RUSH: u64 = 32;
const TEXT: u64 = 56;
const NUMBERS: u64 = 56;
const NAME: u64 = 1016;

fn row<'a>(report: &'a Value, kind: &str, key: &str, name: &str) -> &'a Value {
    let rows = report[kind].as_array().unwrap_or_else(|| panic!("{report:#}"));
    rows.iter().find(|row| row[key] == name).unwrap_or_else(|| panic!("no {name}: {report:#}"))
}

#[test]
fn live_own_and_deep_bytes_are_those_of_all_objects() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("dumped", &[], folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let config = folder.path().join("weighbridge.toml");
    fs::write(&config, CONFIG).expect("the configuration");
    at_once(jdks(), |jdk| {
        let recording = folder.path().join(format!("{}.wbr", jdk.major));
        let mut command = weighbridge.command();
        command.args(["run", "--config"]).arg(&config).arg("--recording").arg(&recording).arg("--");
        let program = java(jdk);
        command.arg(program.get_program()).args(program.get_args()).arg("-cp").arg(&classes);
        let output = run(command.args(["com.acme.dumped.Main", &ORDERS.to_string()]));
        assert!(output.success() && output.stdout == format!("orders {ORDERS} lines 1000\n"), "{output}");
        let report = weighbridge.report(&recording);
        let context = format!("Java {}: {report:#}", jdk.version);
        let class = |name: &str| row(&report, "classes", "class", &format!("com.acme.dumped.Main${name}"));
        let figure = |row: &Value, key: &str| row[key].as_u64();
        let order = class("Order");
        let own = ORDERS / 10 * (9 * ORDER + RUSH) + ORDERS * TEXT;
        assert_eq!((figure(order, "live"), order["exact"].as_bool()), (Some(ORDERS), Some(true)), "{context}");
        assert_eq!(figure(order, "shallow_bytes"), Some(own - ORDERS * TEXT), "{context}");
        // The shop belongs to nobody, so it is theirs.
        assert_eq!(figure(order, "own_bytes"), Some(own + 16 + NAME), "{context}");
        assert_eq!(figure(order, "deep_bytes"), Some(own + 16 + NAME), "{context}");
        let line = class("Line");
        assert_eq!((figure(line, "live"), figure(line, "unannounced")), (Some(1000), Some(999)), "{context}");
        assert_eq!(figure(line, "own_bytes"), Some(1000 * (16 + NUMBERS)), "{context}");
        let shelf = class("Shelf");
        assert_eq!(figure(shelf, "deep_bytes"), Some(16 + ORDERS * 16), "{context}");
        assert_eq!(figure(shelf, "own_bytes"), Some(16), "{context}");
        let shelves = row(&report, "components", "component", "shelves");
        assert_eq!(figure(shelves, "own_bytes"), Some(16 + ORDERS * 16), "{context}");
        let holders = &class("Node")["holders"];
        assert_eq!(holders["chains"][0]["steps"][0], "com.acme.dumped.Main$Shelf.first", "{context}");
    });
}
