//! Checks the bridges of an archive: does it have each one that its code calls, and does each have a known contract?

use std::collections::{BTreeSet, HashSet};

use super::finding::Finding;
use crate::error::{Error, JarErrorKind, Result};
use crate::instrument::paths::ClassRoot;
use crate::instrument::tree::InputTree;
use weighbridge_probes::bridge::table_head;
use weighbridge_probes::contract::CONTRACT;

/// The number of the contract in a bridge's table (docs/probe-contract.md, "The table").
pub(super) fn contract(bridge: &[u8]) -> Result<u32> {
    let text = table_head(bridge)?;
    let first = text.lines().next().and_then(|line| line.strip_prefix("weighbridge\t"));
    first.and_then(|number| number.parse().ok()).ok_or_else(|| no_table("says no contract"))
}

fn no_table(fault: &str) -> Error {
    Error::new(JarErrorKind::ClassFormat, format!("the bridge's table {fault}"))
}

/// The problem of a bridge's contract, if any.
pub(super) fn unknown(contract: Result<u32, String>) -> Option<String> {
    match contract {
        Ok(CONTRACT) => None,
        Ok(other) => Some(format!("the bridge speaks contract {other}; this version knows {CONTRACT}")),
        Err(reason) => Some(reason),
    }
}

/// Adds a problem for each bridge that is called from a class path root and missing in it.
pub(super) fn missing(
    tree: &InputTree,
    label: &str,
    calls: &BTreeSet<(ClassRoot, Vec<u8>)>,
    problems: &mut Vec<Finding>,
) {
    if calls.is_empty() {
        return;
    }
    let there: HashSet<&[u8]> = (0..tree.len()).map(|entry| tree.name(entry)).collect();
    for (root, bridge) in calls {
        let path = [root.folder().as_bytes(), bridge, b".class"].concat();
        if !there.contains(&*path) {
            let location = format!("{label}!/{}", String::from_utf8_lossy(&path));
            problems.push(Finding { location, reason: "the bridge that rewritten classes call is missing".to_owned() });
        }
    }
}
