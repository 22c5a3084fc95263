//! What Rust and the Java runtime share: names and numbers, each written once. This crate is plain data and knows no other.
//!
//! The Java side is made of it ([`java`]) and committed, because Maven builds the runtime too; so are the tables of the
//! documents. `tests/generated.rs` holds both against the data, and writes them with `WEIGHBRIDGE_WRITE_TABLES=1`.

pub mod java;
mod markdown;
mod options;

pub use markdown::{options_table, peak_options_table};
pub use options::{Changes, MOST_AGES, MOST_DIGITS, RUNTIME_OPTIONS, RuntimeOption, Values, runtime_option};
