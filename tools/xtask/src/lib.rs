//! Development tasks: `cargo xtask book`, `cargo xtask corpus`, `cargo xtask dist`, `cargo run -p xtask licenses`.

pub mod book;
pub mod corpus;
#[cfg(unix)]
pub mod dist;
pub mod licenses;
