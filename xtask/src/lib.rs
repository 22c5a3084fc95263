//! Work on the checkout that is no part of the product: `cargo xtask corpus`, `cargo run -p xtask licenses`.

pub mod corpus;
pub mod licenses;
