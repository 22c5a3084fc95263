//! Consumers that are Python packages, fetched once by pip.

use crate::{cache, run};
use std::fs::{self, File};
use std::process::Command;

/// A command of Python with a package of this version, without arguments: `python("duckdb", "2.0.0")`.
pub fn python(package: &str, version: &str) -> Command {
    let folder = cache().join("python");
    fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("create {}: {e}", folder.display()));
    let lock = File::create(folder.join("lock")).expect("a lock file");
    lock.lock().expect("the lock of the folder of Python packages");
    let wanted = format!("{package}=={version}");
    let packages = folder.join(&wanted);
    if !packages.join("complete").is_file() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target"]);
        let output = run(pip.arg(&packages).arg(&wanted));
        assert!(output.success(), "the tests need the Python package {wanted}, which pip could not fetch:\n{output}");
        fs::write(packages.join("complete"), "").expect("the stamp of a Python package");
    }
    let mut command = Command::new("python3");
    command.env("PYTHONPATH", &packages).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
