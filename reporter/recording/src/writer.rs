//! From typed lines to a file.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder, write::GzEncoder};

use crate::line::Line;

/// Writes lines into gzip members. The same lines give the same bytes: members carry no time and
/// no name.
///
/// [`Writer::end_member`] makes the lines so far readable by others; [`Writer::finish`] does so and returns the output.
/// A writer that is dropped without either loses its last member.
pub struct Writer<W: Write> {
    output: W,
    member: Option<GzEncoder<Vec<u8>>>,
}

impl<W: Write> Writer<W> {
    /// Writes whole members to `output`.
    pub fn new(output: W) -> Self {
        Writer { output, member: None }
    }

    /// Adds one line to the current member. [`Line::Unknown`] has no text and is refused.
    pub fn line(&mut self, line: &Line) -> io::Result<()> {
        if *line == Line::Unknown {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line of unknown kind cannot be written"));
        }
        let member = self.member();
        serde_json::to_writer(&mut *member, line)?;
        member.write_all(b"\n")
    }

    /// Adds a line that is text already, of whatever kind.
    pub fn text(&mut self, line: &str) -> io::Result<()> {
        let member = self.member();
        member.write_all(line.as_bytes())?;
        member.write_all(b"\n")
    }

    fn member(&mut self) -> &mut GzEncoder<Vec<u8>> {
        self.member.get_or_insert_with(|| GzBuilder::new().mtime(0).write(Vec::new(), Compression::default()))
    }

    /// Completes the current member and writes it to the output.
    pub fn end_member(&mut self) -> io::Result<()> {
        if let Some(member) = self.member.take() {
            self.output.write_all(&member.finish()?)?;
            self.output.flush()?;
        }
        Ok(())
    }

    /// Completes the last member and returns the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_member()?;
        Ok(self.output)
    }
}
