//! The figures of a run, and what counts as a failure.

use super::archive::Archives;
use super::fetch::checkout;
use super::harness::{Compared, Linked};
use super::rewrite::{Census, Rewrites};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use weighbridge_jdk::Jdk;

/// A whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorpusReport {
    /// The circumstances.
    pub about: About,
    /// One element per item, in the order of the list.
    pub items: Vec<ItemReport>,
    /// Items that could not be fetched, built or read, with the cause.
    pub unexamined: Vec<String>,
}

/// The circumstances of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// What was run.
    pub command: String,
    /// The day, UTC.
    pub date: String,
    /// Version of the rewriter.
    pub rewriter: String,
    /// Version of the JDK whose verifier linked the classes.
    pub jdk: String,
    /// Version of ASM.
    pub asm: String,
    /// Version of the structural verifier.
    pub structural_verifier: String,
    /// Cores, memory and operating system.
    pub machine: String,
}

/// One item.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemReport {
    /// Its name.
    pub name: String,
    /// The commit with which it was examined.
    pub commit: String,
    /// Its contents.
    pub census: Census,
    /// The classes that linked before; absent if no class is loaded.
    pub linked_before: Option<Linked>,
    /// Originals that ASM cannot read.
    pub unread: Vec<String>,
    /// What became of the archives.
    pub archives: Archives,
    /// One element per probe kind.
    pub kinds: Vec<KindReport>,
}

/// One probe kind on one item.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KindReport {
    /// The probe kind.
    pub kind: String,
    /// What the engine did.
    pub rewrites: Rewrites,
    /// The classes that linked after; absent if no class is loaded.
    pub linked: Option<Linked>,
    /// The comparison of the texts; absent where the kind is not judged by it.
    pub compared: Option<Compared>,
}

impl KindReport {
    /// The failures, each with oracle, kind, location and cause.
    fn failures(&self) -> impl Iterator<Item = String> {
        let Rewrites { rewritten, insertions, .. } = self.rewrites;
        let miscounted = self.compared.iter().filter_map(|Compared { changed, sequences, differences, .. }| {
            let found = (*changed, *sequences) == (rewritten, insertions) || !differences.is_empty();
            (!found).then(|| {
                format!("{rewritten} classes have {insertions} insertions, but the texts show {sequences} in {changed}")
            })
        });
        let miscounted: Vec<String> = miscounted.collect();
        let differences = self.compared.iter().flat_map(|compared| &compared.differences);
        let lost = self.linked.iter().flat_map(|linked| &linked.lost);
        let oracles = [
            ("panic", self.rewrites.panics.iter().collect::<Vec<_>>()),
            ("structure", self.rewrites.complaints.iter().collect()),
            ("link", lost.collect()),
            ("text", differences.chain(&miscounted).collect()),
        ];
        let named = oracles.into_iter().flat_map(|(oracle, found)| {
            found.into_iter().map(move |found| format!("{oracle}: {}: {found}", self.kind)).collect::<Vec<_>>()
        });
        named.collect::<Vec<_>>().into_iter()
    }
}

impl ItemReport {
    /// Every failure with its oracle, kind, class and cause.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        let archives = self.archives.differences.iter().map(|difference| format!("archive: {difference}"));
        let failures = self.kinds.iter().flat_map(KindReport::failures).chain(archives);
        failures.map(|failure| format!("{}: {failure}", self.name))
    }

    /// Writes the figures of the item, so that a run that ends early loses nothing.
    pub fn keep(&self) -> Result<()> {
        let file = figures(&self.name);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&file, serde_json::to_string_pretty(self)? + "\n")
            .with_context(|| format!("write {}", file.display()))
    }

    /// Removes figures of an earlier run that could not be repeated.
    pub fn forget(name: &str) {
        // There may be none.
        let _ = fs::remove_file(figures(name));
    }
}

/// The file of an item's figures.
pub(super) fn figures(item: &str) -> PathBuf {
    checkout().join("docs/corpus").join(format!("{}.json", slug(item)))
}

/// The commit that is checked out, and whether files other than the figures differ from it.
pub fn commit() -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git").arg("-C").arg(checkout()).args(arguments).output().context("run git")?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changed =
        git(&["status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/corpus", ":!docs/corpus.md"])?;
    let head = git(&["rev-parse", "--short=10", "HEAD"])?;
    Ok(if changed.is_empty() { head } else { format!("{head} with changes") })
}

impl CorpusReport {
    /// An empty report of a run on this machine, today.
    pub fn new(jdk: &Jdk) -> Result<Self> {
        let tools = super::list::list()?.tools;
        let asm = tools["asm"][0].rsplit(':').next().unwrap_or_default().to_owned();
        let date = Command::new("date").args(["-u", "+%F"]).output().context("run date")?;
        let about = About {
            command: "cargo xtask corpus".to_owned(),
            date: String::from_utf8_lossy(&date.stdout).trim().to_owned(),
            rewriter: env!("CARGO_PKG_VERSION").to_owned(),
            jdk: jdk.version.clone(),
            asm,
            structural_verifier: "ristretto_classfile 0.31.0".to_owned(),
            machine: machine(),
        };
        Ok(CorpusReport { about, items: Vec::new(), unexamined: Vec::new() })
    }

    /// The failures of the oracles, and the items that could not be examined.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        self.items.iter().flat_map(ItemReport::failures).chain(self.unexamined.iter().cloned())
    }

    /// The first of [`Report::failures`].
    pub fn first_failure(&self) -> Option<String> {
        self.failures().next()
    }
}

/// A file name for an item.
pub fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string(Path::new("/proc/meminfo")).unwrap_or_default();
    let kibibytes = memory.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    let memory = kibibytes.map_or_else(String::new, |k| format!(", {} GiB of memory", k.div_ceil(1 << 20)));
    format!("{cores} cores{memory}, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(change: impl FnOnce(&mut KindReport)) -> ItemReport {
        let linked = || Some(Linked { linked: 2, classes: 2, ..Linked::default() });
        let mut kind = KindReport {
            kind: "uses of objects".to_owned(),
            rewrites: Rewrites { rewritten: 2, insertions: 7, ..Rewrites::default() },
            linked: linked(),
            compared: Some(Compared { compared: 2, changed: 2, sequences: 7, ..Compared::default() }),
        };
        change(&mut kind);
        let census = Census { jars: 1, classes: 2, ..Census::default() };
        let (name, unread) = ("a jar".to_owned(), Vec::new());
        let archives = Archives { identical: 1, ..Archives::default() };
        let commit = "0123456789".to_owned();
        ItemReport { name, commit, census, linked_before: linked(), unread, archives, kinds: vec![kind] }
    }

    #[test]
    fn a_failure_names_its_oracle_and_the_class() {
        assert_eq!(report(|_| ()).failures().count(), 0);
        fn found() -> Vec<String> {
            vec!["a.jar!/B.class: why".to_owned()]
        }
        type Spoil = fn(&mut KindReport);
        let cases: [(&str, Spoil); 4] = [
            ("panic", |kind| kind.rewrites.panics = found()),
            ("structure", |kind| kind.rewrites.complaints = found()),
            ("link", |kind| kind.linked.as_mut().expect("linked").lost = found()),
            ("text", |kind| kind.compared.as_mut().expect("compared").differences = found()),
        ];
        for (oracle, change) in cases {
            let failures: Vec<String> = report(change).failures().collect();
            assert_eq!(failures, [format!("a jar: {oracle}: uses of objects: a.jar!/B.class: why")]);
        }
        let mut item = report(|_| ());
        item.archives.differences = found();
        assert_eq!(item.failures().collect::<Vec<_>>(), ["a jar: archive: a.jar!/B.class: why"]);
    }

    #[test]
    fn an_insertion_that_the_text_does_not_show_is_a_failure() {
        let failures: Vec<String> =
            report(|kind| kind.compared.as_mut().expect("compared").sequences = 6).failures().collect();
        assert_eq!(failures, ["a jar: text: uses of objects: 2 classes have 7 insertions, but the texts show 6 in 2"]);
    }

    #[test]
    fn an_item_has_a_file_name_without_blanks() {
        assert_eq!(slug("guava by ProGuard (7.7)"), "guava-by-proguard-7-7");
    }
}
