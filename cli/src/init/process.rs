//! The program that a JVM runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use weighbridge_jvms::Target;

use super::program::Program;
use crate::exit::Failure;

/// How long a JVM may take to tell its properties.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks the JVM for its class path, and reads that. The JVM answers at its next safepoint; nothing is loaded into it.
pub(super) fn program(pid: u32) -> Result<Program, Failure> {
    let target = Target::find(pid)?;
    let properties = target.properties(PATIENCE)?;
    let of = |key: &str| properties.get(key).map(String::as_str).unwrap_or_default();
    let folder = of("user.dir");
    // Seen from here: the JVM may be in a container.
    let seen = |path: &str| {
        let absolute = Path::new(folder).join(path);
        target.root().join(absolute.strip_prefix("/").unwrap_or(&absolute))
    };
    let started = of("sun.java.command").split_whitespace().next().unwrap_or_default();
    let mut program = Program { name: format!("JVM {pid}"), ..Program::default() };
    let elements: Vec<PathBuf> = ["java.class.path", "jdk.module.path"]
        .iter()
        .flat_map(|key| of(key).split(':').filter(|element| !element.is_empty()))
        .map(seen)
        .filter(|path| path.exists())
        .collect();
    if let [jar] = elements.as_slice()
        && jar.is_file()
    {
        program.add_archive(jar)?;
    } else {
        // `-m module/class`
        program.main = Some(started.rsplit('/').next().unwrap_or(started).to_owned()).filter(|main| !main.is_empty());
        for element in &elements {
            match element.is_dir() {
                true => program.add_folder(element)?,
                false => program.add_jar_of_class_path(element)?,
            }
        }
        program.apart = !program.own.is_empty() && !program.libraries.is_empty();
    }
    match program.own.is_empty() && program.libraries.is_empty() {
        true => Err(Failure::input(format!("JVM {pid}: its class path has no classes that can be read"))),
        false => Ok(program),
    }
}
