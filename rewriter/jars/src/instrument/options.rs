//! Options of a run: where outputs go, what may be replaced, and limits for hostile archives.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::error::{Error, JarErrorKind, Result};

/// Deflate level of rewritten entries unless another is given; chosen by measurement (docs/decisions/0006).
pub const DEFAULT_LEVEL: u8 = 6;

/// The memory that a run may use unless another is given.
pub const DEFAULT_MEMORY: u64 = 128 << 20;

/// Options of one run, in the order in which they are applied.
#[derive(Clone, Debug)]
pub struct InstrumentOptions {
    /// Where the outputs go.
    pub output: InstrumentOutput,
    /// Replace outputs that exist, and read the original beside an input that was rewritten before. An output that is an
    /// input is refused even then.
    pub force: bool,
    /// Limits for what is read.
    pub limits: ArchiveLimits,
    /// Write outputs even if the configuration selects no class of the inputs.
    pub allow_empty: bool,
    /// Bytes of memory that the run may use, but for a few MiB. Inputs with more entries than fit are refused.
    pub memory: u64,
    /// Worker threads; all cores if absent.
    pub threads: Option<NonZeroUsize>,
    /// Deflate level for rewritten entries, 1 (fast) to 12 (small).
    pub level: u8,
}

impl InstrumentOptions {
    /// The defaults for an output.
    pub fn new(output: InstrumentOutput) -> Self {
        InstrumentOptions {
            output,
            force: false,
            limits: ArchiveLimits::default(),
            allow_empty: true,
            memory: DEFAULT_MEMORY,
            threads: None,
            level: DEFAULT_LEVEL,
        }
    }
}

/// Where the outputs go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstrumentOutput {
    /// A folder: each input keeps its file name, and the runtime's jar is written beside them.
    Folder(PathBuf),
    /// The output of the only input: a file, or a folder for a folder of classes.
    File(PathBuf),
}

/// Limits beyond which an archive is refused as hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Highest ratio of inflated to deflated bytes for an entry of more than 1 MiB. Deflate itself cannot exceed 1,032.
    pub ratio: u32,
    /// Most bytes that the first pass inflates, over all inputs. The second pass reads nothing else.
    pub total_bytes: u64,
    /// How deep archives may be nested; 1 allows the input only.
    pub depth: u32,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        ArchiveLimits { ratio: 250, total_bytes: 64 << 30, depth: 8 }
    }
}

impl ArchiveLimits {
    /// An error if an archive inside one at this depth would be too deep.
    pub(crate) fn check_depth(&self, depth: u32) -> Result<()> {
        match depth < self.depth {
            true => Ok(()),
            false => {
                let message = format!("archives are nested deeper than the limit of {}", self.depth);
                Err(Error::new(JarErrorKind::Archive, message))
            }
        }
    }
}

/// Receives the progress of a run, from worker threads.
pub trait Progress: Sync {
    /// The run starts; `total_bytes` is the sum of all calls of [`Progress::advance`].
    fn start(&self, total_bytes: u64);
    /// Another part of an input is processed.
    fn advance(&self, bytes: u64);
    /// The run starts with this file.
    fn start_file(&self, location: &str);
}

/// Ignores the progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _total_bytes: u64) {}
    fn advance(&self, _bytes: u64) {}
    fn start_file(&self, _location: &str) {}
}
