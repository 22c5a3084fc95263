//! A java command as it is written: what its words mean to the launcher, where its classes come from, and the same command with
//! its jars rewritten, from a cache that mirrors the file system.
//!
//! It knows the launcher's options, argument files and manifests. It knows no flag of ours, and starts no JVM.

mod argfile;
mod class_path;
mod launcher;
mod mirror;
mod prepared;
mod rewrite;

pub use argfile::expand;
pub use class_path::absolute;
pub use launcher::CommandLine;
pub use prepared::{Prepared, load};
pub use rewrite::prepare_rewritten;
