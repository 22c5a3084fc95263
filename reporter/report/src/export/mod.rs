//! The aggregate for other tools, one file per format (docs/exports.md).
//!
//! A figure that was not measured is left out: an empty cell, no sample, no line; never 0.

pub mod csv;
pub mod folded;
pub mod openmetrics;
pub mod otlp;
pub mod parquet;
pub mod pprof;
mod series;

pub use weighbridge_table::Cells;
