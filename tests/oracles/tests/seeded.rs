//! The oracles on damaged copies of real input, from a fixed seed; `WEIGHBRIDGE_SEED` sets another.

mod hold;

use std::fs;
use std::path::{Path, PathBuf};

use hold::hold;
use weighbridge_oracles::{class, configuration, dump};
use weighbridge_tests::classes::{Classes, compiled, fixture};
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer};
use weighbridge_tests::root;

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
    let programs = ["shapes", "tables", "copies", "com"].into_iter().map(compiled);
    [fixture("early")].into_iter().chain(programs).flat_map(Classes::into_values).collect()
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
