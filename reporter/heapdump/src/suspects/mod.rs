//! What stands out in a heap: objects in which memory accumulates, groups of objects, thread locals, copies of
//! applications, objects that wait for finalizers. [`crate::waste`] finds duplicates and unused slots.
//!
//! One file for each kind; [`Thresholds`] has all limits.

pub mod accumulation;
pub mod finalizers;
pub mod groups;
pub mod loaders;
pub mod locals;
mod thresholds;
mod tree;

pub use thresholds::{COMMON_PERCENT, LOADERS, Thresholds};
pub use tree::Weighed;
