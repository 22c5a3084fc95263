//! Rewrites every class of a jar with every kind on all cores, and checks the structural oracle.

use super::kind::{ClassChange, Engine, folder};
use super::read::{CorpusClass, Jar, write_jar};
use anyhow::Result;
use rayon::prelude::*;
use ristretto_classfile::ClassFile;
use ristretto_classfile::verifiers::VerifyError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use weighbridge_probes::every_kind::ProbeKind;

/// What one kind did to an item.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rewrites {
    /// Classes rewritten.
    pub rewritten: u64,
    /// Insertions in them.
    pub insertions: u64,
    /// Classes left alone, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Classes that the engine refused with an error, which is no failure, with its message.
    pub errors: Vec<String>,
    /// Classes at which it panicked.
    pub panics: Vec<String>,
    /// Classes that the structural verifier accepted before and not after.
    pub complaints: Vec<String>,
    /// Classes that it accepted before and cannot judge after.
    pub unjudged: Vec<String>,
}

/// Figures of the original classes of an item.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Census {
    /// Jars with classes, nested ones included.
    pub jars: u64,
    /// Class files.
    pub classes: u64,
    /// Bytes of class files.
    pub bytes: u64,
    /// Methods with code.
    pub methods: u64,
    /// Constructors.
    pub constructors: u64,
    /// Classes that the structural verifier accepts.
    pub structurally_sound: u64,
}

/// The jars written for one jar.
#[derive(Debug)]
pub struct Written {
    /// Its original classes.
    pub original: PathBuf,
    /// One per kind, in the order of [`ProbeKind::ALL`].
    pub rewritten: Vec<PathBuf>,
}

/// Rewrites one jar with every kind and writes the results below `work`.
pub fn rewrite(jar: &Jar, ordinal: usize, work: &Path, census: &mut Census, all: &mut [Rewrites]) -> Result<Written> {
    let name = format!("{ordinal:03}-{}", jar.name.replace('!', "-"));
    let path = |folder: &str| work.join(folder).join(&name);
    census.jars += 1;
    census.classes += jar.classes.len() as u64;
    census.bytes += jar.classes.iter().map(|class| class.bytes.len() as u64).sum::<u64>();
    let counts = jar.classes.par_iter().map(|class| count(&class.bytes)).collect::<Vec<_>>();
    for (methods, constructors, verdict) in &counts {
        census.methods += methods;
        census.constructors += constructors;
        census.structurally_sound += u64::from(verdict.is_sound());
    }
    let original = write_jar(path("original"), jar.classes.iter().map(|c| (c.entry.as_str(), c.bytes.as_slice())))?;
    let mut rewritten = Vec::new();
    for (kind, rewrites) in ProbeKind::ALL.iter().copied().zip(all) {
        let results: Vec<Fate> = jar
            .classes
            .par_iter()
            .zip(&counts)
            .enumerate()
            .map_init(Engine::default, |engine, (i, (class, (.., verdict)))| {
                one(engine, kind, class, i as u32, verdict.is_sound())
            })
            .collect();
        let classes = jar.classes.iter().zip(&results).map(|(class, result)| {
            let bytes = result.bytes.as_deref().unwrap_or(&class.bytes);
            (class.entry.as_str(), bytes)
        });
        rewritten.push(write_jar(path(&folder(kind)), classes)?);
        for (class, result) in jar.classes.iter().zip(results) {
            result.add_to(rewrites, &format!("{}!/{}", jar.name, class.entry));
        }
    }
    Ok(Written { original, rewritten })
}

/// What became of one class.
#[derive(Default)]
struct Fate {
    bytes: Option<Vec<u8>>,
    insertions: u64,
    skipped: Option<String>,
    error: Option<String>,
    panic: Option<String>,
    verdict: Option<Verdict>,
}

impl Fate {
    fn add_to(self, all: &mut Rewrites, location: &str) {
        all.rewritten += u64::from(self.bytes.is_some());
        all.insertions += self.insertions;
        if let Some(reason) = self.skipped {
            *all.skipped.entry(reason).or_default() += 1;
        }
        let located = |text: Option<String>| text.map(|text| format!("{location}: {text}"));
        all.errors.extend(located(self.error));
        all.panics.extend(located(self.panic));
        match self.verdict {
            None | Some(Verdict::Sound) => {}
            Some(Verdict::Unjudged) => all.unjudged.push(location.to_owned()),
            Some(Verdict::Wrong(message)) => all.complaints.extend(located(Some(message))),
        }
    }
}

fn one(engine: &mut Engine, kind: ProbeKind, class: &CorpusClass, id: u32, sound: bool) -> Fate {
    // After a panic the engine is replaced, because its memory may be inconsistent.
    match catch_unwind(AssertUnwindSafe(|| engine.rewrite(kind, &class.bytes, id))) {
        Err(panic) => {
            *engine = Engine::default();
            Fate { panic: Some(text_of(&*panic)), ..Fate::default() }
        }
        Ok(Err(error)) => {
            let skipped = Some(format!("{:?} error", error.kind()));
            Fate { skipped, error: Some(error.to_string()), ..Fate::default() }
        }
        Ok(Ok(ClassChange::Skipped(reason))) => Fate { skipped: Some(reason), ..Fate::default() },
        Ok(Ok(ClassChange::Rewritten(bytes, insertions))) => {
            let verdict = sound.then(|| judge_structure(&bytes));
            Fate { bytes: Some(bytes), insertions, verdict, ..Fate::default() }
        }
    }
}

/// What `ristretto_classfile` says of a class.
#[derive(Debug)]
enum Verdict {
    Sound,
    /// It has a limit of its own.
    Unjudged,
    Wrong(String),
}

impl Verdict {
    fn is_sound(&self) -> bool {
        matches!(self, Verdict::Sound)
    }
}

/// Reads and verifies a class; a panic of the library counts as a refusal.
fn judge_structure(bytes: &[u8]) -> Verdict {
    let judged = catch_unwind(|| {
        let class = match ClassFile::from_bytes(bytes) {
            Ok(class) => class,
            Err(error) => return Verdict::Wrong(error.to_string()),
        };
        match class.verify() {
            Ok(()) => Verdict::Sound,
            // It takes the distance of a jump from a byte to an instruction's number, which does not fit in some methods of
            // more than 32,767 bytes. The JVM judges such a class when it links.
            Err(ristretto_classfile::Error::VerificationError(VerifyError::TryFromIntError(_)))
                if longest_code(bytes) > i16::MAX as usize =>
            {
                Verdict::Unjudged
            }
            Err(error) => Verdict::Wrong(error.to_string()),
        }
    });
    judged.unwrap_or_else(|panic| Verdict::Wrong(format!("the verifier panicked: {}", text_of(&*panic))))
}

/// Bytes of code of the longest method.
fn longest_code(bytes: &[u8]) -> usize {
    let mut memory = weighbridge_bytecode::read::PoolOffsets::default();
    let Ok(class) = weighbridge_bytecode::read::ClassFile::read(bytes, &mut memory) else { return 0 };
    let methods = class.methods().into_iter().flatten().flatten();
    methods.filter_map(|method| Some(method.code().ok()??.code.len())).max().unwrap_or(0)
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without text").to_owned()
}

/// Methods with code, constructors, and what the structural verifier says of the class.
fn count(bytes: &[u8]) -> (u64, u64, Verdict) {
    let mut memory = weighbridge_bytecode::read::PoolOffsets::default();
    let mut counts = (0, 0, judge_structure(bytes));
    let Ok(class) = weighbridge_bytecode::read::ClassFile::read(bytes, &mut memory) else { return counts };
    for method in class.methods().into_iter().flatten().flatten() {
        counts.0 += u64::from(matches!(method.code(), Ok(Some(_))));
        counts.1 += u64::from(method.name().is_ok_and(|name| name == b"<init>"));
    }
    counts
}
