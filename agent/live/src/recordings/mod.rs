//! The recordings that processes write, and what their agents send instead.

mod plain;
mod process;
mod source;
mod start;

pub use process::{ProcessFile, RecordingLookup, lives, parse_pid, recording_of};
pub use source::{RecordingSource, Takes, follow_path};
