//! `weighbridge verify`: checks a jar, and whether a JVM accepts its classes.

mod args;
mod jvm;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use weighbridge_ending::{messages, output};
use weighbridge_reporter::json::pretty;
use weighbridge_rewriter::instrument::lossy_path;
use weighbridge_rewriter::verify::{Finding, Verification, verify};

use crate::exit::{DONE, INPUT, Outcome};
pub(crate) use args::Args;
use jvm::Linking;

/// Most notes that the text lists; a jar may have thousands.
const NOTES: usize = 30;

/// The JSON form; its keys are a public interface.
#[derive(Serialize)]
struct VerifyDocument<'a> {
    format: u32,
    /// As far as it is UTF-8.
    jar: Cow<'a, str>,
    #[serde(flatten)]
    verification: &'a Verification,
    jvm: Option<&'a Linking>,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let mut verification = verify(&args.jar, args.bounds.limits())?;
    if let Some(original) = &args.against {
        verification.discount(&verify(original, args.bounds.limits())?);
    }
    let linking = args.jvm.then(|| jvm::link(&args)).transpose()?;
    if let Some(linking) = &linking {
        verification.problems.extend(linking.problems(&args.jar));
        verification.notes.extend(linking.notes(&args.jar));
    }
    lossy_path(&args.jar).into_iter().for_each(messages::warn);
    match args.json {
        true => output::to_stdout(|mut stdout| {
            let document = VerifyDocument {
                format: 1,
                jar: args.jar.to_string_lossy(),
                verification: &verification,
                jvm: linking.as_ref(),
            };
            pretty(&document, &mut stdout)
        }),
        false => output::plain(|out| text(&args.jar, &verification, linking.as_ref(), out)),
    }?;
    Ok(if verification.problems.is_empty() { DONE } else { INPUT })
}

fn text(jar: &Path, found: &Verification, linking: Option<&Linking>, out: &mut dyn Write) -> io::Result<()> {
    let line = |out: &mut dyn Write, level: &str, Finding { location, reason }: &Finding| {
        writeln!(out, "{level}{location}: {}", reason.replace(['\n', '\r'], " "))
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
    let (entries, classes) =
        (count_with_noun(found.entries, "entry", "entries"), count_with_noun(found.classes, "class", "classes"));
    write!(out, "{}: {entries}, {classes}, {}", jar.display(), count_with_noun(found.archives, "archive", "archives"))?;
    if found.rewritten > 0 || found.bridges > 0 {
        let rewritten = count_with_noun(found.rewritten, "class", "classes");
        let runtime = if found.carries_runtime { ", the runtime" } else { "" };
        write!(out, "; {rewritten} rewritten, {}{runtime}", count_with_noun(found.bridges, "bridge", "bridges"))?;
    }
    if let Some(linking) = linking {
        write!(out, "; {linking}")?;
    }
    match found.problems.len() {
        0 => writeln!(out, "; no problem"),
        some => writeln!(out, "; {}", count_with_noun(some as u64, "problem", "problems")),
    }
}

fn count_with_noun(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
