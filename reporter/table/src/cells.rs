//! Comma-separated values (RFC 4180) that a spreadsheet does not run.

use std::io::{self, Write};

/// How cells are written that a spreadsheet would take for a formula. Names of classes, threads and tags may be such.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cells {
    /// With a `'` before them, which makes them text: <https://owasp.org/www-community/attacks/CSV_Injection>.
    #[default]
    Defused,
    /// Unchanged, for readers that run nothing.
    Raw,
}

/// A table that is being written.
pub struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
    cells: Cells,
}

impl<W: Write> CsvWriter<W> {
    /// A table without rows.
    pub fn new(cells: Cells, output: W) -> Self {
        CsvWriter { writer: csv::Writer::from_writer(output), cells }
    }

    /// Writes a row.
    pub fn record(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) -> io::Result<()> {
        let raw = self.cells == Cells::Raw;
        let cells = cells.into_iter().map(Into::into);
        let record = cells.map(|cell| if raw || !runs(&cell) { cell } else { format!("'{cell}") });
        // As the error that it is: who reads may have closed the output, which is none for the caller.
        self.writer.write_record(record).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        })
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Whether a spreadsheet would run a cell. A number is never run.
fn runs(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_text_and_numbers_stay_numbers() {
        let written = |cells| {
            let mut bytes = Vec::new();
            let mut sheet = CsvWriter::new(cells, &mut bytes);
            sheet.record(["=cmd|'/C calc'!A0", "+1+cmd", "-x", "@SUM(A1)", "\t=1", "\r=1", "-1.5", "a=b", ""]).unwrap();
            sheet.finish().unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(written(Cells::Defused), "'=cmd|'/C calc'!A0,'+1+cmd,'-x,'@SUM(A1),'\t=1,\"'\r=1\",-1.5,a=b,\n");
        assert_eq!(written(Cells::Raw), "=cmd|'/C calc'!A0,+1+cmd,-x,@SUM(A1),\t=1,\"\r=1\",-1.5,a=b,\n");
    }

    /// An output that its reader has closed.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_output_that_is_closed_is_that_error() {
        let mut writer = CsvWriter::new(Cells::Raw, Closed);
        // More than the buffer holds.
        let error = (0..1000).find_map(|_| writer.record(["x".repeat(100)]).err()).expect("an error");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
