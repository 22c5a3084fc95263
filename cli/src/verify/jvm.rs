//! Links every class in a child JVM, and finds problems in its answers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow};
use serde::Serialize;
use weighbridge_ending::Failure;
use weighbridge_jdk::Jdk;
use weighbridge_probes::is_bridge_name;
use weighbridge_rewriter::instrument::ArchiveLimits;
use weighbridge_rewriter::jar::temporary;
use weighbridge_rewriter::verify::{Finding, unpack};

use super::args::{Args, label};

/// Packages of the runtime, which the original does not have.
const RUNTIME: &str = "io/weighbridge/";
/// How `ClassLoader.checkCerts` says that jars with classes of one package have different signers.
const SIGNERS_DIFFER: &str = "signer information does not match";
/// Most notes of one kind that are listed; the rest is counted.
const LISTED: usize = 10;

/// The answers of a JVM for every class file.
#[derive(Debug, Serialize)]
pub(super) struct Linking {
    /// The JVM's version.
    java: String,
    /// Class files that it linked.
    linked: usize,
    /// Class files that it was asked to link.
    asked: usize,
    /// Class files of the original that it linked, if there is one.
    linked_in_original: Option<usize>,
    #[serde(skip)]
    outcomes: Outcomes,
    #[serde(skip)]
    original: Option<Outcomes>,
}

/// By location in the jar.
type Outcomes = BTreeMap<String, Outcome>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    kind: LinkOutcome,
    reason: String,
}

/// The words of `LinkClasses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LinkOutcome {
    Linked,
    /// A class that it needs does not exist.
    Missing,
    /// It needs a newer Java.
    Newer,
    /// The JDK has a class of the same name.
    Hidden,
    /// Its path is that of another name.
    WrongEntry,
    /// The JVM does not accept it.
    Refused,
}

impl LinkOutcome {
    fn from_word(word: &str) -> Option<LinkOutcome> {
        Some(match word {
            "linked" => LinkOutcome::Linked,
            "missing" => LinkOutcome::Missing,
            "newer" => LinkOutcome::Newer,
            "hidden" => LinkOutcome::Hidden,
            "misplaced" => LinkOutcome::WrongEntry,
            "refused" => LinkOutcome::Refused,
            _ => return None,
        })
    }
}

/// Links the classes of the jar and, if there is one, of the original.
pub(super) fn link(args: &Args) -> Result<Linking, Failure> {
    let java = match &args.java {
        Some(home) => weighbridge_jdk::find_at(home)
            .ok_or_else(|| Failure::input(format!("{}: no Java installation", home.display())))?,
        None => weighbridge_jdk::find()
            .into_iter()
            .next()
            .ok_or_else(|| Failure::input("no Java installation found: install one, or name one with --java HOME"))?,
    };
    let dependencies = args.dependencies()?;
    let outcomes = outcomes(&java, &args.jar, &dependencies)?;
    let original = args.against.as_ref().map(|original| self::outcomes(&java, original, &dependencies)).transpose()?;
    Ok(Linking {
        linked: linked(&outcomes),
        asked: outcomes.len(),
        linked_in_original: original.as_ref().map(linked),
        java: java.version,
        outcomes,
        original,
    })
}

fn linked(outcomes: &Outcomes) -> usize {
    outcomes.values().filter(|outcome| outcome.kind == LinkOutcome::Linked).count()
}

fn outcomes(java: &Jdk, jar: &Path, dependencies: &[PathBuf]) -> Result<Outcomes, Failure> {
    let folder = tempfile::Builder::new().prefix("weighbridge-verify-").tempdir().map_err(temporary::unwritable)?;
    let mut list = String::new();
    for unit in unpack(jar, folder.path(), ArchiveLimits::default())? {
        line(&mut list, &["unit", &unit.label], &unit.path)?;
    }
    for dependency in dependencies {
        line(&mut list, &["path"], dependency)?;
    }
    let (argument, program) = (folder.path().join("list"), folder.path().join("verify.jar"));
    std::fs::write(&argument, list).map_err(temporary::unwritable)?;
    std::fs::write(&program, weighbridge_runtime::VERIFY_JAR).map_err(temporary::unwritable)?;
    let output = Command::new(java.java())
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVA_OPTIONS")
        .env_remove("_JAVA_OPTIONS")
        // Verification of all classes is the default, but an options file may switch it off. A diagnostic option since 13.
        .args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationRemote", "-XX:TieredStopAtLevel=1", "-jar"])
        .args([&program, &argument])
        .output()
        .with_context(|| format!("{}: cannot be started", java.java().display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    match said.strip_suffix("done\n") {
        Some(said) if output.status.success() => said.lines().map(|line| Ok(outcome(line)?)).collect(),
        _ => {
            let error = String::from_utf8_lossy(&output.stderr);
            let last = error.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            let (java, jar) = (java.home.display(), jar.display());
            Err(Failure::input(format!("{jar}: the JVM at {java} could not look at it ({}): {last}", output.status)))
        }
    }
}

fn line(list: &mut String, fields: &[&str], path: &Path) -> Result<(), Failure> {
    let path = std::path::absolute(path).with_context(|| format!("{}: has no absolute path", path.display()))?;
    let path = path.to_str().filter(|path| !path.contains(['\t', '\n', '\r']));
    let path = path.ok_or_else(|| Failure::input("a path with line ends, tabs or bytes that are no UTF-8"))?;
    let clean: Vec<String> = fields.iter().map(|field| field.replace(['\t', '\n', '\r'], " ")).collect();
    *list += &format!("{}\t{path}\n", clean.join("\t"));
    Ok(())
}

fn outcome(line: &str) -> anyhow::Result<(String, Outcome)> {
    let mut fields = line.splitn(3, '\t');
    let (Some(kind), Some(location)) = (fields.next().and_then(LinkOutcome::from_word), fields.next()) else {
        return Err(anyhow!("the child JVM said `{line}`"));
    };
    Ok((location.to_owned(), Outcome { kind, reason: fields.next().unwrap_or_default().to_owned() }))
}

/// Whether rewriting adds a class.
fn is_ours(location: &str) -> bool {
    let path = location.rsplit("!/").next().unwrap_or(location);
    path.starts_with(RUNTIME) || path.strip_suffix(".class").is_some_and(|name| is_bridge_name(name.as_bytes()))
}

impl Linking {
    /// Without an original, what the JVM refuses; with one, every difference from it.
    pub(super) fn problems(&self, jar: &Path) -> Vec<Finding> {
        let java = &self.java;
        let finding = |path: &str, reason: String| Finding { location: format!("{}!/{path}", label(jar)), reason };
        let Some(original) = &self.original else {
            let refused = self.outcomes.iter().filter(|(_, outcome)| outcome.kind == LinkOutcome::Refused);
            return refused
                .map(|(path, outcome)| finding(path, format!("does not link on Java {java}: {}", outcome.reason)))
                .collect();
        };
        let paths: BTreeSet<&String> = self.outcomes.keys().chain(original.keys()).collect();
        let difference = |path: &String| {
            let links = |outcome: &Outcome| outcome.kind == LinkOutcome::Linked;
            Some(match (original.get(path), self.outcomes.get(path)) {
                (Some(before), None) if links(before) => "links in the original and is missing here".to_owned(),
                (Some(before), Some(after)) if links(before) && !links(after) => {
                    format!("links in the original and no more on Java {java}: {}", after.reason)
                }
                // The signed original does not fit the unsigned dependencies; the rewritten jar has lost its signature, too.
                (Some(before), Some(_)) if before.reason.contains(SIGNERS_DIFFER) => return None,
                (Some(before), Some(after)) if !links(before) && links(after) => {
                    format!("links, though it does not in the original: {}", before.reason)
                }
                (None, Some(after)) if is_ours(path) => match links(after) {
                    true => return None,
                    false => format!("does not link on Java {java}: {}", after.reason),
                },
                (None, Some(_)) => "is not in the original".to_owned(),
                _ => return None,
            })
        };
        paths.into_iter().filter_map(|path| Some(finding(path, difference(path)?))).collect()
    }

    /// Classes that the JVM could not judge. None with an original, where they are expected.
    pub(super) fn notes(&self, jar: &Path) -> Vec<Finding> {
        if self.original.is_some() {
            return Vec::new();
        }
        let mut notes = Vec::new();
        for kind in [LinkOutcome::Missing, LinkOutcome::Newer, LinkOutcome::Hidden, LinkOutcome::WrongEntry] {
            let of_kind = || self.outcomes.iter().filter(move |(_, outcome)| outcome.kind == kind);
            notes.extend(of_kind().take(LISTED).map(|(path, outcome)| Finding {
                location: format!("{}!/{path}", label(jar)),
                reason: format!("not linked: {}", outcome.reason),
            }));
            if let Some(more) = of_kind().count().checked_sub(LISTED).filter(|&more| more > 0) {
                let because = match kind {
                    LinkOutcome::Missing => "need classes that are not there (--class-path)",
                    LinkOutcome::Newer => "need a newer Java (--java)",
                    LinkOutcome::Hidden => "are hidden by classes of the JDK",
                    _ => "are at the path of another name",
                };
                notes.push(Finding { location: label(jar), reason: format!("{more} more classes {because}") });
            }
        }
        notes
    }
}

impl fmt::Display for Linking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} classes link on Java {}", self.linked, self.asked, self.java)?;
        match self.linked_in_original {
            Some(linked) => write!(f, " ({linked} in the original)"),
            None => Ok(()),
        }
    }
}
