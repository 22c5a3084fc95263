//! The bridges of an archive: is each that rewritten code calls there, and does it speak a known contract?

use std::collections::{BTreeSet, HashSet};

use super::Finding;
use crate::classfile::{ClassFile, PoolOffsets, mutf8, op, tag};
use crate::error::{Error, ErrorKind, Result};
use crate::instrument::paths::Root;
use crate::instrument::table::CONTRACT;
use crate::instrument::tree::Tree;

/// The number of the contract in a bridge's table (docs/probe-contract.md, "The table").
pub(super) fn contract(bridge: &[u8]) -> Result<u32> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(bridge, &mut memory)?;
    for method in class.methods()? {
        let method = method?;
        if method.name()? != b"table" || method.descriptor()? != b"()Ljava/lang/String;" {
            continue;
        }
        let Some(code) = method.code()? else { break };
        // The first constant is the text or, if it is long, its first piece.
        for instruction in code.instructions() {
            let instruction = instruction?;
            if matches!(instruction.opcode(), op::LDC | op::LDC_W) {
                let text = mutf8::decode(class.pool.named(instruction.index(), tag::STRING)?).into_owned();
                let first = text.lines().next().and_then(|line| line.strip_prefix("weighbridge\t"));
                return first.and_then(|number| number.parse().ok()).ok_or_else(|| no_table("says no contract"));
            }
        }
    }
    Err(no_table("is missing"))
}

fn no_table(fault: &str) -> Error {
    Error::new(ErrorKind::ClassFormat, format!("the bridge's table {fault}"))
}

/// What is wrong with a bridge's contract, if anything.
pub(super) fn unknown(contract: Result<u32, String>) -> Option<String> {
    match contract {
        Ok(CONTRACT) => None,
        Ok(other) => Some(format!("the bridge speaks contract {other}; this version knows {CONTRACT}")),
        Err(reason) => Some(reason),
    }
}

/// Adds a problem for each bridge that is called from a class path root and is not in it.
pub(super) fn missing(tree: &Tree, label: &str, calls: &BTreeSet<(Root, Vec<u8>)>, problems: &mut Vec<Finding>) {
    if calls.is_empty() {
        return;
    }
    let there: HashSet<&[u8]> = (0..tree.len()).map(|entry| tree.name(entry)).collect();
    for (root, bridge) in calls {
        let path = [root.folder().as_bytes(), bridge, b".class"].concat();
        if !there.contains(&*path) {
            let place = format!("{label}!/{}", String::from_utf8_lossy(&path));
            problems.push(Finding { place, reason: "the bridge that rewritten classes call is missing".to_owned() });
        }
    }
}
