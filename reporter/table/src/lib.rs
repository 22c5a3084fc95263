//! Tables and the lines about them, drawn in each form of output: text, pages, Markdown, CSV, data for a page's
//! program.
//!
//! A face takes a [`Sheet`] and knows no source of figures.

pub mod cells;
pub mod columns;
pub mod csv;
pub mod json_text;
pub mod markdown;
pub mod page;
pub mod section;
pub mod sheet;
pub mod sheet_data;
pub mod text_table;
pub mod units;

pub use cells::Cells;
pub use columns::{Column, Rows, TableRow};
pub use json_text::json_line;
pub use section::TextOptions;
pub use sheet::Sheet;
pub use sheet_data::SheetData;
