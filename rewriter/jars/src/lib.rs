//! Rewrites jars: matches classes against a configuration and injects probes into their constructors.

pub mod error;
pub mod explain;
pub mod file_kind;
pub mod instrument;
pub mod jar;
pub mod manifest;
pub mod verify;

pub use error::{Error, JarErrorKind, Result};
