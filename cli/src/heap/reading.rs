//! How a dump is read: the same flags for every verb.

use clap::ValueEnum;
use weighbridge_heapdump::{FollowSoft, ReferenceModel, SizeModel};
use weighbridge_live::dumps::DumpReading;

/// How a dump is read.
#[derive(clap::Args)]
pub(crate) struct Reading {
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
enum Soft {
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

impl Reading {
    /// Whether the user bounds the memory.
    pub(crate) fn is_limited(&self) -> bool {
        self.memory.is_some()
    }

    /// What the flags say.
    pub(crate) fn reading(&self) -> DumpReading {
        DumpReading {
            soft: self.soft.map(|soft| match soft {
                Soft::Strong => FollowSoft::Strong,
                Soft::Weak => FollowSoft::Weak,
            }),
            references: match self.references {
                References::Memory => ReferenceModel::Memory,
                References::Mat => ReferenceModel::Mat,
            },
            sizes: match self.sizes {
                Sizes::Heap => SizeModel::Heap,
                Sizes::Raw => SizeModel::Raw,
            },
            memory: self.memory,
        }
    }
}
