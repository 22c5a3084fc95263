//! Reports on heap dumps: for each verb the figures, and their text, JSON and HTML.

pub mod components;
pub mod diff;
pub mod dominators;
mod facts;
pub mod histogram;
pub(crate) mod html;
mod names;
pub mod object;
mod origin;
pub mod path;
pub mod release;
mod sheet;
mod soft;
pub mod threads;
pub mod waste;

pub use facts::Facts;
pub use origin::RUNTIME;
pub use sheet::Sheet;

use std::io::{self, Write};

use serde::Serialize;

use crate::text::Options;

/// Version of the JSON keys: raised when the meaning of one changes.
pub const FORMAT: u32 = 1;

/// Writes figures as one pretty-printed JSON object and a newline. The same figures give the same bytes.
pub fn json(figures: &impl Serialize, output: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, figures)?;
    output.write_all(b"\n")
}

/// A table's note that rows were left out.
fn more(rows: usize, shown: usize) -> String {
    match rows.saturating_sub(shown) {
        0 => String::new(),
        left => format!("\n  ... and {} more (--top)", crate::units::count(left as u64)),
    }
}

fn heading(title: &str, options: &Options, output: &mut impl Write) -> io::Result<()> {
    match options.colour {
        true => writeln!(output, "\x1b[1m{title}\x1b[0m"),
        false => writeln!(output, "{title}"),
    }
}
