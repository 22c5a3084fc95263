//! Figures of recordings and processes for monitoring systems and query engines (docs/exports.md).

mod accept;
mod fleet;
mod newest;
mod otlp_options;
pub mod parquet;
mod process;
mod push;
pub mod serve;

pub use fleet::Fleet;
pub use push::Collector;
