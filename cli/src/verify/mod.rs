//! `weighbridge verify`: is a jar sound, and does a JVM accept its classes?

mod jvm;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use weighbridge_rewriter::verify::{Finding, Verification, verify};

use crate::bounds::Bounds;
use crate::exit::{DONE, Failure, INPUT, Outcome};
use crate::output;
use jvm::Linking;

/// Check a jar: its entries, the structure of its classes, its bridges and its runtime.
///
/// One line per problem: place and reason. Nothing of the jar runs, with --jvm neither. The exit code is 3 if
/// anything is wrong.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A jar, war, ear or directory of classes, rewritten or not.
    #[arg(value_name = "JAR")]
    jar: PathBuf,
    /// Load and link every class in a child JVM with the verifier on; none is initialised.
    #[arg(long)]
    jvm: bool,
    /// The Java installation for --jvm; found by itself if absent.
    #[arg(long, value_name = "HOME", requires = "jvm")]
    java: Option<PathBuf>,
    /// What the classes need: jars and directories, separated as for java; DIR/* stands for the jars in DIR.
    #[arg(long, value_name = "PATH", requires = "jvm")]
    class_path: Option<std::ffi::OsString>,
    /// The jar before it was rewritten: exactly the classes that link in it must link in JAR, and problems that it has,
    /// too, do not count.
    #[arg(long, value_name = "ORIGINAL", requires = "jvm")]
    against: Option<PathBuf>,
    #[command(flatten)]
    bounds: Bounds,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

/// Notes that the text lists; one jar has them by the thousand.
const NOTES: usize = 30;

/// The JSON form; its keys are a public interface.
#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    jar: &'a Path,
    #[serde(flatten)]
    verification: &'a Verification,
    jvm: Option<&'a Linking>,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let mut verification = verify(&args.jar, args.bounds.limits())?;
    if let Some(original) = &args.against {
        verification.discount(&verify(original, args.bounds.limits())?);
    }
    let linking = match args.jvm {
        true => Some(jvm::link(&args)?),
        false => None,
    };
    if let Some(linking) = &linking {
        verification.problems.extend(linking.problems(&args.jar));
        verification.notes.extend(linking.notes(&args.jar));
    }
    match args.json {
        true => output::to_stdout(|stdout| {
            let document = Document { format: 1, jar: &args.jar, verification: &verification, jvm: linking.as_ref() };
            serde_json::to_writer_pretty(&mut *stdout, &document)?;
            writeln!(stdout)
        }),
        false => output::plain(|out| text(&args.jar, &verification, linking.as_ref(), out)),
    }?;
    Ok(if verification.problems.is_empty() { DONE } else { INPUT })
}

fn text(jar: &Path, found: &Verification, linking: Option<&Linking>, out: &mut dyn Write) -> io::Result<()> {
    let line = |out: &mut dyn Write, level: &str, Finding { place, reason }: &Finding| {
        writeln!(out, "{level}{place}: {}", reason.replace(['\n', '\r'], " "))
    };
    for problem in &found.problems {
        line(out, "", problem)?;
    }
    for note in found.notes.iter().take(NOTES) {
        line(out, "note: ", note)?;
    }
    if let Some(more) = found.notes.len().checked_sub(NOTES).filter(|&more| more > 0) {
        writeln!(out, "note: {more} more notes: see --json")?;
    }
    let (entries, classes) = (counted(found.entries, "entry", "entries"), counted(found.classes, "class", "classes"));
    write!(out, "{}: {entries}, {classes}, {}", jar.display(), counted(found.archives, "archive", "archives"))?;
    if found.rewritten > 0 || found.bridges > 0 {
        let rewritten = counted(found.rewritten, "class", "classes");
        let runtime = if found.carries_runtime { ", the runtime" } else { "" };
        write!(out, "; {rewritten} rewritten, {}{runtime}", counted(found.bridges, "bridge", "bridges"))?;
    }
    if let Some(linking) = linking {
        write!(out, "; {linking}")?;
    }
    match found.problems.len() {
        0 => writeln!(out, "; no problem"),
        some => writeln!(out, "; {}", counted(some as u64, "problem", "problems")),
    }
}

fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// What a JVM would call the jar, as the start of places.
fn label(jar: &Path) -> String {
    jar.file_name().map_or_else(|| jar.display().to_string(), |name| name.to_string_lossy().into_owned())
}

impl Args {
    /// The class path, wildcards expanded as by the java launcher, in alphabetical order.
    fn dependencies(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut found = Vec::new();
        for path in self.class_path.iter().flat_map(std::env::split_paths) {
            if path.file_name().is_none_or(|name| name != "*") {
                if !path.exists() {
                    return Err(Failure::input(format!(
                        "{}: no such file or directory on --class-path",
                        path.display()
                    )));
                }
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
            jars.sort();
            found.extend(jars);
        }
        Ok(found)
    }
}
