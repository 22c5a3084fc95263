//! Traces by probes (docs/traces.md): which are on, and the classes that have their probes.
//!
//! Each trace has probes of its own in a class, so traces come and go without one knowing of another. The runtime counts; here
//! are the names of what it counts.

pub(crate) mod environment;
mod existing;
mod hook;
mod probing;
pub(crate) mod references;
mod runs;
pub(crate) mod samples;
mod sites;
mod stacks;

pub(crate) use runs::Traces;
