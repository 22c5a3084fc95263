//! Reports on heap dumps: for each verb the figures, and their text, JSON and HTML.

pub mod changes;
pub mod components;
pub mod diff;
pub mod dominators;
mod facts;
pub mod histogram;
mod names;
pub mod object;
mod origin;
pub mod path;
pub mod release;
pub mod rows;
mod soft;
pub mod suspects;
pub mod threads;
pub mod waste;

pub use facts::{DumpedProcess, Facts};

/// Version of the JSON keys, raised if the meaning of a key changes.
pub const FORMAT: u32 = 1;
