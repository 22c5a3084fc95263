//! Proposes a configuration for a program: which classes are its own, which components they make, and budgets from the figures of
//! a first run.
//!
//! It knows how archives, builds and class paths are laid out. It knows no flag, asks nobody, and writes no file.

pub mod budgets;
pub mod process;
mod program;
mod proposal;
pub mod written;

pub use program::Program;
pub use proposal::Proposal;
