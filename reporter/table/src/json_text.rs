//! How JSON is written: its strings may come from outside.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};
use weighbridge_outside::printable_json;

/// Pretty-printed JSON in whose strings the characters that act on a terminal are escaped.
#[derive(Default)]
pub struct PrintableFormatter(PrettyFormatter<'static>);

impl Formatter for PrintableFormatter {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, output: &mut W, fragment: &str) -> io::Result<()> {
        output.write_all(printable_json(fragment).as_bytes())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.0.begin_array(output)
    }

    fn end_array<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.0.end_array(output)
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, output: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(output, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.0.end_array_value(output)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.0.begin_object(output)
    }

    fn end_object<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.0.end_object(output)
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, output: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(output, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.0.begin_object_value(output)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, output: &mut W) -> io::Result<()> {
        self.0.end_object_value(output)
    }
}

/// A value as one line of JSON without a line end, with the same escapes.
pub fn json_line(value: &impl Serialize) -> io::Result<String> {
    Ok(printable_json(&serde_json::to_string(value)?).into_owned())
}
