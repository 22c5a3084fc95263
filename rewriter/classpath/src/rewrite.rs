//! The jars of a command, rewritten: for a JVM that cannot load the native agent.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Context;
use weighbridge_config::Config;
use weighbridge_ending::{Failure, Progress, messages};

use crate::argfile;
use crate::class_path::{self, Element, ElementKind};
use crate::launcher::CommandLine;
use crate::mirror::Mirror;
use crate::prepared::{Prepared, load};

/// The command's arguments with the paths of the rewritten jars, behind those that load the runtime. `must_select`: the file of
/// a configuration that has to select a class; `begin_progress`: who is told of the work.
pub fn prepare_rewritten<P: Progress>(
    command: &[OsString],
    config: &Config,
    must_select: Option<&Path>,
    recording: &Path,
    begin_progress: impl FnOnce() -> P,
) -> Result<Prepared, Failure> {
    let (mut line, mirror) = rewritten(command, config, must_select, begin_progress)?;
    let mut agent = OsString::from("-javaagent:");
    agent.push(&mirror.runtime);
    line.prepend(load(agent, Vec::new(), recording)?);
    let mut warnings = mirror.warnings;
    if mirror.classes == 0 {
        warnings.push("no class on the command line's class path or module path was rewritten".to_owned());
    }
    Ok(Prepared { runs_program: line.has_main, arguments: line.into_arguments(), warnings, files: Vec::new() })
}

/// The arguments with the paths of the rewritten jars.
fn rewritten<P: Progress>(
    command: &[OsString],
    config: &Config,
    must_select: Option<&Path>,
    begin_progress: impl FnOnce() -> P,
) -> Result<(CommandLine, Mirror), Failure> {
    let mut line = CommandLine::new(argfile::expand(command)?);
    let jar = line.jar.map(|path| (path, single(&line.value(path))));
    // `-jar` makes the JVM ignore any class path.
    let class_path = line.class_path.filter(|_| line.jar.is_none());
    let classes = class_path.map(|path| (path, class_path::class_path(&line.value(path))));
    let modules = line.module_path.map(|path| (path, class_path::module_path(&line.value(path))));
    let unnamed = match (&jar, &classes) {
        (None, None) if line.has_main && !line.runs_module => unnamed_class_path(),
        _ => Vec::new(),
    };

    let lists = [jar.iter(), classes.iter(), modules.iter()].into_iter().flatten();
    let mut archives = BTreeMap::new();
    for elements in lists.map(|(_, elements)| elements).chain([&unnamed]) {
        archives.extend(class_path::closure(elements));
    }
    let mirror = Mirror::find_or_make(&archives, config, begin_progress)?;
    // A command that runs no program (`-version`) has nothing that could match.
    if let Some(file) = must_select.filter(|_| mirror.matched == 0 && !archives.is_empty()) {
        mirror.warnings.iter().for_each(messages::warn);
        return Err(Failure::input(format!(
            "{}: the configuration selects no class on the command line's class path or module path; --allow-empty \
             runs the program all the same",
            file.display()
        )));
    }
    for (path, elements) in [jar, classes, modules].into_iter().flatten() {
        if let Some(value) = mirrored(&elements, &mirror)? {
            line.set_value(path, &value);
        }
    }
    if let Some(value) = mirrored(&unnamed, &mirror)? {
        line.prepend(vec!["-cp".into(), value]);
    }
    Ok((line, mirror))
}

fn single(path: &OsStr) -> Vec<Element> {
    vec![Element {
        text: path.to_owned(),
        roots: Vec::from_iter(class_path::real(Path::new(path))),
        kind: ElementKind::Single,
    }]
}

/// The class path of a command that names none: `CLASSPATH`, else the current directory. Leaves a class path in
/// `JDK_JAVA_OPTIONS` or `JAVA_TOOL_OPTIONS` as it is.
fn unnamed_class_path() -> Vec<Element> {
    let named = |variable| {
        let options = std::env::var_os(variable).unwrap_or_default();
        let options = options.to_string_lossy().into_owned();
        ["-cp", "-classpath", "--class-path", "-Djava.class.path"].iter().any(|option| options.contains(option))
    };
    if named("JDK_JAVA_OPTIONS") || named("JAVA_TOOL_OPTIONS") {
        return Vec::new();
    }
    let path = std::env::var_os("CLASSPATH").filter(|path| !path.is_empty());
    class_path::class_path(&path.unwrap_or_else(|| ".".into()))
}

/// A list of paths with everything that the mirror has named by its path there; `None` if the mirror has none of it.
fn mirrored(elements: &[Element], mirror: &Mirror) -> Result<Option<OsString>, Failure> {
    let moved = |element: &Element| element.roots.iter().any(|root| mirror.mirrored(root).is_some());
    if !elements.iter().any(moved) {
        return Ok(None);
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    for element in elements {
        let roots = element.roots.iter().map(|root| mirror.mirrored(root).unwrap_or(root).to_owned());
        match (&element.kind, moved(element)) {
            (_, false) => paths.push(element.text.clone().into()),
            (ElementKind::Modules(folder), true) => {
                // The first module of a name wins, and only directories have an order: the rewritten modules go first.
                paths.push(mirror.folder(folder));
                paths.push(element.text.clone().into());
            }
            (_, true) => paths.extend(roots),
        }
    }
    let joined = std::env::join_paths(paths).context("a path with a separator in it cannot be on a class path")?;
    Ok(Some(joined))
}
