//! Puts the runtime into executable jars.

use super::change::{EntryChange, NodePlan};
use super::scan::InputNode;
use super::signers::unsign;
use crate::error::Result;
use crate::jar::{Addition, Archive, ByteSource, InflateBudget};
use crate::manifest::Manifest;

/// The launcher starts this agent before `main` (java.lang.instrument, "Including Agents in Applications").
pub(crate) const LAUNCHER_AGENT: (&str, &str) = ("Launcher-Agent-Class", "io.weighbridge.runtime.Agent");
/// `Add-Opens` of this package lets the runtime read the fields of JDK classes. It has effect in executable jars only.
pub(crate) const OPENED: &str = "java.base/java.lang.invoke";
/// An archive with entries in this folder has a runtime.
pub(crate) const RUNTIME_MARK: &[u8] = b"io/weighbridge/runtime/";

/// True if `java -jar` starts it.
pub(super) fn is_executable(node: &InputNode) -> bool {
    node.parent.is_none() && node.manifest.as_ref().is_some_and(|(_, manifest)| manifest.main("Main-Class").is_some())
}

/// Puts the runtime into executable jars that are rewritten, or whose `Class-Path` names a rewritten input.
pub(super) fn load(nodes: &mut [InputNode], plans: &mut [NodePlan]) -> Result<()> {
    let rewritten: Vec<String> = (0..nodes.len())
        .filter(|&node| nodes[node].parent.is_none() && plans[node].is_changed())
        .map(|node| nodes[node].label.clone())
        .collect();
    for index in 0..nodes.len() {
        let node = &mut nodes[index];
        let Some((entry, manifest)) =
            node.manifest.clone().filter(|_| is_executable(node) && node.own_digest.is_none())
        else {
            continue;
        };
        let needed = plans[index].is_changed()
            || manifest.main("Class-Path").is_some_and(|path| {
                path.split(' ').any(|jar| rewritten.iter().any(|name| jar.rsplit('/').next() == Some(name)))
            });
        if !needed {
            continue;
        }
        if node.is_module {
            node.warnings.push("it is a module and does not carry the runtime: start it with -javaagent".to_owned());
            continue;
        }
        if let Some(agent) = manifest.main(LAUNCHER_AGENT.0) {
            node.warnings.push(format!(
                "it starts the agent {agent} already and does not carry the runtime: start it with -javaagent"
            ));
            continue;
        }
        if (0..node.tree.len()).any(|entry| node.tree.name(entry).starts_with(RUNTIME_MARK)) {
            node.warnings.push("it has a weighbridge runtime already, which is kept".to_owned());
        } else {
            plans[index].additions.extend(runtime_entries()?);
        }
        plans[index].carries_runtime = true;
        plans[index].set_change(node.tree.len(), entry, EntryChange::Manifest);
        unsign(&nodes[index], &mut plans[index]);
    }
    Ok(())
}

/// The manifest of a changed archive.
pub(super) fn manifest(original: &Manifest, plan: &NodePlan) -> Vec<u8> {
    let mut manifest = original.clone();
    if plan.unsigned.is_some() {
        manifest = manifest.without_digests();
    }
    if plan.carries_runtime {
        let opened = match manifest.main("Add-Opens") {
            Some(opened) if opened.split(' ').any(|package| package == OPENED) => opened.to_owned(),
            Some(opened) if !opened.trim().is_empty() => format!("{} {OPENED}", opened.trim_end()),
            _ => OPENED.to_owned(),
        };
        manifest = manifest.with_main(LAUNCHER_AGENT.0, LAUNCHER_AGENT.1).with_main("Add-Opens", &opened);
    }
    manifest.into_bytes()
}

/// The classes of the runtime as entries for another jar, without manifest and module descriptor.
pub(crate) fn runtime_entries() -> Result<Vec<Addition>> {
    let archive = Archive::open(ByteSource::memory(weighbridge_runtime::RUNTIME_JAR.to_vec()))?;
    let budget = InflateBudget::new(u32::MAX, u64::MAX);
    let mut additions = Vec::new();
    for entry in 0..archive.len() {
        let name = archive.display_name(entry);
        if !name.ends_with('/') && !name.starts_with("META-INF/") && name != "module-info.class" {
            additions.push(Addition { content: ByteSource::memory(archive.content(entry, &budget)?), name });
        }
    }
    Ok(additions)
}
