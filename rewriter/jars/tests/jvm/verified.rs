//! What the reader that is not ours cannot judge is told as that.

use std::fs;

use weighbridge_rewriter::instrument::ArchiveLimits;
use weighbridge_rewriter::verify::verify;

use crate::craft::{Entry, Zip};

#[test]
fn a_jump_that_is_too_long_for_the_other_reader_is_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    fs::create_dir(&source).unwrap();
    // Each is one instruction of six bytes.
    let steps = "s += 12345; ".repeat(9_500);
    let text = format!("class Far {{ static int far(int s) {{ {steps} if (s > 0) {{ s++; }} return s; }} }}");
    fs::write(source.join("Far.java"), text).unwrap();
    let classes = folder.path().join("classes");
    weighbridge_jdk::to_build_with().compile(&[&source], &classes, &[]);
    let jar = folder.path().join("far.jar");
    let class = fs::read(classes.join("Far.class")).unwrap();
    fs::write(&jar, Zip::of(vec![Entry::new("Far.class", class)]).bytes()).unwrap();
    let found = verify(&jar, ArchiveLimits::default()).unwrap();
    let notes: Vec<&str> = found.notes.iter().map(|note| note.reason.as_str()).collect();
    assert_eq!(
        (found.problems.len(), notes),
        (0, vec!["is not judged by ristretto_classfile, which fails at a long jump"])
    );
}
