//! Development tasks: `cargo xtask book`, `cargo xtask corpus`, `cargo run -p xtask licenses`.

pub mod book;
pub mod corpus;
pub mod licenses;
