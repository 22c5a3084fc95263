//! The archive oracle: a jar in which nothing matches keeps its bytes, and one in which everything matches keeps the raw
//! bytes of every entry without a rewritten class.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use weighbridge_config::Config;
use weighbridge_rewriter::instrument::{InstrumentOptions, InstrumentOutput, Silent, instrument};
use zip::ZipArchive;

/// What became of the archives of an item.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Archives {
    /// Jars that kept their bytes when nothing matched.
    pub identical: u64,
    /// Entries that kept their raw bytes when everything matched.
    pub kept: u64,
    /// Entries with rewritten classes, or a manifest or index that lists them.
    pub changed: u64,
    /// Jars and entries that changed but should not have.
    pub differences: Vec<String>,
}

/// Entries that list or sign classes, and so may change with these.
const LISTS: [&str; 3] = ["META-INF/MANIFEST.MF", "META-INF/INDEX.LIST", "module-info.class"];

/// Tests one jar both ways, in files below `work`.
pub fn examine(jar: &Path, work: &Path, all: &mut Archives) -> Result<()> {
    let name = super::fetch::name(jar);
    let untouched = run(jar, "no.such.Class", &work.join("unmatched.jar"))?.0;
    match fs::read(jar)? == fs::read(&untouched)? {
        true => all.identical += 1,
        false => all.differences.push(format!("{name}: other bytes although nothing matched")),
    }
    let (weighed, rewritten) = run(jar, "**", &work.join("weighed.jar"))?;
    let before = entries(jar)?;
    let after = entries(&weighed)?;
    let indices: HashMap<&str, usize> = after.iter().enumerate().map(|(i, entry)| (entry.name.as_str(), i)).collect();
    let (mut last, mut classes, mut nested) = (None, 0, false);
    for entry in &before {
        let is = |extensions: &[&str]| extensions.iter().any(|extension| entry.name.ends_with(extension));
        nested |= is(&[".jar", ".war"]);
        let Some(&index) = indices.get(entry.name.as_str()) else {
            if !is(&[".SF", ".RSA", ".DSA", ".EC"]) {
                all.differences.push(format!("{name}!/{}: lost", entry.name));
            }
            continue;
        };
        if last.is_some_and(|last| index < last) {
            all.differences.push(format!("{name}!/{}: in another order", entry.name));
        }
        last = Some(index);
        if *entry == after[index] {
            all.kept += 1;
        } else if is(&[".class", ".jar", ".war"]) || LISTS.contains(&entry.name.as_str()) {
            all.changed += 1;
            classes += u64::from(is(&[".class"]) && !is(&["module-info.class"]));
        } else {
            all.differences.push(format!("{name}!/{}: changed without a class in it", entry.name));
        }
    }
    if classes != rewritten && !nested {
        all.differences.push(format!("{name}: {classes} class entries changed, {rewritten} are said to be rewritten"));
    }
    fs::remove_file(untouched)?;
    Ok(fs::remove_file(weighed)?)
}

/// Instruments a jar; returns the result and how many classes were rewritten according to the summary.
fn run(jar: &Path, include: &str, output: &Path) -> Result<(PathBuf, u64)> {
    let config = Config::parse(&format!("version = 1\n[instrument]\ninclude = [\"{include}\"]\n"))?;
    let options = InstrumentOptions { level: 1, ..InstrumentOptions::new(InstrumentOutput::File(output.to_owned())) };
    let summary = instrument(&[jar.to_owned()], &config, &options, &Silent)
        .with_context(|| format!("instrument {} with {include}", jar.display()))?;
    Ok((output.to_owned(), summary.total.classes_rewritten))
}

/// The raw bytes and fields of an entry.
#[derive(PartialEq, Eq)]
struct CorpusEntry {
    name: String,
    crc32: u32,
    extra: Vec<u8>,
    time: Option<zip::DateTime>,
    raw: Vec<u8>,
}

fn entries(jar: &Path) -> Result<Vec<CorpusEntry>> {
    let mut zip = ZipArchive::new(File::open(jar)?)?;
    let mut all = Vec::with_capacity(zip.len());
    for i in 0..zip.len() {
        let mut entry = zip.by_index_raw(i)?;
        let mut raw = Vec::new();
        entry.read_to_end(&mut raw)?;
        all.push(CorpusEntry {
            name: entry.name()?.into_owned(),
            crc32: entry.crc32(),
            extra: entry.extra_data().unwrap_or_default().to_vec(),
            time: entry.last_modified(),
            raw,
        });
    }
    Ok(all)
}
