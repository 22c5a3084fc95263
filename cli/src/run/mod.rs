//! `weighbridge run`: runs a java command with its jars rewritten.

mod argfile;
mod child;
mod class_path;
mod launcher;
mod mirror;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use weighbridge_config::Config;
use weighbridge_recording::Limits;

use crate::exit::{self, Failure, Outcome};
use crate::report::{self, ReportOptions, Stream};
use class_path::{Element, Kind};
use launcher::CommandLine;
use mirror::Mirror;

/// Run a java command with its jars rewritten, and print the report when it ends.
///
/// Jars and directories of -cp, -jar (with the Class-Path of manifests) and --module-path are rewritten into
/// $XDG_CACHE_HOME/weighbridge or ~/.cache/weighbridge, once for the same content; those in which nothing matches
/// stay where they are. The program has its own standard input, output, error and exit code; the report goes to
/// standard error behind it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which classes to measure, and how (docs/configuration.md).
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Keep the recording in this file.
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,
    /// Run the program even if the configuration selects no class of its class path: without this that is an error
    /// (exit code 3), and nothing runs.
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    options: ReportOptions,
    /// The command, behind `--`: java and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn execute(mut args: Args) -> Outcome {
    let java = java_of(&args.command[0])?;
    let config = Config::read(&args.config)?;
    args.options.check(&[])?;
    let temporary = tempfile::tempdir().context("no temporary directory can be made")?;
    let recording = match &args.recording {
        Some(file) => args.options.new_file(file)?,
        None => temporary.path().join("run.wbr"),
    };

    let (mut line, mirror) = rewritten(&args, &config)?;
    line.prepend(agent(&mirror.runtime, &recording));
    let mut command = Command::new(&java);
    command.args(line.into_arguments());
    let status = child::run(&mut command).with_context(|| format!("{}: cannot be run", java.display()))?;
    let code = child::code(status);

    mirror.warnings.iter().for_each(exit::warn);
    if mirror.classes == 0 {
        exit::warn("no class on the command line's class path or module path was rewritten");
    }
    if !recording.is_file() {
        exit::warn("the program left no recording: it was killed, halted, or runs on a Java without agents");
        return Ok(code);
    }
    // The program's exit code counts, even if the report fails.
    let shown = report::aggregate(&[recording], Limits::default())
        .and_then(|(aggregate, _)| args.options.write(&aggregate, Stream::Stderr));
    match shown {
        Err(Failure::Usage(error) | Failure::Input(error) | Failure::Defect(error)) => exit::warn(format!("{error:#}")),
        Ok(()) | Err(Failure::BrokenPipe) => {}
    }
    Ok(code)
}

/// The java launcher that a command names, found as a shell would.
fn java_of(word: &OsStr) -> Result<PathBuf, Failure> {
    let path = Path::new(word);
    let name = path.display();
    if path.file_stem().is_none_or(|stem| stem != "java" && stem != "javaw") {
        return Err(Failure::usage(format!(
            "{name}: not the java launcher; `run` needs `-- java ...`. For a script that starts java: rewrite its jars with \
             `weighbridge instrument JAR... --config FILE --dest DIR`, put them in the places of its own, and start it with \
             JAVA_TOOL_OPTIONS=-javaagent:DIR/weighbridge-runtime.jar"
        )));
    }
    if path.components().count() > 1 {
        let exists = path.is_file().then(|| path.to_owned());
        return exists.ok_or_else(|| Failure::input(format!("{name}: no such file")));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(&folders).map(|folder| folder.join(path));
    candidates.find(|file| file.is_file()).ok_or_else(|| Failure::input(format!("{name}: not found on the PATH")))
}

/// Arguments that load the runtime. Commas separate the options of an agent, so a path with a comma has to be a property.
fn agent(runtime: &Path, recording: &Path) -> Vec<OsString> {
    let file = class_path::absolute(recording).into_os_string();
    // The runtime's `%p` and `%t` are not meant here.
    let file = match file.to_str() {
        Some(text) => text.replace('%', "%%").into(),
        None => file,
    };
    let mut agent = OsString::from("-javaagent:");
    agent.push(runtime);
    if file.as_encoded_bytes().contains(&b',') {
        let mut property = OsString::from("-Dweighbridge.destfile=");
        property.push(file);
        return vec![agent, property];
    }
    agent.push("=destfile=");
    agent.push(file);
    vec![agent]
}

/// The arguments with the paths of the rewritten jars.
fn rewritten(args: &Args, config: &Config) -> Result<(CommandLine, Mirror), Failure> {
    let mut line = CommandLine::new(argfile::expand(&args.command[1..])?);
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
    let mirror = Mirror::of(&archives, config)?;
    // A command that runs no program (`-version`) has nothing that could match.
    if mirror.matched == 0 && !archives.is_empty() && !args.allow_empty {
        mirror.warnings.iter().for_each(exit::warn);
        return Err(Failure::input(format!(
            "{}: the configuration selects no class on the command line's class path or module path; --allow-empty \
             runs the program all the same",
            args.config.display()
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
        kind: Kind::Single,
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
            (Kind::Modules(folder), true) => {
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
