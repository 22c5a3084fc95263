//! A recording that grows, as tables for a terminal.
//!
//! - [`Recorded`] folds the lines of a recording into the last snapshot and a short history of every row.
//! - [`Model`] adds what the user chose: table, order, filter, selected row, a frozen moment. It gets keys as [`Key`]s and
//!   does not depend on the terminal.
//! - A heap dump of the process, which the caller takes ([`Reaction::Dump`]), is shown in the same way.
//! - [`draw`] puts a model into a buffer of cells, and [`text`] turns it into lines of text.
//!
//! The caller has the file, the terminal and the clock.

mod cells;
mod columns;
mod draw;
mod heap;
mod help;
mod key;
mod model;
mod recorded;
mod rows;
mod trend;

pub use columns::WatchColumn;
pub use draw::{draw, text};
pub use key::{KeyPress, Reaction};
pub use model::{Model, Status};
pub use recorded::Recorded;
pub use rows::{WatchRow, WatchTable};
pub use trend::MOMENTS;
