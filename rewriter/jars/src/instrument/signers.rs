//! Removes the signatures of changed archives, and of archives that share a package with these.
//!
//! A class loader accepts classes of one package only if all have the same signers (`java.lang.ClassLoader.checkCerts`). If
//! several signed archives have classes of a package, either all keep their signatures or none does.

use std::collections::{BTreeSet, HashMap};

use super::change::{EntryChange, NodePlan, Unsigned};
use super::paths::{Meaning, meaning};
use super::scan::InputNode;
use super::tree::InputTree;

/// Removes the signature of a changed archive: with it the JVM would refuse the changed classes.
pub(super) fn unsign(node: &InputNode, plan: &mut NodePlan) {
    remove(node, plan, Unsigned::Changed);
}

/// True if there was something to remove.
fn remove(node: &InputNode, plan: &mut NodePlan, why: Unsigned) -> bool {
    if node.signatures.is_empty() || plan.unsigned.is_some() {
        return false;
    }
    plan.unsigned = Some(why);
    let entries = node.tree.len();
    node.signatures.iter().for_each(|&entry| plan.set_change(entries, entry, EntryChange::Remove));
    if let Some((entry, manifest)) = &node.manifest
        && manifest.has_digests()
    {
        plan.set_change(entries, *entry, EntryChange::Manifest);
    }
    true
}

/// Removes the signatures of all archives that share a package with one that lost its own.
pub(super) fn spread(nodes: &[InputNode], plans: &mut [NodePlan]) {
    let mut waiting: Vec<usize> = (0..nodes.len()).filter(|&node| plans[node].unsigned.is_some()).collect();
    if waiting.is_empty() {
        return;
    }
    let mut signed: HashMap<&[u8], Vec<usize>> = HashMap::new();
    // An archive that checks its own bytes stays as it is.
    for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.own_digest.is_none()) {
        if !node.signatures.is_empty() && plans[index].unsigned.is_none() {
            packages(&node.tree).into_iter().for_each(|package| signed.entry(package).or_default().push(index));
        }
    }
    while let Some(unsigned) = waiting.pop() {
        for package in packages(&nodes[unsigned].tree) {
            for other in signed.remove(package).unwrap_or_default() {
                if remove(&nodes[other], &mut plans[other], Unsigned::With(unsigned)) {
                    waiting.push(other);
                    waiting.extend(change_outer(nodes, plans, other));
                }
            }
        }
    }
}

/// Marks the archives around a changed one as changed; returns those that lose their signature.
fn change_outer(nodes: &[InputNode], plans: &mut [NodePlan], mut node: usize) -> Vec<usize> {
    let mut unsigned = Vec::new();
    while let Some((outer, entry)) = nodes[node].parent {
        plans[outer].set_change(nodes[outer].tree.len(), entry, EntryChange::Nested(node as u32));
        if remove(&nodes[outer], &mut plans[outer], Unsigned::Changed) {
            unsigned.push(outer);
        }
        node = outer;
    }
    unsigned
}

/// The packages of the classes in an archive.
fn packages(tree: &InputTree) -> BTreeSet<&[u8]> {
    let names = (0..tree.len()).filter_map(|entry| match meaning(tree.name(entry)) {
        Meaning::Class { name, .. } => Some(name),
        _ => None,
    });
    names.map(|name| name.iter().rposition(|&byte| byte == b'/').map_or(&b""[..], |slash| &name[..slash])).collect()
}

/// A sentence that an archive lost its signature, and why.
pub(super) fn sentence(nodes: &[InputNode], node: usize, plan: &NodePlan) -> Option<String> {
    let why = match plan.unsigned? {
        Unsigned::Changed => "because classes changed".to_owned(),
        Unsigned::With(other) => {
            format!("because {} lost its own and has classes of the same packages", nodes[other].label)
        }
    };
    let count = nodes[node].signatures.len();
    Some(format!("it was signed: its {count} signature files and digests are removed, {why}"))
}

/// A warning about signed archives that are no inputs, if an input lost its signature.
pub(super) fn danger(nodes: &[InputNode], plans: &[NodePlan]) -> Option<String> {
    const NAMED: usize = 3;
    let unsigned = nodes.iter().zip(plans).filter(|(_, plan)| plan.unsigned.is_some());
    let unsigned: Vec<&str> = unsigned.map(|(node, _)| &*node.label).collect();
    let named = unsigned[..unsigned.len().min(NAMED)].join(", ");
    let more = unsigned.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!unsigned.is_empty()).then(|| {
        format!(
            "{named}{more} lost the signature: a jar that is still signed, is no input here and has classes of the same \
             packages will not load beside (SecurityException: signer information does not match); give such jars in the \
             same call"
        )
    })
}
