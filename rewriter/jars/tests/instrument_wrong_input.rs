//! Wrong or hostile input: the message, and that nothing is written.

mod craft;
mod program;

use std::fs;
use std::path::Path;

use craft::{Entry, Zip};
use program::{Run, app, executable, run_in};
use weighbridge_rewriter::JarErrorKind;
use weighbridge_rewriter::instrument::{InstrumentOptions, InstrumentOutput};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]";

/// The message of a run that must fail, without the test's folder.
fn refused(inputs: &[(&str, Vec<u8>)], change: impl FnOnce(&Path, &mut InstrumentOptions)) -> (JarErrorKind, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_path_buf();
    let error = run_in(&path, inputs, ALL, |options| change(&path, options)).unwrap_err();
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    let temporary = left.iter().filter(|name| name.to_string_lossy().starts_with(".tmp")).count();
    assert_eq!(temporary, 0, "{left:?}");
    (error.kind(), error.to_string().replace(&path.display().to_string(), "FOLDER"))
}

fn archive(bytes: Vec<u8>) -> String {
    let (kind, message) = refused(&[("in.jar", bytes)], |_, _| {});
    assert_eq!(kind, JarErrorKind::Archive);
    message
}

fn jar() -> Vec<u8> {
    Zip::of(app()).bytes()
}

#[test]
fn a_file_that_is_no_zip_is_refused() {
    insta::assert_snapshot!(archive(b"just a text".to_vec()), @"FOLDER/in.jar: is not a zip file");
    insta::assert_snapshot!(archive(Vec::new()), @"FOLDER/in.jar: is not a zip file");
}

#[test]
fn a_truncated_zip_is_refused_wherever_it_was_cut() {
    let whole = jar();
    insta::assert_snapshot!(archive(whole[..whole.len() / 2].to_vec()));
    for length in 0..whole.len() {
        let folder = tempfile::tempdir().unwrap();
        let error = run_in(folder.path(), &[("in.jar", whole[..length].to_vec())], ALL, |_| {}).unwrap_err();
        assert_eq!(error.kind(), JarErrorKind::Archive, "cut at {length}: {error}");
    }
}

#[test]
fn a_truncated_class_and_one_from_the_future_are_left_untouched_and_listed() {
    let mut entries = app();
    let half = entries[0].content.len() / 2;
    entries[0].content.truncate(half);
    entries[2].content[7] = 99;
    let bytes = Zip::of(entries).bytes();
    let run = Run::new(&[("in.jar", bytes.clone())], ALL);
    assert!(run.output("in.jar") == bytes);
    let skipped = &run.summary.jars[0].skipped;
    let lines: Vec<String> = skipped.iter().map(|s| format!("{} ({}): {}", s.class, s.location, s.reason)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_folder_of_jars_says_that_its_jars_are_to_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let jars = folder.path().join("lib");
    fs::create_dir(&jars).unwrap();
    fs::write(jars.join("app.jar"), jar()).unwrap();
    let options = InstrumentOptions {
        allow_empty: false,
        ..InstrumentOptions::new(InstrumentOutput::Folder(folder.path().join("out")))
    };
    let config = weighbridge_config::Config::parse(ALL).unwrap();
    let error = weighbridge_rewriter::instrument::instrument(
        &[jars],
        &config,
        &options,
        &weighbridge_rewriter::instrument::Silent,
    )
    .unwrap_err();
    assert_eq!(error.kind(), JarErrorKind::Unmatched);
    let message = error.to_string();
    assert!(message.ends_with("the folder lib has no classes; name its jars (1) instead: lib/*.jar"), "{message}");
}

#[test]
fn a_missing_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let options = InstrumentOptions::new(InstrumentOutput::Folder(folder.path().join("out")));
    let config = weighbridge_config::Config::parse(ALL).unwrap();
    let inputs = [Path::new("no/such.jar").to_path_buf()];
    let error = weighbridge_rewriter::instrument::instrument(
        &inputs,
        &config,
        &options,
        &weighbridge_rewriter::instrument::Silent,
    )
    .unwrap_err();
    assert_eq!(error.kind(), JarErrorKind::Io);
    assert!(error.to_string().starts_with("no/such.jar: cannot be opened"), "{error}");
}

#[test]
fn an_output_is_never_an_input_and_never_replaced_unasked() {
    let mut messages = Vec::new();
    let mut check = |inputs: &[&str], change: &dyn Fn(&Path, &mut InstrumentOptions)| {
        let inputs: Vec<_> = inputs.iter().map(|name| (*name, jar())).collect();
        let (kind, message) = refused(&inputs, |folder, options| {
            fs::create_dir_all(folder.join("out")).unwrap();
            fs::write(folder.join("out/there.jar"), "old").unwrap();
            change(folder, options);
        });
        assert_eq!(kind, JarErrorKind::Output);
        messages.push(message);
    };
    check(&["there.jar"], &|_, _| {});
    check(&["a.jar"], &|folder, options| options.output = InstrumentOutput::File(folder.join("out/there.jar")));
    check(&["a.jar"], &|folder, options| options.output = InstrumentOutput::File(folder.join("a.jar")));
    check(&["a.jar"], &|folder, options| {
        options.force = true;
        options.output = InstrumentOutput::Folder(folder.to_path_buf());
    });
    check(&["a.jar", "b.jar"], &|folder, options| options.output = InstrumentOutput::File(folder.join("c.jar")));
    check(&["a.jar", "a.jar"], &|_, _| {});
    check(&["a.jar"], &|folder, options| options.output = InstrumentOutput::Folder(folder.join("out/there.jar")));
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn force_replaces_an_output() {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &[("a.jar", jar())], ALL, |_| {}).unwrap();
    let first = fs::read(folder.path().join("out/a.jar")).unwrap();
    fs::write(folder.path().join("out/a.jar"), "old").unwrap();
    run_in(folder.path(), &[("a.jar", jar())], ALL, |options| options.force = true).unwrap();
    assert!(fs::read(folder.path().join("out/a.jar")).unwrap() == first);
}

#[test]
fn a_rewritten_jar_is_not_rewritten_again() {
    let once = Run::new(&[("app.jar", executable())], ALL).output("app.jar");
    let (kind, message) = refused(&[("app.jar", once)], |_, _| {});
    assert_eq!(kind, JarErrorKind::Unsupported);
    let at = message.find("Weighbridge$").unwrap();
    insta::assert_snapshot!(message.replace(&message[at + 12..at + 28], "(16 digits)"));
}

#[test]
fn a_line_end_in_a_name_does_not_break_the_line_of_the_message() {
    let entry =
        Entry { claims: Some((3, 0x7FFF_FFFF)), ..Entry::new("com/acme/A\nweighbridge: done\u{1b}.class", "x") };
    let message = archive(Zip::of(vec![entry]).bytes());
    assert!(message.starts_with("FOLDER/in.jar!/com/acme/A\\nweighbridge: done\\u{1b}.class: "), "{message}");
    assert_eq!(message.lines().count(), 1);
}

#[test]
fn inflating_again_for_writing_does_not_count() {
    let classes = app();
    let content: usize = classes.iter().map(|class| class.content.len()).sum();
    let inner = Zip::of(classes).bytes();
    let all = (inner.len() + content) as u64;
    let outer = Zip::of(vec![Entry::new("BOOT-INF/lib/inner.jar", inner)]).bytes();
    for force in [false, true] {
        let limited = |total_bytes| {
            move |options: &mut InstrumentOptions| {
                options.limits.total_bytes = total_bytes;
                options.force = force;
            }
        };
        let run = Run::with(&[("outer.jar", outer.clone())], ALL, limited(all));
        assert_eq!(run.summary.total.classes_rewritten, 2);
        let (kind, _) = refused(&[("outer.jar", outer.clone())], |_, options| limited(all - 1)(options));
        assert_eq!(kind, JarErrorKind::Archive);
    }
}

#[test]
fn hostile_archives_are_refused_with_the_offset() {
    let mut messages = Vec::new();
    // Two directory records for one local header.
    let mut overlapping = Zip::of(vec![Entry::new("a", "x"), Entry::new("b", "y")]).bytes();
    let second = overlapping.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
    overlapping[second + 42..second + 46].fill(0);
    messages.push(archive(overlapping));
    let claiming = |claims| {
        let entry = Entry { claims: Some(claims), ..Entry::new("com/acme/A.class", "x".repeat(100)) };
        Zip::of(vec![entry]).bytes()
    };
    messages.push(archive(claiming((3, 0x7FFF_FFFF))));
    messages.push(archive(claiming((0x7FFF_FFFF, 100))));
    let bomb = Entry::new("com/acme/A.class", vec![0; 4 << 20]);
    messages.push(archive(Zip::of(vec![bomb.clone()]).bytes()));
    let (_, total) = refused(&[("in.jar", Zip::of(vec![bomb]).bytes())], |_, options| {
        options.limits.ratio = 2000;
        options.limits.total_bytes = 1 << 20;
    });
    messages.push(total);
    let mut nested = jar();
    for level in 0..9 {
        nested = Zip::of(vec![Entry::new(&format!("BOOT-INF/lib/{level}.jar"), nested).stored()]).bytes();
    }
    messages.push(archive(nested));
    let mut damaged = jar();
    damaged[60] ^= 0xFF;
    messages.push(archive(damaged));
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_class_that_only_has_the_name_of_a_bridge_is_left_alone_and_its_jar_is_rewritten() {
    let name = "com/acme/app/Weighbridge$0123456789abcdef";
    let class = weighbridge_tests::assembler::Assembler::new(name, "java/lang/Object").build();
    let entries = [app(), vec![Entry::new(&format!("{name}.class"), class.clone())]].concat();
    let run = Run::new(&[("in.jar", Zip::of(entries).bytes())], ALL);
    assert!(run.summary.total.classes_rewritten >= 2, "{:?}", run.summary);
    let skipped = run.summary.jars[0].skipped.iter().find(|skipped| skipped.class.contains("Weighbridge$")).unwrap();
    assert_eq!(&*skipped.reason, "it has the name of a bridge class of weighbridge");
    assert!(program::read(&run.output("in.jar"), &format!("{name}.class")) == class);
}

#[test]
fn more_entries_than_the_memory_has_room_for_are_refused_with_the_room_that_they_need() {
    let many = (0..4_000).map(|n| Entry::new(&format!("com/acme/a/folder/with/a/long/name/{n:05}.txt"), "x")).collect();
    let bytes = Zip::of(many).bytes();
    let limited = |mebibytes: u64| move |_: &Path, options: &mut InstrumentOptions| options.memory = mebibytes << 20;
    let (kind, message) = refused(&[("in.jar", bytes.clone())], limited(12));
    assert_eq!(kind, JarErrorKind::Limit);
    let told = "the directories and classes of the inputs need 13 MiB of memory or more, and --memory allows 12";
    assert_eq!(message, format!("FOLDER/in.jar: {told}"));
    let run = Run::with(&[("in.jar", bytes)], ALL, |options| options.memory = 13 << 20);
    assert_eq!(run.summary.total.classes_seen, 0);
}
