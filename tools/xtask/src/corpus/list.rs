//! The list of jars, `tools/xtask/corpus.toml`.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusList {
    /// Maven coordinates of the Java tools that the run itself uses, by tool.
    pub tools: BTreeMap<String, Vec<String>>,
    /// The items, in the order of the report.
    #[serde(rename = "item")]
    pub items: Vec<CorpusItem>,
}

/// Jars that share a class path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusItem {
    /// Its name in the report.
    pub name: String,
    /// Where the jars come from.
    pub source: CorpusSource,
    /// Starts of the file names of the jars to rewrite; empty: those named by the source itself.
    #[serde(default)]
    pub subjects: Vec<String>,
    /// The folder of the jars in an unpacked source distribution.
    #[serde(default)]
    pub folder: String,
    /// Whether `cargo test` runs it.
    #[serde(default)]
    pub quick: bool,
}

/// Where the jars of an item come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CorpusSource {
    /// Maven coordinates; their run-time dependencies are the class path.
    Maven(Vec<String>),
    /// A Python requirement whose source distribution holds jars.
    Pypi(String),
    /// A Maven project, relative to the checkout.
    Build(String),
    /// An installed JDK, by feature version.
    Jdk(u32),
    /// Maven coordinates of sources for the Eclipse compiler.
    Ecj(String),
    /// Another item, obfuscated by ProGuard.
    Proguard(String),
    /// Another item, woven by AspectJ.
    Aspectj(String),
}

/// Reads the list of this checkout.
pub fn list() -> Result<CorpusList> {
    toml::from_str(include_str!("../../corpus.toml")).context("tools/xtask/corpus.toml")
}

/// The start of the file name of the artifact that Maven coordinates name.
pub fn file_start(coordinates: &str) -> Result<String> {
    let mut parts = coordinates.split(':').skip(1);
    let (Some(artifact), Some(version)) = (parts.next(), parts.next()) else {
        anyhow::bail!("{coordinates} is not group:artifact:version");
    };
    Ok(format!("{artifact}-{version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_unique_names_and_derived_ones_follow_their_origins() {
        let list = list().expect("a valid list");
        for (i, item) in list.items.iter().enumerate() {
            let earlier = &list.items[..i];
            assert!(!earlier.iter().any(|other| other.name == item.name), "{} twice", item.name);
            if let CorpusSource::Proguard(from) | CorpusSource::Aspectj(from) = &item.source {
                assert!(earlier.iter().any(|other| other.name == *from), "{} derives from {from}", item.name);
            }
        }
        assert!(list.items.iter().filter(|item| item.quick).count() >= 5);
    }

    #[test]
    fn the_file_name_of_an_artifact_starts_with_its_name_and_version() {
        assert_eq!(file_start("a.b:c:1.2").expect("coordinates"), "c-1.2");
        assert!(file_start("a.b:c").is_err());
    }
}
