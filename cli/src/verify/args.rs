//! The arguments of `weighbridge verify`.

use std::path::{Path, PathBuf};

use weighbridge_ending::Failure;
use weighbridge_ending::input::check_input;

use crate::bounds::Bounds;
use crate::input::InputPathParser;

/// Check a jar: its entries, the structure of its classes, its bridges and its runtime.
///
/// One line per problem: location and reason. Nothing of the jar runs, with --jvm neither. The exit code is 3 if
/// anything is wrong.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A jar, war, ear or directory of classes, rewritten or not.
    #[arg(value_name = "JAR", value_parser = InputPathParser)]
    pub(super) jar: PathBuf,
    /// Load and link every class in a child JVM with the verifier on; none is initialised.
    #[arg(long)]
    pub(super) jvm: bool,
    /// The Java installation for --jvm; found by itself if absent.
    #[arg(long, value_name = "HOME", requires = "jvm")]
    pub(super) java: Option<PathBuf>,
    /// What the classes need: jars and directories, separated as for java; DIR/* stands for the jars in DIR.
    #[arg(long, value_name = "PATH", requires = "jvm")]
    pub(super) class_path: Option<std::ffi::OsString>,
    /// The jar before it was rewritten: exactly the classes that link in it must link in JAR, and problems that it has,
    /// too, do not count.
    #[arg(long, value_name = "ORIGINAL", requires = "jvm", value_parser = InputPathParser)]
    pub(super) against: Option<PathBuf>,
    #[command(flatten)]
    pub(super) bounds: Bounds,
    /// Print the findings as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// The name of the jar, as the start of locations.
pub(super) fn label(jar: &Path) -> String {
    jar.file_name().map_or_else(|| jar.display().to_string(), |name| name.to_string_lossy().into_owned())
}

impl Args {
    /// The class path, wildcards expanded as by the java launcher, in alphabetical order.
    pub(super) fn dependencies(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut found = Vec::new();
        for path in self.class_path.iter().flat_map(std::env::split_paths) {
            if path.file_name().is_none_or(|name| name != "*") {
                if !path.exists() {
                    return Err(Failure::input(format!(
                        "{}: no such file or directory on --class-path",
                        path.display()
                    )));
                }
                check_input(&path)?;
                found.push(path);
                continue;
            }
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let entries = std::fs::read_dir(folder)
                .map_err(|error| Failure::input(format!("{}: cannot be read: {error}", folder.display())))?;
            let mut jars: Vec<PathBuf> = entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar")))
                .collect();
            jars.retain(|jar| check_input(jar).is_ok());
            jars.sort();
            found.extend(jars);
        }
        Ok(found)
    }
}
