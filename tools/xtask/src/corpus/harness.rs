//! The Java programs: linking classes in a child JVM, and comparing ASM's text of them.

use super::fetch::{Cache, checkout, join};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use weighbridge_jdk::Jdk;

/// The compiled Java programs of `tools/xtask/java`.
#[derive(Debug)]
pub struct Harness {
    classes: PathBuf,
    class_path: std::ffi::OsString,
    jdk: Jdk,
}

/// The jars of one variant of an item: the original, or rewritten with one probe kind.
#[derive(Clone, Debug)]
pub struct Variant {
    /// `original`, or the name of the probe kind.
    pub name: String,
    /// One jar per jar of the original, in the same order.
    pub jars: Vec<PathBuf>,
}

/// The result of linking one variant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Linked {
    /// Classes that loaded and linked under the verifier.
    pub linked: u64,
    /// Classes that were tried.
    pub classes: u64,
    /// Other classes, by error.
    pub refused: BTreeMap<String, u64>,
    /// Differences from the original: class, outcome before, outcome after.
    pub lost: Vec<String>,
}

/// The result of comparing the texts of one variant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Compared {
    /// Classes compared.
    pub compared: u64,
    /// Those whose bytes differ from the original's.
    pub changed: u64,
    /// Injected sequences that were found and removed.
    pub sequences: u64,
    /// Conditional jumps that were widened.
    pub widened: u64,
    /// Classes whose text differs outside the injected code, with the first difference.
    pub differences: Vec<String>,
}

impl Harness {
    /// Compiles the programs against ASM.
    pub fn compile(cache: &Cache) -> Result<Self> {
        let asm = cache.tool("asm")?;
        let sources = checkout().join("tools/xtask/java");
        let mut texts = String::new();
        for file in walkdir::WalkDir::new(&sources).sort_by_file_name() {
            let file = file?;
            if file.file_type().is_file() {
                texts += &fs::read_to_string(file.path())?;
            }
        }
        // Named by a hash of the sources: a run keeps the programs with which it started.
        let mut hasher = DefaultHasher::new();
        texts.hash(&mut hasher);
        let classes = cache.folder.join(format!("harness-{:016x}", hasher.finish()));
        cache.once(&classes, &texts, |into| {
            let path = join(&asm)?;
            let path = path.to_str().context("paths in UTF-8")?;
            cache.jdk.compile(&[&sources], into, &["--release", "17", "-cp", path]);
            Ok(())
        })?;
        let class_path = join(std::iter::once(&classes).chain(&asm))?;
        Ok(Harness { classes, class_path, jdk: cache.jdk.clone() })
    }

    /// The folder of the compiled classes; programs without ASM need only this folder.
    pub fn classes(&self) -> &Path {
        &self.classes
    }

    /// Links every class of each variant with the rest of the class path; the first variant is the original.
    pub fn link(&self, variants: &[Variant], class_path: &[PathBuf], work: &Path) -> Result<BTreeMap<String, Linked>> {
        let mut request = String::new();
        for variant in variants {
            writeln!(request, "variant\t{}", variant.name)?;
            variant.jars.iter().try_for_each(|jar| writeln!(request, "subject\t{}", jar.display()))?;
            class_path.iter().try_for_each(|jar| writeln!(request, "path\t{}", jar.display()))?;
        }
        let mut found: BTreeMap<String, Linked> = BTreeMap::new();
        for line in self.run("Link", &request, &work.join("link.tsv"))?.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let of = |found: &'_ mut BTreeMap<String, Linked>, name: &str| found.remove(name).unwrap_or_default();
            let mut one = of(&mut found, fields[1]);
            match fields[..] {
                ["linked", _, linked, classes] => (one.linked, one.classes) = (linked.parse()?, classes.parse()?),
                ["refused", _, outcome, classes] => drop(one.refused.insert(outcome.to_owned(), classes.parse()?)),
                ["lost", _, class, before, after] => one.lost.push(format!("{class}: {before} -> {after}")),
                _ => anyhow::bail!("the linking JVM said {line:?}"),
            }
            found.insert(fields[1].to_owned(), one);
        }
        Ok(found)
    }

    /// Compares the text of each variant's classes with the original's; also returns the classes that ASM cannot read.
    pub fn compare(
        &self,
        original: &Variant,
        variants: &[Variant],
        work: &Path,
    ) -> Result<(BTreeMap<String, Compared>, Vec<String>)> {
        let mut request = String::new();
        for (i, jar) in original.jars.iter().enumerate() {
            for variant in variants {
                writeln!(request, "{}\t{}\t{}", jar.display(), variant.name, variant.jars[i].display())?;
            }
        }
        let (mut found, mut unread) = (BTreeMap::<String, Compared>::new(), Vec::new());
        for line in self.run("Compare", &request, &work.join("compare.tsv"))?.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["text", kind, compared, changed, sequences, widened] => {
                    let one = found.entry(kind.to_owned()).or_default();
                    one.compared = compared.parse()?;
                    one.changed = changed.parse()?;
                    one.sequences = sequences.parse()?;
                    one.widened = widened.parse()?;
                }
                ["differs", kind, class, why] => {
                    found.entry(kind.to_owned()).or_default().differences.push(format!("{class}: {why}"));
                }
                ["unread", class, why] => unread.push(format!("{class}: {why}")),
                _ => anyhow::bail!("the comparison said {line:?}"),
            }
        }
        Ok((found, unread))
    }

    fn run(&self, program: &str, request: &str, file: &Path) -> Result<String> {
        fs::write(file, request)?;
        let mut java = Command::new(self.jdk.java());
        java.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS").arg("-Xmx3g");
        // By default the JVM does not verify classes of the JDK's own loaders. In some versions these are diagnostic options.
        java.arg("-XX:+UnlockDiagnosticVMOptions");
        java.args(["-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote"]);
        let output = java.arg("-cp").arg(&self.class_path).arg(program).arg(file).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{program} failed ({}):\n{said}", output.status);
        String::from_utf8(output.stdout).context("output in UTF-8")
    }
}
