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

use crate::text::Options;
use crate::text::section::{BOLD, ink};

/// Version of the JSON keys, raised if the meaning of a key changes.
pub const FORMAT: u32 = 1;

fn heading(title: &str, options: &Options, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "{}", ink(title, BOLD, options))
}

/// A heading and lines below it.
fn opening(
    title: &str,
    lines: impl IntoIterator<Item = impl AsRef<str>>,
    options: &Options,
    output: &mut impl Write,
) -> io::Result<()> {
    heading(title, options, output)?;
    lines.into_iter().try_for_each(|line| writeln!(output, "  {}", crate::printable(line.as_ref())))
}
