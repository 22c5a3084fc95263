//! How to run: where outputs go, what may be replaced, and the limits for hostile archives.

use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Deflate level of rewritten entries unless another is given; chosen by measurement (docs/decisions/0006).
pub const DEFAULT_LEVEL: u8 = 6;

/// Options of one run, in the order in which they are applied.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the outputs go.
    pub output: Output,
    /// Replace outputs that exist; rewrite an input that was rewritten before from its original beside it. An output that
    /// is read is refused even then.
    pub force: bool,
    /// Limits for what is read.
    pub limits: Limits,
    /// Write outputs even if the configuration selects no class of the inputs.
    pub allow_empty: bool,
    /// Worker threads; all cores if absent.
    pub threads: Option<NonZeroUsize>,
    /// Deflate level for rewritten entries, 1 (fast) to 12 (small).
    pub level: u8,
}

impl Options {
    /// The defaults for an output.
    pub fn new(output: Output) -> Self {
        Options {
            output,
            force: false,
            limits: Limits::default(),
            allow_empty: true,
            threads: None,
            level: DEFAULT_LEVEL,
        }
    }
}

/// Where the outputs go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A folder: each input keeps its file name, folders are mirrored, the runtime's jar is put beside them.
    Folder(PathBuf),
    /// A file (for a folder of classes: a folder) for the one input.
    File(PathBuf),
}

/// What an archive may ask for before it is refused as hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Highest ratio of inflated to deflated bytes for an entry of more than 1 MiB. Deflate itself cannot exceed 1,032.
    pub ratio: u32,
    /// Most bytes that a run inflates, over all inputs, to find out what to rewrite; writing reads nothing else.
    pub total_bytes: u64,
    /// Most archives around an entry: 1 is an entry of the input itself.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { ratio: 250, total_bytes: 64 << 30, depth: 8 }
    }
}

/// Who wants to know how far a run is. Called from worker threads.
pub trait Progress: Sync {
    /// The run starts; `total_bytes` is what [`Progress::advance`] will add up to.
    fn start(&self, total_bytes: u64);
    /// Another part of an input is done.
    fn advance(&self, bytes: u64);
    /// The run is now at this file.
    fn at(&self, location: &str);
}

/// No progress wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _total_bytes: u64) {}
    fn advance(&self, _bytes: u64) {}
    fn at(&self, _place: &str) {}
}
