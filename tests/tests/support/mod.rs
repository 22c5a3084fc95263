//! What the tests of the whole checkout read of it.

use std::fs;
use std::path::{Path, PathBuf};

use weighbridge_tests::root;

/// The manifest in a folder of the checkout.
pub fn manifest(folder: &str) -> toml::Table {
    let path = root().join(folder).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The folders of the crates of the workspace.
pub fn crates() -> Vec<String> {
    let workspace = manifest("");
    let members = workspace["workspace"]["members"].as_array().expect("members");
    members.iter().map(|member| member.as_str().expect("a name").to_owned()).collect()
}

/// The Rust sources below a folder; none if there is no such folder.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        match path.extension() {
            Some(extension) if extension == "rs" => files.push(path),
            _ => files.extend(rust_files(&path)),
        }
    }
    files
}
