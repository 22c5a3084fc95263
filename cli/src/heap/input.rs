//! The dump, and how it is read: the same flags for every verb.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use weighbridge_heapdump::{
    Census, Error, FollowSoft, Graph, Heap, MemoryLimit, Modes, Options, ReferenceModel, SizeModel, Warning, Work,
};
use weighbridge_reporter::heap::Facts;

use crate::exit::{self, Failure};

/// What is read, and how.
#[derive(clap::Args)]
pub(crate) struct Input {
    /// The heap dump.
    #[arg(value_name = "DUMP")]
    pub(crate) dump: PathBuf,
    /// Whether soft references keep objects alive [default: strong, for `heap path` weak].
    #[arg(long, value_enum)]
    soft: Option<Soft>,
    /// Which references keep objects alive.
    #[arg(long, value_enum, default_value_t = References::Memory)]
    references: References,
    /// Which bytes are an object's.
    #[arg(long, value_enum, default_value_t = Sizes::Heap)]
    sizes: Sizes,
    /// Refuse a dump that takes more memory than this (docs/heap-memory.md); the message tells what it takes.
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Soft {
    /// They do.
    Strong,
    /// They do not: what they alone hold goes before memory runs out.
    Weak,
}

#[derive(Clone, Copy, ValueEnum)]
enum References {
    /// Not weak, phantom and final ones; threads and frames are nodes above what they hold.
    Memory,
    /// All, and locals are held by Thread objects, as Eclipse MAT has it.
    Mat,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sizes {
    /// Those it takes in the heap, by the layout found in the dump.
    Heap,
    /// Those of its fields in the dump's record.
    Raw,
}

impl Input {
    /// Reads the dump for its dominators. Like all of these, warns of what the dump lacks.
    pub(crate) fn open(&self) -> Result<(Heap, Graph, Facts), Failure> {
        self.open_for(Work::Dominators)
    }

    /// Reads the dump for some work.
    pub(crate) fn open_for(&self, work: Work) -> Result<(Heap, Graph, Facts), Failure> {
        self.open_file(&self.dump, work, Soft::Strong)
    }

    /// Reads a dump for some work. `soft` applies unless the user chose it.
    pub(crate) fn open_file(&self, dump: &Path, work: Work, soft: Soft) -> Result<(Heap, Graph, Facts), Failure> {
        let options = self.options(work, soft);
        let (heap, graph) = Heap::open(dump, &options)?;
        warn(dump, heap.warnings());
        let facts = Facts::of(&heap, &graph, options.modes);
        Ok((heap, graph, facts))
    }

    /// Whether the user bounds the memory.
    pub(crate) fn is_limited(&self) -> bool {
        self.memory.is_some()
    }

    /// Counts the dump's objects.
    pub(crate) fn census(&self) -> Result<Census, Failure> {
        let census = Census::take(&self.dump, &self.options(Work::Census, Soft::Strong))?;
        warn(&self.dump, census.warnings());
        Ok(census)
    }

    fn options(&self, work: Work, soft: Soft) -> Options {
        let modes = Modes {
            soft: match self.soft.unwrap_or(soft) {
                Soft::Strong => FollowSoft::Strong,
                Soft::Weak => FollowSoft::Weak,
            },
            references: match self.references {
                References::Memory => ReferenceModel::Memory,
                References::Mat => ReferenceModel::Mat,
            },
        };
        let sizes = match self.sizes {
            Sizes::Heap => SizeModel::Heap,
            Sizes::Raw => SizeModel::Raw,
        };
        let memory = self.memory.map(|bytes| MemoryLimit { bytes, work });
        Options { modes, sizes, memory, ..Options::default() }
    }
}

fn warn(dump: &Path, warnings: &[Warning]) {
    for warning in warnings {
        exit::warn(format!("{}: {warning}", dump.display()));
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Input(error.into())
    }
}
