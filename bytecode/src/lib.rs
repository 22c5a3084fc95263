//! Class files: reading them as they are, and inserting code so that nothing else moves.
//!
//! Knows no probes and no jars, and depends on nothing.

pub mod error;
pub mod patch;
pub mod read;

pub use error::{Error, ErrorKind, Result};
