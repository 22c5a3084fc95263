//! `agent`: the native agent as a file.

use crate::support::Folder;

#[test]
fn the_agent_is_written_once_and_another_file_is_only_replaced_by_force() {
    let folder = Folder::new();
    let first = folder.run(&["agent"]);
    assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""), "{first}");
    let library =
        folder.path("").canonicalize().expect("a folder").join(first.stdout.trim().rsplit('/').next().expect("a name"));
    let bytes = std::fs::read(&library).expect("the library");
    assert!(bytes.starts_with(b"\x7fELF") || !cfg!(target_os = "linux"), "{first}");
    assert_eq!(folder.run(&["agent"]).code, Some(0), "the same is there");

    std::fs::write(&library, "another").expect("a file");
    let refused = folder.run(&["agent", "--dest", "."]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("exists; use --force to replace it"), "{refused}");
    assert_eq!(std::fs::read(&library).expect("a file"), b"another");
    assert_eq!(folder.run(&["agent", "--force"]).code, Some(0));
    assert_eq!(std::fs::read(&library).expect("a file"), bytes);

    let nowhere = folder.run(&["agent", "--dest", "no/such"]);
    assert_eq!(nowhere.code, Some(3), "{nowhere}");
    assert_eq!(folder.names("."), [library.file_name().expect("a name").to_str().expect("a text")]);
}
