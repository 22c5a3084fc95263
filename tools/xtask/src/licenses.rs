//! The notices of third parties in the binary (`weighbridge licenses`), from the metadata and sources of crates.
//!
//! The text is committed, so that a build does not need the sources. A test compares it with `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;
use walkdir::WalkDir;

use crate::corpus::fetch::checkout;

/// Where the text is committed.
pub fn committed() -> PathBuf {
    checkout().join("cli/third-party.txt")
}

/// The scripts in the page of a report: folder of `reporter/web/licenses`, license, repository.
const SCRIPTS: [(&str, &str, &str); 2] = [
    ("d3-hierarchy", "ISC", "https://github.com/d3/d3-hierarchy"),
    ("uplot", "MIT", "https://github.com/leeoniya/uPlot"),
];

/// What is in the binary: a crate, or a script of a page.
#[derive(Debug)]
pub struct LicensedComponent {
    /// Whether it is a crate; else it is a package of npm.
    pub is_crate: bool,
    /// Its name in the registry.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What its manifest says.
    pub license: String,
    /// The address of its sources, if it tells one.
    pub repository: String,
    texts: Vec<String>,
}

impl LicensedComponent {
    fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Everything that `Cargo.lock` and `reporter/web/package.json` put into the binary, on any platform.
///
/// Needs the sources of all crates; cargo fetches missing ones. Fails if a license has no text.
pub fn components() -> anyhow::Result<Vec<LicensedComponent>> {
    let mut components = crates()?;
    components.extend(scripts()?);
    Ok(components)
}

/// The notices of all [`components`], with its errors.
pub fn text() -> anyhow::Result<String> {
    let components = components()?;
    let mut text = String::from(
        "Third-party notices of Weighbridge\n\nThe weighbridge binary contains these crates and scripts. A crate that leaves \
         the choice is used under the MIT license where it has its text.\n\n",
    );
    let mut users: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for component in &components {
        writeln!(text, "  {}, {}, {}", component.title(), component.license, component.repository)?;
        for license in &component.texts {
            users.entry(license).or_default().insert(component.title());
        }
    }
    // In the order of the first component of each.
    let mut licenses: Vec<_> = users.iter().map(|(license, titles)| (titles, license)).collect();
    licenses.sort();
    for (titles, license) in licenses {
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        write!(text, "\n{}\n{}:\n\n{license}\n", "-".repeat(80), titles.join(", "))?;
    }
    Ok(text)
}

fn crates() -> anyhow::Result<Vec<LicensedComponent>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(checkout())
        .output()
        .context("run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("what cargo metadata prints")?;
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let items = list.as_array().into_iter().flatten();
        items.map(|item| (item["id"].as_str().unwrap_or_default().to_owned(), item.clone())).collect()
    };
    let (packages, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let root = packages.iter().find(|(_, package)| package["name"] == "weighbridge");
    let mut open = vec![root.context("no package weighbridge")?.0.clone()];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        // A dependency without a kind is one of the program; others are for tests and build scripts.
        for dependency in nodes[&id]["deps"].as_array().into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            if kinds.into_iter().any(|kind| kind["kind"].is_null()) {
                open.extend(dependency["pkg"].as_str().map(str::to_owned).filter(|id| !seen.contains(id)));
            }
        }
        seen.insert(id);
    }
    let third_party = packages.iter().filter(|(id, package)| seen.contains(*id) && !package["source"].is_null());
    let mut components = third_party.map(|(_, package)| component(package)).collect::<anyhow::Result<Vec<_>>>()?;
    components.sort_by_key(LicensedComponent::title);
    Ok(components)
}

fn component(package: &Value) -> anyhow::Result<LicensedComponent> {
    let said = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let (name, version) = (said("name"), said("version"));
    let license = said("license");
    let manifest = PathBuf::from(said("manifest_path"));
    let texts = texts(manifest.parent().context("the folder of a manifest")?, &license);
    let texts = texts.and_then(|texts| match texts.is_empty() {
        true if license.contains("Apache-2.0") => Ok(vec![read(&checkout().join("LICENSE-APACHE"))?]),
        true => bail!("no text of its license, {license}"),
        false => Ok(texts),
    });
    let texts = texts.with_context(|| format!("{name} {version}"))?;
    Ok(LicensedComponent { is_crate: true, name, version, license, repository: said("repository"), texts })
}

/// The license texts and notices in a crate's folder and one below.
fn texts(folder: &Path, license: &str) -> anyhow::Result<Vec<String>> {
    const NAMES: [&str; 5] = ["LICEN", "COPYING", "COPYRIGHT", "NOTICE", "UNLICEN"];
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).min_depth(1).max_depth(2).sort_by_file_name() {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if entry.file_type().is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            files.push((name, entry.into_path()));
        }
    }
    let is_choice = (license.contains(" OR ") || license.contains('/')) && !license.contains(" AND ");
    if is_choice && files.iter().any(|(name, _)| name.contains("MIT")) {
        files.retain(|(name, _)| ["MIT", "NOTICE", "COPYRIGHT"].iter().any(|kept| name.contains(kept)));
    }
    files.iter().map(|(_, file)| read(file)).collect()
}

fn scripts() -> anyhow::Result<Vec<LicensedComponent>> {
    let web = checkout().join("reporter/web");
    let package: Value = serde_json::from_str(&read(&web.join("package.json"))?)?;
    let bundled = package["dependencies"].as_object().context("dependencies of the page")?;
    let component = |(name, version): (&String, &Value)| {
        let known = SCRIPTS.iter().find(|known| known.0 == name).with_context(|| format!("{name}: its license?"))?;
        Ok(LicensedComponent {
            is_crate: false,
            name: name.clone(),
            version: version.as_str().context("a version")?.to_owned(),
            license: known.1.to_owned(),
            repository: known.2.to_owned(),
            texts: vec![read(&web.join("licenses").join(name))?],
        })
    };
    bundled.iter().map(component).collect()
}

/// A text with plain line ends and no blanks at the ends of lines, so that equal texts are equal.
fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    Ok(lines.join("\n").trim_matches('\n').to_owned())
}
