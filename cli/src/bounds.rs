//! How much an archive may unpack to before it is refused: the options that all verbs share which read jars.

use weighbridge_rewriter::instrument::Limits;

/// Limits for hostile archives.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Refuse entries of more than 1 MiB that inflate to more than N times their packed size.
    #[arg(long, value_name = "N", default_value_t = Limits::default().ratio)]
    max_ratio: u32,
    /// Refuse inputs that inflate to more than this many bytes in all.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().total_bytes)]
    max_inflated: u64,
}

impl Bounds {
    /// The limits for the rewriter.
    pub(crate) fn limits(self) -> Limits {
        Limits { ratio: self.max_ratio, total_bytes: self.max_inflated, ..Limits::default() }
    }
}
