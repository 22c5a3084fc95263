//! `explain` on a class that is compiled for the test.

use insta::assert_snapshot;

use crate::support::Folder;

#[test]
fn a_class_that_is_skipped_is_shown_with_the_reason() {
    let folder = Folder::new();
    folder.write("src/p/Plain.java", "package p; public class Plain { private Plain() { throw new Error(); } }");
    weighbridge_jdk::to_build_with().compile(&[&folder.path("src")], &folder.path("app"), &[]);
    folder.write("wb.toml", "version = 1\n[instrument]\ninclude = [\"p.*\"]\n");
    assert_snapshot!(folder.run(&["explain", "p.Plain", "app", "--config", "wb.toml"]));
}
