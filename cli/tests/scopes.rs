//! What scopes hold, by their tags: equal to what the program knows, to the byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use weighbridge_tests::{Jdk, Weighbridge, compile, java, jdks, native_agent, run};

/// As the program has them.
const KINDS: usize = 40;
const SCOPES: u64 = 10_000;

const CONFIG: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.scopes.*\"]\n\
                      [measure]\nat = [\"request\"]\nbudget = { references = 100000 }\n";

/// Own bytes by the value of `request`, as recorded; and what the program has counted: objects, and bytes of contents.
type Found = (BTreeMap<String, u64>, BTreeMap<String, (u64, u64)>);

/// `with_runtime`: the class path has it. Else the agent brings it, and with it the API that the program calls.
fn measured(folder: &Path, jdk: &Jdk, threads: &str, with_runtime: bool) -> Found {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let at = |name: &str| folder.join(name);
    let recording = at(&format!("{threads}-{}.wbr", jdk.major));
    let agent = format!(
        "-agentpath:{}=config={},destfile={}",
        native_agent().display(),
        at("weighbridge.toml").display(),
        recording.display()
    );
    let path = [at("weighbridge-runtime.jar"), at("scopes")].into_iter().skip(usize::from(!with_runtime));
    let path = std::env::join_paths(path).expect("a class path");
    let output = run(java(jdk).arg(agent).arg("-cp").arg(path).args(["com.acme.scopes.Main", threads]));
    assert!(output.success() && output.stdout.ends_with(&format!("{SCOPES}\n")), "{output}");
    let counted = output.stdout.lines().filter_map(|line| {
        let (kind, counts) = line.split_once('=')?;
        let (objects, bytes) = counts.split_once(' ')?;
        Some((kind.to_owned(), (objects.parse().ok()?, bytes.parse().ok()?)))
    });
    let counted: BTreeMap<String, (u64, u64)> = counted.collect();
    let report = weighbridge.report(&recording);
    let class =
        report["classes"].as_array().expect("classes").iter().find(|row| row["class"] == "com.acme.scopes.Main$Parcel");
    let class = class.unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!((&class["live"], &class["exact"]), (&SCOPES.into(), &true.into()), "Java {}", jdk.version);
    let tags = report["tags"].as_array().expect("tags").iter().filter(|row| row["key"] == "request");
    let own = tags.map(|row| {
        let value = row["value"].as_str().expect("a value").to_owned();
        (value, row["own_bytes"].as_u64().unwrap_or_else(|| panic!("{row:#}")))
    });
    (own.collect(), counted)
}

#[test]
fn what_ten_thousand_scopes_hold_is_right_to_the_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = folder.path().join("weighbridge-runtime.jar");
    fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
    fs::write(folder.path().join("weighbridge.toml"), CONFIG).expect("the configuration");
    compile("scopes", std::slice::from_ref(&runtime), folder.path());
    for (index, jdk) in jdks().iter().enumerate() {
        let kinds = if jdk.major >= 21 { &["platform", "virtual"][..] } else { &["platform"] };
        for threads in kinds {
            let (own, counted) = measured(folder.path(), jdk, threads, index % 2 == 0);
            assert_eq!((own.len(), counted.len()), (KINDS, KINDS), "Java {}", jdk.version);
            // Headers and the reference, with compressed references: 16 bytes each.
            let held = counted.iter().map(|(kind, (objects, bytes))| (kind.clone(), 32 * objects + bytes));
            assert_eq!(own, held.collect(), "Java {}, {threads} threads", jdk.version);
        }
    }
}
