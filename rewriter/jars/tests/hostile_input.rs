//! Hostile input, which the JVM would refuse or no compiler would make. The result is one error with its location, or the
//! class stays as it is and is listed. Only the output is written.

mod craft;
mod program;

use std::fs;

use craft::{Entry, Zip};
use program::{Run, app, names, run_in};
use weighbridge_rewriter::JarErrorKind;
use weighbridge_tests::assembler::{Assembler, Code};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"**\"]";

/// A class whose constructor does nothing.
fn class(name: &str) -> Assembler {
    let mut class = Assembler::new(name, "java/lang/Object");
    let init = class.invoke(0xB7, "java/lang/Object", "<init>", "()V");
    let code = [&[0x2A][..], &init, &[0xB1]].concat();
    class.constructor("()V", Code { max_stack: 1, max_locals: 1, code, ..Code::default() });
    class
}

/// The reasons of skipped classes; the jar must not change.
fn left_alone(name: &str, bytes: Vec<u8>) -> String {
    let jar = Zip::of(vec![Entry::new(&format!("{name}.class"), bytes)]).bytes();
    let run = Run::new(&[("in.jar", jar.clone())], ALL);
    assert!(run.output("in.jar") == jar, "{name}");
    let skipped = &run.summary.jars[0].skipped;
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    skipped[0].reason.to_string()
}

#[test]
fn lengths_that_run_past_the_class_leave_it_alone_with_the_offset() {
    let sound = class("a/B").build();
    let mut reasons = Vec::new();
    let marks: [(&str, &[u8], usize); 3] = [
        // max_stack, max_locals, code_length: the length's high byte.
        ("code_length", &[0, 1, 0, 1, 0, 0, 0, 5], 4),
        // The attribute_length of the code, before that.
        ("attribute_length", &[0, 0, 0, 17, 0, 1, 0, 1], 0),
        // handlers, attributes of the code, attributes of the class
        ("exception_table_length", &[0xB1, 0, 0, 0, 0], 1),
    ];
    for (what, mark, at) in marks {
        let at = program::find(&sound, mark).unwrap_or_else(|| panic!("{what}: {sound:02X?}")) + at;
        for value in [0xFF, 0x7F] {
            let mut damaged = sound.clone();
            damaged[at] = value;
            let reason = left_alone("a/B", damaged);
            assert!(reason.contains("(at offset "), "{what}: {reason}");
            reasons.push(format!("{what} {value:02X}: {reason}"));
        }
    }
    insta::assert_snapshot!("hostile_lengths", reasons.join("\n"));
}

#[test]
fn a_code_attribute_with_bytes_after_its_parts_leaves_the_class_alone() {
    let mut longer = class("a/B").build();
    let mark = [0, 0, 0, 17, 0, 1, 0, 1];
    let at = program::find(&longer, &mark).unwrap();
    longer[at + 3] = 20;
    longer.splice(at + 4 + 17..at + 4 + 17, [0; 3]);
    let reason = left_alone("a/B", longer);
    assert!(reason.contains("the Code attribute has 3 bytes after its parts"), "{reason}");
}

#[test]
fn a_full_constant_pool_leaves_the_class_alone_by_name() {
    let mut full = class("a/Full");
    // The assembler adds the class's own name and constant.
    full.fill_pool(65_535 - 2);
    insta::assert_snapshot!(left_alone("a/Full", full.build()), @"<init>()V: the constant pool is full (65535 entries)");
}

#[test]
fn a_name_with_a_lone_surrogate_is_rewritten_and_its_bytes_are_kept() {
    // U+D800 alone in modified UTF-8 has the same length as the euro sign that it replaces.
    let mut bytes = class("a/B\u{20AC}C").build();
    while let Some(at) = program::find(&bytes, "\u{20AC}".as_bytes()) {
        bytes[at..at + 3].copy_from_slice(b"\xED\xA0\x80");
    }
    let mut entry = Entry::new("", bytes);
    entry.name = b"a/B\xED\xA0\x80C.class".to_vec();
    let run = Run::new(&[("in.jar", Zip::of(vec![entry]).bytes())], ALL);
    assert_eq!(run.summary.total.classes_rewritten, 1, "{:?}", run.summary.jars[0].skipped);
    let new = run.output("in.jar");
    assert!(program::find(&new, b"a/B\xED\xA0\x80C.class").is_some());
    assert!(run.table("in.jar", "a/").contains("class\ta.B\u{FFFD}"), "{}", run.table("in.jar", "a/"));
}

#[test]
fn an_archive_in_an_archive_without_end_is_refused_at_the_limit_of_depth() {
    // A zip file that contains itself has no end for any reader; this one has 300 levels.
    let mut archive = Zip::of(app()).bytes();
    for _ in 0..300 {
        archive = Zip::of(vec![Entry::new("r.jar", archive)]).bytes();
    }
    let folder = tempfile::tempdir().unwrap();
    let all = format!("{ALL}\nnested = \"all\"");
    let error = run_in(folder.path(), &[("r.jar", archive)], &all, |_| {}).unwrap_err();
    assert_eq!(error.kind(), JarErrorKind::Archive);
    let message = error.to_string();
    assert!(message.ends_with("archives are nested deeper than the limit of 8"), "{message}");
    assert_eq!(message.matches("r.jar!/").count(), 8, "{message}");
    assert!(!folder.path().join("out/r.jar").exists());
}

#[test]
fn names_that_climb_out_of_a_folder_write_nothing_outside_the_output() {
    let inner = Zip::of(app()).bytes();
    let climbing = Zip::of(vec![
        Entry::new("../../escape.jar", inner.clone()).stored(),
        Entry::new("/absolute.jar", inner),
        Entry::new("../../a/B.class", class("../../a/B").build()),
        Entry::new("META-INF/versions/9/../../../../C.class", class("../../../../C").build()),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("one/two");
    fs::create_dir_all(&work).unwrap();
    run_in(&work, &[("in.jar", climbing.bytes())], &format!("{ALL}\nnested = \"all\""), |_| {}).unwrap();
    let found = walkdir(folder.path());
    assert_eq!(
        found,
        [
            "one",
            "one/two",
            "one/two/in.jar",
            "one/two/out",
            "one/two/out/in.jar",
            "one/two/out/weighbridge-runtime.jar"
        ]
    );
    let out = fs::read(work.join("out/in.jar")).unwrap();
    assert!(names(&out).iter().take(4).eq(&names(&climbing.bytes())));
}

/// Every path below a folder, sorted.
fn walkdir(folder: &std::path::Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            paths.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    paths.sort();
    paths
}
