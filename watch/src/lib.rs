//! A recording that grows, as tables for a terminal.
//!
//! - [`Recorded`] folds the lines of a recording into what can be shown: the last snapshot, and a short history of
//!   every row.
//! - [`Model`] adds what the person at the keyboard chose: table, order, filter, selected row, a frozen moment. It knows
//!   no terminal; keys come as [`Key`]s.
//! - [`draw`] puts a model into a buffer of cells, and [`text`] makes lines of text of it.
//!
//! Reading the file, the terminal and the clock are the caller's.

mod cells;
mod columns;
mod draw;
mod help;
mod model;
mod recorded;
mod rows;
mod trend;

pub use columns::Column;
pub use draw::{draw, text};
pub use model::{Key, Model, Reaction, Status};
pub use recorded::Recorded;
pub use rows::{Row, Table};
pub use trend::MOMENTS;
