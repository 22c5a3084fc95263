//! Development tasks: `cargo xtask corpus`, `cargo run -p xtask licenses`.

pub mod corpus;
pub mod licenses;
