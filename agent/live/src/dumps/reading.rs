//! How a dump is read.

use weighbridge_heapdump::{FollowSoft, HeapOptions, MemoryLimit, Modes, ReferenceModel, SizeModel, Work};

/// How a dump is read, whatever for.
#[derive(Clone, Copy)]
pub struct DumpReading {
    /// Whether soft references keep objects alive, if somebody chose it.
    pub soft: Option<FollowSoft>,
    /// Which references keep objects alive.
    pub references: ReferenceModel,
    /// Which bytes are an object's.
    pub sizes: SizeModel,
    /// A dump that takes more memory than this is refused.
    pub memory: Option<u64>,
}

impl DumpReading {
    /// How to read for some work. `soft` applies unless somebody chose it.
    pub(super) fn options(&self, work: Work, soft: FollowSoft) -> HeapOptions {
        let modes = Modes { soft: self.soft.unwrap_or(soft), references: self.references };
        let memory = self.memory.map(|bytes| MemoryLimit { bytes, work });
        HeapOptions { modes, sizes: self.sizes, memory, ..HeapOptions::default() }
    }
}
