//! SQL over a heap dump.
//!
//! The engine is SQLite. Its tables are virtual: a row is made from the dump's graph when the query asks for it, and
//! nothing of the dump is copied into a database. In run order:
//!
//! 1. [`Query::prepare`] checks a statement, before any dump is read: only one, only a reading one.
//! 2. [`Query::needs`] says what of the dump it needs.
//! 3. [`Query::run`] gives its rows. What a row needs is computed when the first row asks for it: dominators, referrers,
//!    where each record of the file is.
//!
//! [`schema`] describes the tables and [`FUNCTIONS`] the functions beside SQLite's own. docs/heap-sql.md has examples.

mod columns;
mod data;
mod error;
mod functions;
mod guard;
mod needs;
mod paths;
mod query;
mod redact;
mod shared;
mod table;
mod tables;
mod vtab;

pub use columns::{SqlColumn, SqlColumnKind};
pub use error::Error;
pub use functions::{FUNCTIONS, Function};
pub use needs::Needs;
pub use query::{AnswerValue, Heading, Query};
pub use tables::{TableInfo, schema};
