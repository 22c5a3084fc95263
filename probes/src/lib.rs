//! What is injected, and where (docs/probe-contract.md): the engine of every host.

pub mod bridge;
pub mod constructor;
mod name;

pub use bridge::bridge_class;
pub use name::is_bridge_name;
