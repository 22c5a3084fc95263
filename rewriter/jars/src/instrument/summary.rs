//! The figures of a run, for the text and JSON summaries.

use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// The result of one run over all inputs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct InstrumentSummary {
    /// One element per input, in the order of the command line.
    pub jars: Vec<JarSummary>,
    /// The sums over `jars`.
    pub total: Counts,
    /// Warnings about the whole run, such as patterns that matched nothing. One sentence each.
    pub warnings: Vec<String>,
    /// What the user has to do next, such as how to start the runtime. One sentence each.
    pub hints: Vec<String>,
    /// The runtime jar that was written next to the outputs, if the output is a folder.
    #[serde(serialize_with = "serialize_some_path")]
    pub runtime_jar: Option<PathBuf>,
    /// Wall time of the run.
    pub seconds: f64,
}

impl InstrumentSummary {
    /// All warnings of the run, each with its input.
    pub fn all_warnings(&self) -> Vec<String> {
        let of_jars = self
            .jars
            .iter()
            .flat_map(|jar| jar.warnings.iter().map(|warning| format!("{}: {warning}", jar.input.display())));
        of_jars.chain(self.warnings.iter().cloned()).collect()
    }
}

/// The result for one input with its nested archives.
#[derive(Clone, Debug, Default, Serialize)]
pub struct JarSummary {
    /// The input as given.
    #[serde(serialize_with = "serialize_path")]
    pub input: PathBuf,
    /// The output; it has the bytes of the input if nothing matched.
    #[serde(serialize_with = "serialize_path")]
    pub output: PathBuf,
    /// The figures of this input.
    #[serde(flatten)]
    pub counts: Counts,
    /// True if the output has other bytes than the input: classes were rewritten, or a signature was removed.
    pub changed: bool,
    /// True if the manifest names a `Main-Class`.
    pub executable: bool,
    /// True if the output contains the runtime and starts it by `Launcher-Agent-Class`.
    pub carries_runtime: bool,
    /// Matched classes that were left untouched, in the order of the input.
    pub skipped: Vec<SkippedClassFile>,
    /// Warnings about this input: removed signatures, unknown fields, unreadable nested archives. One sentence each.
    pub warnings: Vec<String>,
}

/// The figures of an input or of the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Class files seen, in nested archives too; each duplicate and each Multi-Release version counts.
    pub classes_seen: u64,
    /// Class files that the configuration selects.
    pub classes_matched: u64,
    /// Class files that were rewritten.
    pub classes_rewritten: u64,
    /// Class files that were selected and left untouched: `classes_matched - classes_rewritten`.
    pub classes_skipped: u64,
    /// Constructors with probes.
    pub constructors: u64,
    /// Archives inside the input, at any depth.
    pub nested_archives: u64,
    /// Bytes of the input file, or of all files of a folder.
    pub bytes_in: u64,
    /// Bytes of the output.
    pub bytes_out: u64,
}

/// A matched class that was left untouched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedClassFile {
    /// Dotted binary name.
    pub class: String,
    /// Where its bytes are: `app.jar!/lib/inner.jar!/com/acme/Foo.class`.
    #[serde(rename = "place")]
    pub location: String,
    /// The reason, as a part of a sentence. Many classes share one.
    #[serde(serialize_with = "serialize_text")]
    pub reason: Arc<str>,
    /// True for interfaces, modules and classes that are never constructed: no object is missed.
    pub harmless: bool,
}

/// A warning if a path is no UTF-8, for which JSON has no form.
pub fn lossy_path(path: &Path) -> Option<String> {
    let is_lossy = path.to_str().is_none();
    is_lossy
        .then(|| format!("{}: the path is no UTF-8; here and in JSON, U+FFFD stands for what is not", path.display()))
}

/// A path as far as it is UTF-8. [`Summary::warnings`] say if it is not ([`lossy_path`]).
fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn serialize_some_path<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(Path::to_string_lossy).serialize(serializer)
}

fn serialize_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.classes_seen += other.classes_seen;
        self.classes_matched += other.classes_matched;
        self.classes_rewritten += other.classes_rewritten;
        self.classes_skipped += other.classes_skipped;
        self.constructors += other.constructors;
        self.nested_archives += other.nested_archives;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
    }
}
