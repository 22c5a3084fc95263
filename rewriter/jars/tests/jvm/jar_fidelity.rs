//! Published jars through the writer of archives, and archives that the JDK's own reader refuses or reads as ours does.

use std::process::{Command, Output};

use crate::edited::{ByName, extents, hidden_zip64_ends, rewrite, with_a_decoy_in_the_comment, with_another_directory};

/// What `jar -tf` of the JDK says of an archive.
fn listed(bytes: &[u8]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.jar"), bytes).unwrap();
    let jar = weighbridge_jdk::to_build_with().tool("jar");
    Command::new(jar).args(["-tf", "a.jar"]).current_dir(folder.path()).output().unwrap()
}

#[test]
fn real_jars_without_edits_keep_every_byte() {
    for jar in ["guava", "h2", "bcprov-jdk18on", "lucene-core", "scala-library"] {
        let bytes = std::fs::read(weighbridge_tests::jar(jar)).unwrap();
        assert!(rewrite(&bytes, ByName::default()) == bytes, "{jar}");
    }
}

#[test]
fn a_replaced_class_of_a_real_jar_leaves_the_bytes_of_all_other_entries_alone() {
    for (jar, class) in [
        ("guava", "com/google/common/collect/ImmutableList.class"),
        ("bcprov-jdk18on", "org/bouncycastle/util/Arrays.class"),
        ("netty-buffer", "io/netty/buffer/AbstractByteBuf.class"),
        ("jackson-core", "com/fasterxml/jackson/core/JsonFactory.class"),
        ("scala-library", "scala/Option.class"),
    ] {
        let bytes = std::fs::read(weighbridge_tests::jar(jar)).unwrap();
        let new = rewrite(&bytes, ByName::replacing(class, "something else entirely ".repeat(9)));
        let (old, new) = (extents(&bytes), extents(&new));
        assert_eq!(old.len(), new.len(), "{jar}");
        let changed = old.iter().zip(&new).filter(|(old, new)| old != new).map(|(old, _)| old);
        let changed: Vec<&Vec<u8>> = changed.collect();
        assert_eq!(changed.len(), 1, "{jar}");
        assert_eq!(&changed[0][30..30 + class.len()], class.as_bytes(), "{jar}");
    }
}

#[test]
fn a_zip64_end_that_a_prefix_hides_is_refused_by_the_jdk_too() {
    for bytes in hidden_zip64_ends() {
        assert!(!listed(&bytes).status.success());
    }
}

#[test]
fn the_jdk_takes_the_directory_that_ours_takes_where_readers_might_differ() {
    let names = |bytes: &[u8]| String::from_utf8(listed(bytes).stdout).unwrap();
    for hides in [false, true] {
        assert_eq!(names(&with_another_directory(hides)), "a.txt\nc.bin\n", "hides another one: {hides}");
    }
    assert_eq!(names(&with_a_decoy_in_the_comment()), "a.txt\n");
}
