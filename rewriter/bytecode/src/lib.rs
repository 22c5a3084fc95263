//! Class files: reading them, and inserting code into methods.
//!
//! This crate knows no probes and no jars, and depends on no other crate of the workspace.

pub mod error;
pub mod patch;
pub mod read;

pub use error::{BytecodeErrorKind, Error, Result};
