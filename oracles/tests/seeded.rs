//! The oracles on damaged copies of real input, from a fixed seed; `WEIGHBRIDGE_SEED` sets another.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use weighbridge_oracles::{Random, archive, class, configuration, dump};
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer};
use weighbridge_tests::root;

/// Runs an oracle on the inputs and on damaged copies of them.
fn hold<T: AsRef<[u8]>>(cases: usize, inputs: &[T], oracle: impl Fn(&[u8])) {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_260_101);
    println!("seed {seed}");
    assert!(!inputs.is_empty());
    inputs.iter().for_each(|input| oracle(input.as_ref()));
    let mut random = Random::new(seed);
    for case in 0..cases {
        let input = random.below(inputs.len());
        let damaged = random.damaged(inputs[input].as_ref());
        let held = catch_unwind(AssertUnwindSafe(|| oracle(&damaged)));
        assert!(held.is_ok(), "seed {seed}, case {case}, input {input}");
    }
}

/// Files with an extension below a folder.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The classes with which reading and rewriting are tested.
fn classes() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tests = root().join("tests");
    let mut classes: Vec<PathBuf> = files(&tests.join("fixtures"), "class");
    for program in ["shapes", "tables", "copies", "com"] {
        let output = folder.path().join(program);
        let arguments = ["-Xlint:none"];
        weighbridge_jdk::to_build_with().compile(&[&tests.join("java").join(program)], &output, &arguments);
        classes.extend(files(&output, "class"));
    }
    classes.iter().map(|file| fs::read(file).expect("a class file")).collect()
}

#[test]
fn any_bytes_are_read_as_a_class_or_refused_with_an_offset() {
    hold(4_000, &classes(), class::reading);
}

#[test]
fn a_patch_without_insertions_is_the_identity() {
    hold(2_000, &classes(), class::identity);
}

#[test]
fn a_sound_class_is_sound_after_rewriting() {
    hold(1_500, &classes(), class::rewriting);
}

#[test]
fn any_bytes_are_refused_or_an_archive_that_is_copied_and_changed_correctly() {
    let small = ["failureaccess", "listenablefuture", "jsr305"]
        .iter()
        .flat_map(|artifact| weighbridge_tests::jars(&[artifact]));
    let jars: Vec<Vec<u8>> = small.map(|jar| fs::read(jar).expect("a jar")).collect();
    hold(4_000, &jars, archive::reading);
}

#[test]
fn any_text_is_a_configuration_or_refused() {
    let texts: Vec<Vec<u8>> =
        files(&root().join("config"), "toml").iter().map(|file| fs::read(file).expect("a file")).collect();
    hold(4_000, &texts, |bytes| configuration::parsing(&String::from_utf8_lossy(bytes)));
}

#[test]
fn any_bytes_are_refused_or_a_heap_dump_with_consistent_figures() {
    let dumps: Vec<Vec<u8>> = FORMS
        .into_iter()
        .map(|form| {
            let mut dump = Writer::new(form);
            dump.class(0x100, "java/lang/Object", 0, &[], &[]);
            dump.class(0x108, "java/lang/Thread", 0x100, &[], &[("target", OBJECT)]);
            dump.class(0x110, "[Ljava/lang/Object;", 0x100, &[0x1000], &[]);
            [0x100, 0x110].into_iter().for_each(|class| dump.root(0x05, class, &[]));
            dump.objects(0x1000, 0x110, &[0x2000, 0x2040, 0, 0x1000]);
            (0..12).for_each(|i| dump.instance(0x2000 + 16 * i, 0x100, &[], &[]));
            (0..8).for_each(|i| dump.bytes(0x3000 + 32 * i, &[7; 9]));
            dump.trace(1, &["run", "main"]);
            dump.instance(0x4000, 0x108, &[0x2010], &[]);
            dump.root(0x08, 0x4000, &[1, 1]);
            dump.root(0x03, 0x3000, &[1, 0]);
            dump.finish()
        })
        .collect();
    hold(4_000, &dumps, dump::reading);
}
