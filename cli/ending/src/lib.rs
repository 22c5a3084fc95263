//! How work for a user ends: what it fails by ([`Failure`]), the line on standard error that says so, signals that end it, and
//! inputs and outputs that are files.
//!
//! It knows the errors of the crates that read and change files and processes, because each is either wrong usage, an input
//! that cannot be used, or a defect. It knows no flag and no exit code.

mod failure;
pub mod input;
pub mod messages;
pub mod output;
pub mod shell;
mod shown;
pub mod signals;

pub use failure::Failure;
pub use shown::write_text;
// Of whoever works and whoever shows it.
pub use weighbridge_rewriter::instrument::Progress;
