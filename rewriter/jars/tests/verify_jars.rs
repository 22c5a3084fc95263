//! `verify` on sound, damaged, rewritten and half-rewritten archives.

mod craft;
mod program;

use std::fs;

use craft::{Entry, Zip};
use program::{Run, app, base, entries, executable, names, read};
use weighbridge_rewriter::instrument::ArchiveLimits;
use weighbridge_rewriter::verify::{Verification, unpack, verify};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"**\"]\n";

fn verified(jar: &[u8]) -> Verification {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.jar");
    fs::write(&path, jar).unwrap();
    verify(&path, ArchiveLimits::default()).unwrap()
}

fn problems(jar: &[u8]) -> Vec<String> {
    verified(jar).problems.into_iter().map(|finding| format!("{}: {}", finding.location, finding.reason)).collect()
}

/// The jar without the entries that `drop` selects, and with others added.
fn with(jar: &[u8], drop: impl Fn(&str) -> bool, more: Vec<Entry>) -> Vec<u8> {
    let kept = names(jar).into_iter().filter(|name| !drop(name)).map(|name| Entry::new(&name, read(jar, &name)));
    let kept: Vec<Entry> = kept.collect();
    Zip::of(entries(&[kept, more])).bytes()
}

/// Replaces the names of bridges, which depend on the content of the jar and so on the compiler.
fn steady(lines: &[String]) -> String {
    let mut steady = String::new();
    for line in lines {
        let mut rest = line.as_str();
        while let Some(at) = rest.find("Weighbridge$") {
            let end = at + "Weighbridge$".len();
            steady += &rest[..end];
            steady += "HEX";
            rest = &rest[end + 16..];
        }
        steady += rest;
        steady += "\n";
    }
    steady
}

#[test]
fn a_sound_archive_has_no_problem_before_and_after_rewriting() {
    let before = verified(&executable());
    assert_eq!((&before.problems, &before.notes), (&Vec::new(), &Vec::new()));
    assert_eq!((before.archives, before.rewritten, before.bridges), (1, 0, 0));
    let run = Run::new(&[("app.jar", executable())], ALL);
    let after = verified(&run.output("app.jar"));
    assert_eq!((&after.problems, &after.notes), (&Vec::new(), &Vec::new()));
    assert_eq!(after.rewritten, run.summary.total.classes_rewritten);
    assert_eq!(after.bridges, 1);
    assert!(after.carries_runtime);
}

#[test]
fn nested_archives_are_checked_and_named_in_the_location() {
    let mut damaged = base();
    damaged[0].content[0] = 0;
    let inner = Zip::of(damaged).bytes();
    let middle = Zip::of(vec![Entry::new("lib/inner.jar", inner).stored()]).bytes();
    let outer = Zip::of(entries(&[app(), vec![Entry::new("WEB-INF/middle.war", middle)]])).bytes();
    assert_eq!(verified(&outer).archives, 3);
    insta::assert_snapshot!(problems(&outer).join("\n"), @"app.jar!/WEB-INF/middle.war!/lib/inner.jar!/com/acme/base/Node.class: cannot be read: this is no class file: it does not start with CAFEBABE (at offset 0)");
}

#[test]
fn an_entry_that_does_not_have_its_crc_or_size_is_a_problem() {
    let zip = Zip::of(vec![Entry::new("one.txt", "something").stored(), Entry::new("two.txt", "other")]).bytes();
    let mut changed = zip.clone();
    let at = program::find(&changed, b"something").unwrap();
    changed[at] = b'S';
    insta::assert_snapshot!("damaged_content", problems(&changed).join("\n"));
    let mut disagreeing = zip;
    // The CRC in the local header of the first entry.
    disagreeing[14] ^= 1;
    let said = problems(&disagreeing);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("app.jar!/one.txt: the local header says a CRC of "), "{said:?}");
}

#[test]
fn what_only_looks_like_an_archive_is_a_note_and_a_damaged_one_a_problem() {
    let inner = Zip::of(base()).bytes();
    let outer = Zip::of(vec![
        Entry::new("resource.jar", "no archive, a test resource"),
        Entry::new("cut.jar", &inner[..inner.len() / 2]),
    ]);
    let found = verified(&outer.bytes());
    assert_eq!(found.notes.iter().map(|note| note.location.as_str()).collect::<Vec<_>>(), ["app.jar!/resource.jar"]);
    assert_eq!(found.problems.iter().map(|note| note.location.as_str()).collect::<Vec<_>>(), ["app.jar!/cut.jar"]);
}

#[test]
fn a_class_that_calls_a_bridge_which_is_not_there_is_a_problem() {
    let run = Run::new(&[("app.jar", executable())], ALL);
    let jar = with(&run.output("app.jar"), |name| name.contains("Weighbridge$"), Vec::new());
    insta::assert_snapshot!("bridge_missing", steady(&problems(&jar)));
}

#[test]
fn a_bridge_of_an_unknown_contract_is_a_problem() {
    let run = Run::new(&[("app.jar", executable())], ALL);
    let jar = run.output("app.jar");
    let bridge = names(&jar).into_iter().find(|name| name.contains("Weighbridge$")).unwrap();
    let mut class = read(&jar, &bridge);
    let at = program::find(&class, format!("weighbridge\t{}\n", weighbridge_probes::contract::CONTRACT).as_bytes())
        .unwrap()
        + "weighbridge\t".len();
    class[at] = b'9';
    let jar = with(&jar, |name| name == bridge, vec![Entry::new(&bridge, class)]);
    insta::assert_snapshot!("contract_unknown", steady(&problems(&jar)));
}

#[test]
fn a_carried_runtime_is_whole_and_started_by_the_manifest() {
    let run = Run::new(&[("app.jar", executable())], ALL);
    let jar = run.output("app.jar");
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: com.acme.app.Main\r\n\r\n";
    let plain = with(&jar, |name| name.ends_with(".MF"), vec![Entry::new("META-INF/MANIFEST.MF", manifest)]);
    let partial = with(&jar, |name| name.ends_with("runtime/Linker.class"), Vec::new());
    let said: Vec<String> = [problems(&plain), problems(&partial)].concat();
    let count = said.last().and_then(|line| line.split(" of its ").nth(1)?.split(' ').next()).unwrap().to_owned();
    insta::assert_snapshot!("runtime", said.join("\n").replace(&format!("its {count} entries"), "its N entries"));
    let without = with(
        &jar,
        |name| name.starts_with("io/weighbridge/") || name.ends_with(".MF"),
        vec![Entry::new("META-INF/MANIFEST.MF", manifest)],
    );
    let found = verified(&without);
    assert_eq!(found.problems, []);
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
}

#[test]
fn nested_archives_that_hold_code_are_unpacked_under_names_of_our_own() {
    let inner = Zip::of(base()).bytes();
    let manifest = "Manifest-Version: 1.0\r\nBundle-ClassPath: .,lib/b.jar\r\n\r\n";
    let rewritten = Run::new(&[("app.jar", Zip::of(app()).bytes())], ALL).output("app.jar");
    let outer = Zip::of(vec![
        Entry::new("META-INF/MANIFEST.MF", manifest),
        Entry::new("WEB-INF/lib/../../../../escape.jar", inner.clone()),
        Entry::new("templates/data.jar", inner.clone()),
        Entry::new("templates/rewritten.jar", rewritten),
        Entry::new("lib/b.jar", inner.clone()).stored(),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let (path, to) = (folder.path().join("app.jar"), folder.path().join("to"));
    fs::write(&path, outer.bytes()).unwrap();
    fs::create_dir(&to).unwrap();
    let units = unpack(&path, &to, ArchiveLimits::default()).unwrap();
    assert_eq!(
        units.iter().map(|unit| unit.label.as_str()).collect::<Vec<_>>(),
        ["", "WEB-INF/lib/../../../../escape.jar", "lib/b.jar", "templates/rewritten.jar"]
    );
    for unit in &units[1..3] {
        assert_eq!(unit.path.parent().unwrap(), to.canonicalize().unwrap());
        assert_eq!(fs::read(&unit.path).unwrap(), inner);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// A generator of test cases (SplitMix64), so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

#[test]
fn damaged_classes_never_make_either_reader_panic() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let mut damaged = Vec::new();
        for round in 0..50 {
            for entry in entries(&[app(), base()]) {
                let mut content = entry.content;
                for _ in 0..1 + random.below(3) {
                    let at = random.below(content.len());
                    content[at] = random.below(256) as u8;
                }
                let name = format!("{round}/{}", String::from_utf8(entry.name).unwrap());
                damaged.push(Entry::new(&name, content).stored());
            }
        }
        let result = std::panic::catch_unwind(|| verified(&Zip::of(damaged).bytes()));
        let found = result.unwrap_or_else(|_| panic!("seed {seed}"));
        assert!(!found.problems.is_empty(), "seed {seed}: 50 rounds of damage and no problem");
    }
}
