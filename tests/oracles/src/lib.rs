//! Properties that must hold for any bytes. Each oracle panics if its property does not hold.
//!
//! The fuzz targets in `tests/fuzz/` call them with the inputs of libFuzzer, `cargo test` with damaged copies of real input from
//! a fixed seed.

pub mod archive;
pub mod class;
pub mod configuration;
pub mod dump;
mod random;

pub use random::Random;
