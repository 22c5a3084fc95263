//! Checks the runtime in an executable jar: is it complete, and does the manifest start it?

use std::collections::HashSet;

use super::finding::{Finding, Verification};
use crate::error::Result;
use crate::instrument::carrier::{LAUNCHER_AGENT, OPENED, RUNTIME_MARK, runtime_entries};
use crate::instrument::tree::InputTree;
use crate::manifest::Manifest;

/// Checks the outermost archive.
pub(super) fn check(
    tree: &InputTree,
    label: &str,
    manifest: Option<&Manifest>,
    found: &mut Verification,
) -> Result<()> {
    let agent = manifest.and_then(|manifest| manifest.main(LAUNCHER_AGENT.0));
    let starts = agent == Some(LAUNCHER_AGENT.1);
    let there: HashSet<&[u8]> = (0..tree.len()).map(|entry| tree.name(entry)).collect();
    let holds = there.iter().any(|name| name.starts_with(RUNTIME_MARK));
    let executable = manifest.is_some_and(|manifest| manifest.main("Main-Class").is_some());
    found.carries_runtime = holds;
    let finding = |reason: String| Finding { location: format!("{label}!/META-INF/MANIFEST.MF"), reason };
    if !holds && !starts {
        if executable && found.bridges > 0 {
            let reason = "an executable jar with rewritten classes and no runtime: start it with -javaagent";
            found.notes.push(finding(reason.to_owned()));
        }
        return Ok(());
    }
    let runtime = runtime_entries()?;
    let absent: Vec<&str> =
        runtime.iter().map(|entry| entry.name.as_str()).filter(|name| !there.contains(name.as_bytes())).collect();
    if let Some(first) = absent.first() {
        let (count, all) = (absent.len(), runtime.len());
        let reason = format!("the runtime is incomplete: {count} of its {all} entries are missing, first {first}");
        found.problems.push(Finding { location: label.to_owned(), reason });
    }
    if !executable {
        return Ok(());
    }
    if !starts {
        let (key, wanted) = LAUNCHER_AGENT;
        let reason = match agent {
            Some(other) => format!("{key} starts {other}, not the runtime that the jar carries ({wanted})"),
            None => format!("{key} is missing: nothing starts the runtime that the jar carries"),
        };
        found.problems.push(finding(reason));
    }
    let opens = manifest.and_then(|manifest| manifest.main("Add-Opens")).unwrap_or_default();
    if !opens.split_whitespace().any(|package| package == OPENED) {
        found.problems.push(finding(format!("Add-Opens lacks {OPENED}: the runtime cannot read fields of the JDK")));
    }
    Ok(())
}
