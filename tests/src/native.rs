//! Native code of test programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{root, run};

/// A source of `tests/native` as a library in a folder.
pub fn compile_native(source: &str, folder: &Path) -> PathBuf {
    let library = folder.join(format!("lib{source}.so"));
    let include = weighbridge_jdk::to_build_with().home.join("include");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(root().join("tests/native").join(source));
    let output = run(compiler.arg("-I").arg(&include).arg("-I").arg(include.join("linux")));
    assert!(output.success(), "{output}");
    library
}
