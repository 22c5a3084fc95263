//! Serves the figures of recordings and of JVMs that run, or sends them away: the console's page, metrics for Prometheus and
//! OpenTelemetry, Parquet files.
//!
//! It knows who may ask, and how often a JVM may be asked for somebody. It knows no flag, and not how a JVM is asked: that is in
//! `weighbridge-live`.

pub mod console;
pub mod export;
mod listening;
