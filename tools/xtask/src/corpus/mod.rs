//! The corpus run: real jars, every probe kind, five oracles.
//!
//! 1. The engine panics at no class.
//! 2. Classes that the structural verifier of `ristretto_classfile` accepts before, it accepts after.
//! 3. The classes that a JVM links with its verifier are the same before and after.
//! 4. ASM's text of each class is the same before and after without the injected sequences. These must be where their
//!    kind inserts them, and as many as the engine reports. Three kinds are not judged by this one ([`kind::has_known_positions`]).
//! 5. A whole jar in which nothing matches keeps its bytes; one in which everything matches keeps the raw bytes of
//!    each entry without a rewritten class.

pub mod archive;
pub mod fetch;
pub mod harness;
pub mod kind;
pub mod list;
pub mod made;
mod material;
pub mod read;
pub mod report;
pub mod rewrite;
mod table;

use anyhow::Result;
use archive::Archives;
use fetch::{Cache, Material};
use harness::{Harness, Variant};
use report::{CorpusReport, ItemReport, KindReport};
use rewrite::{Census, Rewrites};
use std::time::Instant;
use weighbridge_jdk::Jdk;
use weighbridge_probes::every_kind::ProbeKind;

/// What to run.
#[derive(Clone, Debug)]
pub struct CorpusOptions {
    /// Only the items whose names contain this.
    pub only: Option<String>,
    /// Only the items marked `quick`.
    pub quick: bool,
    /// Write the figures of each item to `docs/corpus` as soon as they are known.
    pub keep: bool,
    /// The JDK that links the classes and runs the Java tools.
    pub jdk: Jdk,
}

/// Runs it. The report has the findings of the oracles; only what prevents the run is an error.
pub fn run(options: &CorpusOptions) -> Result<CorpusReport> {
    let cache = Cache::open(&options.jdk)?;
    let harness = Harness::compile(&cache)?;
    let wanted = |item: &list::CorpusItem| {
        (!options.quick || item.quick) && options.only.as_ref().is_none_or(|part| item.name.contains(part.as_str()))
    };
    let items: Vec<list::CorpusItem> = list::list()?.items.into_iter().filter(wanted).collect();
    anyhow::ensure!(!items.is_empty(), "no item of tools/xtask/corpus.toml is meant");
    let mut report = CorpusReport::new(&options.jdk)?;
    for item in items {
        let started = Instant::now();
        let examined = cache.material(&item).and_then(|material| examine(&item.name, &material, &cache, &harness));
        let one = match examined {
            Ok(one) => one,
            Err(error) => {
                eprintln!("{}: {error:#}", item.name);
                report.unexamined.push(format!("{}: {error:#}", item.name));
                if options.keep {
                    ItemReport::forget(&item.name);
                }
                continue;
            }
        };
        let failures = one.failures().count();
        let seconds = started.elapsed().as_secs();
        eprintln!("{}: {} classes, {failures} failures, {seconds} s", one.name, one.census.classes);
        for failure in one.failures().take(5) {
            eprintln!("    {failure}");
        }
        if options.keep {
            one.keep()?;
        }
        report.items.push(one);
    }
    Ok(report)
}

fn examine(name: &str, material: &Material, cache: &Cache, harness: &Harness) -> Result<ItemReport> {
    // One folder per run, because several may run at the same time; it is removed even after an error.
    let work = tempfile::Builder::new().prefix("work-").tempdir_in(&cache.folder)?;
    let work = work.path();
    let (mut census, mut rewrites) = (Census::default(), vec![Rewrites::default(); ProbeKind::ALL.len()]);
    let mut original = Variant { name: "original".to_owned(), jars: Vec::new() };
    let mut variants: Vec<Variant> =
        ProbeKind::ALL.iter().map(|kind| Variant { name: kind::name(*kind).to_owned(), jars: Vec::new() }).collect();
    let mut archives = Archives::default();
    for subject in &material.subjects {
        read::each_jar(subject, &mut |jar| {
            let written = rewrite::rewrite(&jar, original.jars.len(), work, &mut census, &mut rewrites)?;
            original.jars.push(written.original);
            variants.iter_mut().zip(written.rewritten).for_each(|(variant, jar)| variant.jars.push(jar));
            Ok(())
        })?;
        // This run itself packed the classes of a JDK into an archive.
        if material.loads {
            archive::examine(subject, work, &mut archives)?;
        }
    }
    let of_kinds = ProbeKind::ALL.iter().copied().zip(&variants);
    let comparable = of_kinds.filter(|(kind, _)| kind::has_known_positions(*kind)).map(|(_, variant)| variant.clone());
    let (mut texts, unread) = harness.compare(&original, &comparable.collect::<Vec<_>>(), work)?;
    let mut linked = Default::default();
    if material.loads {
        let all: Vec<Variant> = std::iter::once(&original).chain(&variants).cloned().collect();
        linked = harness.link(&all, &material.class_path, work)?;
    }
    let kinds = ProbeKind::ALL.iter().copied().zip(rewrites).map(|(kind, rewrites)| {
        let name = kind::name(kind);
        let compared = kind::has_known_positions(kind).then(|| texts.remove(name).unwrap_or_default());
        KindReport { kind: name.to_owned(), rewrites, linked: linked.remove(name), compared }
    });
    let kinds = kinds.collect();
    let (name, commit) = (name.to_owned(), report::commit()?);
    Ok(ItemReport { name, commit, census, linked_before: linked.remove("original"), unread, archives, kinds })
}
