//! Work on the checkout that is no part of the product: `cargo xtask corpus`.

pub mod corpus;
