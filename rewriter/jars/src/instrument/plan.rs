//! Between the passes: plans the table and the bridge of each unit, and the change of each entry.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek, Write};

use sha2::{Digest, Sha256};
use tempfile::{SpooledData, SpooledTempFile};

use super::change::{EntryChange, NodePlan};
use super::scan::{InputNode, Scanner};
use super::shared_text::{SharedBytes, SharedTexts};
use super::table::TablePieces;
use super::unit::{BridgeUnit, PlannedClass, SkippedClass};
use super::{original, signers, table};
use crate::error::Result;
use crate::jar::{Addition, ByteSource, temporary};
use weighbridge_bytecode::read::mutf8;
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::Objects;
use weighbridge_probes::{Links, bridge_frame};

/// Plans the change of every entry, and makes the bridges.
pub(super) fn plan(
    scanner: &Scanner<'_>,
    nodes: &[InputNode],
    units: &mut [BridgeUnit],
    descendants: &[Vec<SharedBytes>],
) -> Result<Vec<NodePlan>> {
    let mut plans: Vec<NodePlan> = nodes.iter().map(|_| NodePlan::default()).collect();
    let mut originals: HashMap<usize, String> = HashMap::new();
    for (index, unit) in units.iter_mut().enumerate() {
        if unit.classes.is_empty() {
            continue;
        }
        let node = &nodes[unit.node];
        let input = top(nodes, unit.node);
        let original = originals.entry(input).or_insert_with(|| original::digest(&nodes[input].tree));
        let mut digest = Sha256::new();
        digest.update(unit.root.folder());
        original::listing(&node.tree, &mut digest);
        let table = table::write(unit, node, original, scanner.selector.config, &descendants[index], &mut digest)?;
        let Some(name) = bridge_name(nodes, unit, &hex::encode(&digest.finalize()[..8])) else {
            leave_alone(unit, scanner.texts);
            continue;
        };
        unit.bridge = name;
        let content = bridge(&unit.bridge, table)?;
        let plan = &mut plans[unit.node];
        let name = format!("{}{}.class", unit.root.folder(), unit.bridge);
        plan.additions.push(Addition { name, content });
        for (id, class) in unit.classes.iter().enumerate() {
            if class.objects(id) == Objects::Own && class.traits.only_subclasses {
                unit.skipped.extend(skipped(class, SkipReason::OnlySubclasses, true, scanner.texts));
                continue;
            }
            let change = EntryChange::Class { unit: index as u32, id: id as u32 };
            class.files().for_each(|file| plan.set_change(node.tree.len(), file as usize, change));
        }
    }
    // Children follow their parents. From the last node to the first, a change reaches all archives around it.
    for index in (0..nodes.len()).rev() {
        if !plans[index].is_changed() {
            continue;
        }
        if let Some((outer, entry)) = nodes[index].parent {
            plans[outer].set_change(nodes[outer].tree.len(), entry, EntryChange::Nested(index as u32));
        }
        signers::unsign(&nodes[index], &mut plans[index]);
    }
    Ok(plans)
}

/// The input that a node is in.
fn top(nodes: &[InputNode], node: usize) -> usize {
    around(nodes, node).last().unwrap_or(node)
}

/// A node and the nodes around it, from the inside out.
fn around(nodes: &[InputNode], node: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(node), |&node| nodes[node].parent.map(|(outer, _)| outer))
}

/// The bridge is in a package of the unit, so that a named module or an isolated loader finds it. Its name is a digest of
/// the content, so that it differs from the bridges of other jars.
///
/// A bundle's loader does not load the classes of imported packages from the bundle (OSGi Core 3.9.4). A bundle that
/// imports all of its packages gets a new one for the bridge. `None` if it is also a module that lists its packages: its
/// loader would not find a new one.
fn bridge_name(nodes: &[InputNode], unit: &BridgeUnit, digest: &str) -> Option<String> {
    let node = &nodes[unit.node];
    let imported = imported(nodes, unit.node);
    let package = |class: &PlannedClass| {
        let name = mutf8::decode(node.class_name(class.entry as usize));
        name.rsplit_once('/').map_or(String::new(), |(package, _)| format!("{package}/"))
    };
    let own = |versioned: bool| {
        let mut packages = unit.classes.iter().filter(|class| class.versioned == versioned).map(package);
        packages.find(|package| !imported.contains(package.trim_end_matches('/').replace('/', ".").as_str()))
    };
    let package = match own(false).or_else(|| own(true)) {
        Some(package) => package,
        None if node.lists_packages => return None,
        None => format!("weighbridge_{digest}/"),
    };
    Some(format!("{package}Weighbridge${digest}"))
}

/// The class file of a bridge. One with a long table is written to a temporary file.
fn bridge(name: &str, mut table: TablePieces) -> Result<ByteSource> {
    let frame = bridge_frame(weighbridge_runtime::BRIDGE_TEMPLATE, name, table.count, Links::Once)?;
    let mut class = SpooledTempFile::new(table::IN_MEMORY);
    let mut copied = 0;
    for range in &frame.pieces {
        class.write_all(&frame.bytes[copied..range.start]).map_err(temporary::unwritable)?;
        let mut piece = [0; 2];
        table.pieces.read_exact(&mut piece).map_err(temporary::unwritable)?;
        class.write_all(&piece).map_err(temporary::unwritable)?;
        let length = u64::from(u16::from_be_bytes(piece));
        io::copy(&mut Read::by_ref(&mut table.pieces).take(length), &mut class).map_err(temporary::unwritable)?;
        copied = range.end;
    }
    class.write_all(&frame.bytes[copied..]).map_err(temporary::unwritable)?;
    let length = class.stream_position().map_err(temporary::unwritable)?;
    match class.into_inner() {
        SpooledData::InMemory(bytes) => Ok(ByteSource::memory(bytes.into_inner())),
        SpooledData::OnDisk(file) => ByteSource::growing(file)?.window(0..length),
    }
}

/// The packages that a node, or an archive around it, imports as an OSGi bundle.
fn imported(nodes: &[InputNode], node: usize) -> HashSet<&str> {
    let manifests = around(nodes, node).filter_map(|node| nodes[node].manifest.as_ref());
    manifests.filter_map(|(_, manifest)| manifest.main("Import-Package")).flat_map(clauses).collect()
}

/// The paths of an OSGi header, without attributes and directives: `a.b;version="[1,2)",c;d` has `a.b`, `c` and `d`.
fn clauses(header: &str) -> Vec<&str> {
    let mut quoted = false;
    let parts = header.split(|character| {
        quoted ^= character == '"';
        !quoted && matches!(character, ',' | ';')
    });
    parts.map(str::trim).filter(|part| !part.contains('=')).collect()
}

/// Skips all classes of a unit that cannot have a bridge.
fn leave_alone(unit: &mut BridgeUnit, texts: &SharedTexts) {
    for class in std::mem::take(&mut unit.classes) {
        unit.skipped.extend(skipped(&class, SkipReason::NoPackageForBridge, false, texts));
    }
}

/// The files of a class as skipped ones.
fn skipped(
    class: &PlannedClass,
    reason: SkipReason,
    harmless: bool,
    texts: &SharedTexts,
) -> impl Iterator<Item = SkippedClass> {
    let reason = texts.reason(&reason.to_string());
    class.files().map(move |entry| SkippedClass { entry, reason: reason.clone(), harmless })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_osgi_header_is_split_into_packages_without_attributes() {
        let header = "a.b;version=\"[1.0,2.0)\", c.d;e;resolution:=optional,f;x=\"y;z,q\"";
        assert_eq!(clauses(header), ["a.b", "c.d", "e", "f"]);
        assert!(clauses("").iter().all(|part| part.is_empty()));
    }
}
