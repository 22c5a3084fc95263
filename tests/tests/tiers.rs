//! The two tiers of tests: a target without the feature `jvm` starts no JVM and no other program that `run-tests` installs.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use support::{crates, manifest, rust_files};
use weighbridge_tests::root;

/// Programs that a test of the fast tier may start: those of any Unix.
const EVERYWHERE: [&str; 3] = ["sh", "sleep", "/bin/bash"];

/// What else starts a JVM is behind the feature in this crate, so that the compiler keeps it.
#[test]
fn what_starts_a_jvm_is_in_a_target_that_needs_the_feature() {
    let mut looked_at = 0;
    for crate_name in crates() {
        let tests = root().join(&crate_name).join("tests");
        let in_jvm: BTreeSet<String> = targets(&manifest(&crate_name)).into_iter().collect();
        for file in rust_files(&tests) {
            let target = file.strip_prefix(&tests).expect("below it").components().next().expect("a name");
            let target = Path::new(target.as_os_str()).file_stem().expect("a name").to_string_lossy().into_owned();
            if in_jvm.contains(&target) {
                continue;
            }
            looked_at += 1;
            let text = fs::read_to_string(&file).expect("a source file");
            let finder = concat!("weighbridge", "_jdk");
            assert!(!text.contains(finder), "{} finds a JDK", file.display());
            for started in text.split(concat!("Command::new", "(\"")).skip(1) {
                let program = started.split('"').next().expect("a part");
                assert!(EVERYWHERE.contains(&program), "{} starts {program}", file.display());
            }
        }
    }
    assert!(looked_at > 50, "only {looked_at} files");
}

#[test]
fn each_target_of_the_whole_tier_is_there() {
    let mut found = 0;
    for crate_name in crates() {
        for target in targets(&manifest(&crate_name)) {
            let tests = root().join(&crate_name).join("tests");
            let there =
                [format!("{target}.rs"), format!("{target}/main.rs")].iter().any(|name| tests.join(name).is_file());
            assert!(there, "{crate_name}: {target}");
            found += 1;
        }
    }
    assert!(found > 25, "only {found} targets");
}

/// The test targets that need the feature `jvm`.
fn targets(manifest: &toml::Table) -> Vec<String> {
    let tests = manifest.get("test").and_then(|tests| tests.as_array()).into_iter().flatten();
    let needs = |test: &&toml::Value| test["required-features"].as_array().is_some_and(|f| f.contains(&"jvm".into()));
    tests.filter(needs).map(|test| test["name"].as_str().expect("a name").to_owned()).collect()
}
