//! What the binary is made of, for scanners: CycloneDX 1.6 (ECMA-424) as JSON.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::release::{LICENSE, SUMMARY};
use crate::corpus::fetch::checkout;
use crate::licenses::{LicensedComponent, components};

/// Crates with the checksums of `Cargo.lock`, and the scripts of pages. No time and no serial number: the same sources give
/// the same bytes.
pub fn text(version: &str) -> Result<String> {
    let checksums = checksums()?;
    let list: Vec<Value> = components()?.iter().map(|component| entry(component, &checksums)).collect();
    let root = format!("pkg:generic/weighbridge@{version}");
    let references: Vec<&Value> = list.iter().map(|component| &component["bom-ref"]).collect();
    let bom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "weighbridge",
                "version": version,
                "description": SUMMARY,
                "licenses": [{ "expression": LICENSE }],
                "purl": root,
            },
        },
        "components": list,
        "dependencies": [{ "ref": root, "dependsOn": references }],
    });
    Ok(serde_json::to_string_pretty(&bom)? + "\n")
}

fn entry(component: &LicensedComponent, checksums: &BTreeMap<(String, String), String>) -> Value {
    let registry = if component.is_crate { "cargo" } else { "npm" };
    let purl = format!("pkg:{registry}/{}@{}", component.name, component.version.replace('+', "%2B"));
    let mut entry = json!({
        "type": "library",
        "bom-ref": purl,
        "name": component.name,
        "version": component.version,
        // Before SPDX had a word for it, crates wrote `MIT/Apache-2.0`.
        "licenses": [{ "expression": component.license.replace('/', " OR ") }],
        "purl": purl,
    });
    if !component.repository.is_empty() {
        entry["externalReferences"] = json!([{ "type": "vcs", "url": component.repository }]);
    }
    let checksum = checksums.get(&(component.name.clone(), component.version.clone()));
    if let Some(checksum) = checksum.filter(|_| component.is_crate) {
        entry["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    entry
}

/// The SHA-256 of each crate's archive, by name and version.
fn checksums() -> Result<BTreeMap<(String, String), String>> {
    let lock: toml::Table =
        toml::from_str(&fs::read_to_string(checkout().join("Cargo.lock"))?).context("Cargo.lock")?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let said = |package: &toml::Value, key: &str| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let known = packages
        .filter_map(|package| Some(((said(package, "name")?, said(package, "version")?), said(package, "checksum")?)));
    Ok(known.collect())
}
