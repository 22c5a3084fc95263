//! How to replay.

use std::path::PathBuf;

/// How to replay. By default with as much memory as it takes.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The bytes of memory that the tables of objects may take. Dead objects are removed in time; the births and deaths
    /// go to temporary files.
    pub memory: Option<u64>,
    /// The folder of temporary files, else the system's.
    pub temporary: Option<PathBuf>,
    /// Methods whose entries are noted in [`Replayed::moments`](crate::Replayed), each with some 50 bytes of memory.
    pub moments_of: Vec<u32>,
}
