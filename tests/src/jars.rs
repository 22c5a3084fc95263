//! Real jars, fetched once by Maven from the coordinates in `tests/jars/pom.xml`.

use crate::{cache, root, run};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The one jar whose file name is `artifact`, a dash and a version.
pub fn jar(artifact: &str) -> PathBuf {
    let mut found = jars(&[artifact]);
    assert_eq!(found.len(), 1, "jars named {artifact}: {found:?}");
    found.remove(0)
}

/// Every jar whose name starts with one of the artifacts, a dash and a version, in name order.
pub fn jars(artifacts: &[&str]) -> Vec<PathBuf> {
    let named = |file: &str| {
        artifacts.iter().any(|artifact| {
            file.strip_prefix(artifact)
                .and_then(|rest| rest.strip_prefix('-'))
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("RELEASE"))
        })
    };
    let folder = fetched();
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("read {}: {e}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.file_name().is_some_and(|name| named(&name.to_string_lossy())))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "tests/jars/pom.xml names none of {artifacts:?}");
    found
}

/// Fetches once per change of the pom; concurrent test processes wait for the first.
fn fetched() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = cache().join("jars");
        fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("create {}: {e}", folder.display()));
        let lock = File::create(folder.join("lock")).expect("a lock file");
        lock.lock().expect("the lock of the jar folder");
        let pom = root().join("tests/jars/pom.xml");
        let wanted = fs::read_to_string(&pom).expect("tests/jars/pom.xml");
        let stamp = folder.join("pom.xml");
        if fs::read_to_string(&stamp).is_ok_and(|present| present == wanted) {
            return folder;
        }
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-f"]).arg(&pom).arg("dependency:copy-dependencies");
        maven.arg(format!("-DoutputDirectory={}", folder.display()));
        let output = run(&mut maven);
        assert!(output.success(), "Maven could not fetch the test jars:\n{output}");
        fs::write(&stamp, wanted).expect("the stamp of the jar folder");
        folder
    })
}
