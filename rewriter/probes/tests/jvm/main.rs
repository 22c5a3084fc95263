//! What JVMs say of rewritten classes: that they link, and which probe calls arrive.

mod bridge;
mod constructors;
mod crafted;
mod insertions;
mod kinds;
mod library;
#[path = "../support/mod.rs"]
mod support;
mod work;
