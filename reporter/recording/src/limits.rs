//! How much of a file is read.

/// How much of a hostile file is read. The bounds of members and lines are part of the format.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// Inflated bytes of one gzip member.
    pub member: usize,
    /// Bytes of one line.
    pub line: usize,
    /// Inflated bytes for each byte of the file, over all members read so far; the first 16 MiB are free. Recordings
    /// have 5 to 20.
    pub ratio: u32,
    /// Inflated bytes of the file.
    pub total: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        ReadLimits { member: 64 << 20, line: 16 << 20, ratio: 100, total: 64 << 30 }
    }
}
