//! The program that a JVM runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use weighbridge_ending::Failure;
use weighbridge_jvms::AttachTarget;
use weighbridge_outside::Named;

use crate::program::Program;

/// How long a JVM may take to tell its properties.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks the JVM for its class path, and reads that. The JVM answers at its next safepoint; nothing is loaded into it.
pub fn program(pid: u32) -> Result<Program, Failure> {
    let target = AttachTarget::find(pid)?;
    let properties = target.properties(PATIENCE)?;
    // As the JVM's user: who may change its class path could have root read any file otherwise.
    target.act_as_user(|| read(&target, &properties))?
}

/// Reads the class path that the properties name, in the JVM's file system: a link in a container leads to nothing outside.
fn read(target: &AttachTarget, properties: &BTreeMap<String, String>) -> Result<Program, Failure> {
    let pid = target.pid();
    let of = |key: &str| properties.get(key).map(String::as_str).unwrap_or_default();
    let folder = Path::new(of("user.dir"));
    // Found again when it is read: there may be more of them than a process may have open.
    let find = |path: &Path| target.find_inside(path).ok().filter(|named| named.is_file() || named.is_folder());
    let started = of("sun.java.command").split_whitespace().next().unwrap_or_default();
    let mut program = Program { name: format!("JVM {pid}"), ..Program::default() };
    let elements: Vec<PathBuf> = ["java.class.path", "jdk.module.path"]
        .iter()
        .flat_map(|key| of(key).split(':').filter(|element| !element.is_empty()))
        .map(|element| folder.join(element))
        .filter(|path| find(path).is_some())
        .collect();
    if let [path] = elements.as_slice()
        && let Some(jar) = find(path).filter(Named::is_file)
    {
        by_its_path(path, &jar, |jar| program.add_archive(jar))?;
    } else {
        // `-m module/class`
        program.main = Some(started.rsplit('/').next().unwrap_or(started).to_owned()).filter(|main| !main.is_empty());
        for path in &elements {
            let Some(element) = find(path) else { continue };
            by_its_path(path, &element, |at| match element.is_folder() {
                true => program.add_folder(at),
                false => program.add_jar_of_class_path(at),
            })?;
        }
        program.apart = !program.own.is_empty() && !program.libraries.is_empty();
    }
    match program.own.is_empty() && program.libraries.is_empty() {
        true => Err(Failure::input(format!("JVM {pid}: its class path has no classes that can be read"))),
        false => Ok(program),
    }
}

/// Reads what was found, by a path that leads to nothing else. An error names it by the path that the JVM has for it.
fn by_its_path(inside: &Path, found: &Named, read: impl FnOnce(&Path) -> Result<(), Failure>) -> Result<(), Failure> {
    let at = found.path();
    let named = |failure: Failure| failure.sentence().replace(&*at.to_string_lossy(), &inside.to_string_lossy());
    read(&at).map_err(|failure| Failure::input(named(failure)))
}
