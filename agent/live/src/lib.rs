//! Running JVMs: how one is asked by its agent, how the agent is brought into it, and what comes out of it: lines of a recording,
//! heap dumps, traces. Whatever was begun in a JVM ends with who began it, also by a signal, and leaves no file there.
//!
//! It knows no flag and no form of output, and nothing of who asks: a verb, a page or an exporter. How one attaches is in
//! `weighbridge-jvms`, what is said to an agent in `weighbridge-control`.

pub mod agent;
pub mod attach;
mod bring;
pub mod dumps;
pub mod follow;
pub mod jvms;
mod private_folder;
pub mod reader;
pub mod recordings;
pub mod traces;
