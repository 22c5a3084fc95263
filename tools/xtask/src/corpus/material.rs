//! What an item of the list consists of, fetched or made.

use super::fetch::{Cache, Material, name};
use super::list::{CorpusItem, CorpusSource, file_start};
use super::made;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

impl Cache {
    /// Fetches or makes what an item consists of.
    pub fn material(&self, item: &CorpusItem) -> Result<Material> {
        let mut material = match &item.source {
            CorpusSource::Maven(coordinates) => {
                let starts = match item.subjects.is_empty() {
                    true => coordinates.iter().map(|c| file_start(c)).collect::<Result<_>>()?,
                    false => item.subjects.clone(),
                };
                let jars = self.maven(coordinates)?;
                let is_subject = |jar: &PathBuf| starts.iter().any(|start| name(jar).starts_with(start.as_str()));
                let (subjects, class_path) = jars.into_iter().partition(is_subject);
                Material { subjects, class_path, loads: true }
            }
            CorpusSource::Pypi(requirement) => {
                Material { subjects: self.pypi(requirement, &item.folder)?, class_path: Vec::new(), loads: true }
            }
            CorpusSource::Build(project) => made::build(self, project)?,
            CorpusSource::Jdk(major) => made::modules(self, *major)?,
            CorpusSource::Ecj(sources) => made::compiled(self, sources)?,
            CorpusSource::Proguard(from) => made::obfuscated(self, &self.material_of(from)?)?,
            CorpusSource::Aspectj(from) => made::woven(self, &self.material_of(from)?)?,
        };
        material.subjects.sort();
        ensure!(!material.subjects.is_empty(), "{}: nothing to rewrite was found", item.name);
        Ok(material)
    }

    /// What another item consists of.
    fn material_of(&self, name: &str) -> Result<Material> {
        let found = self.list.items.iter().find(|item| item.name == name);
        self.material(found.with_context(|| format!("no item is named {name}"))?)
    }
}
