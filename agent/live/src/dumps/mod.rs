//! Heap dumps of running JVMs, and how dumps are read.

mod held;
mod pattern;
mod reading;
mod source;
mod taken;
pub mod target;
pub mod threads;

pub use held::HeldDump;
pub use pattern::DumpClassPattern;
pub use reading::DumpReading;
pub use source::DumpSource;
pub use taken::{DumpRequest, Taken, take};
