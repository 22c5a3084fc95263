//! What must hold for any bytes, however damaged. Each oracle panics where it does not hold, and returns otherwise.
//!
//! The fuzz targets in `fuzz/` call them with what libFuzzer makes, `cargo test` with damaged copies of real input from
//! a fixed seed.

pub mod archive;
pub mod class;
pub mod configuration;
pub mod dump;
mod random;

pub use random::Random;
