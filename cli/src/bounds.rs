//! The options that bound how much an archive or a recording may inflate to, for all verbs that read them.

use weighbridge_recording as recording;
use weighbridge_rewriter::instrument::ArchiveLimits;

/// Limits for hostile archives.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Refuse entries of more than 1 MiB that inflate to more than N times their packed size.
    #[arg(long, value_name = "N", default_value_t = ArchiveLimits::default().ratio)]
    max_ratio: u32,
    /// Refuse inputs that inflate to more than this many bytes in all.
    #[arg(long, value_name = "BYTES", default_value_t = ArchiveLimits::default().total_bytes)]
    max_inflated: u64,
}

impl Bounds {
    /// The limits for the rewriter.
    pub(crate) fn limits(self) -> ArchiveLimits {
        ArchiveLimits { ratio: self.max_ratio, total_bytes: self.max_inflated, ..ArchiveLimits::default() }
    }
}

/// Limits for hostile recordings.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct RecordingBounds {
    /// End a recording where it inflates to more than N times its size.
    #[arg(long, value_name = "N", default_value_t = recording::ReadLimits::default().ratio)]
    max_ratio: u32,
    /// End a recording where it inflates to more than this many bytes.
    #[arg(long, value_name = "BYTES", default_value_t = recording::ReadLimits::default().total)]
    max_inflated: u64,
}

impl RecordingBounds {
    /// The limits for the reader.
    pub(crate) fn limits(self) -> recording::ReadLimits {
        recording::ReadLimits { ratio: self.max_ratio, total: self.max_inflated, ..recording::ReadLimits::default() }
    }
}
