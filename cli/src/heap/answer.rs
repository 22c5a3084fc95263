//! The answer of a query on a dump, in any form: the flags and the way of `heap sql`, `heap list` and `heap group`.

use std::cell::RefCell;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context;
use clap::ValueEnum;
use tempfile::SpooledTempFile;
use weighbridge_ending::{Failure, messages, output, write_text};
use weighbridge_heapdump::{Graph, Heap, Work};
use weighbridge_heapsql::{AnswerValue, Query, SqlColumnKind};
use weighbridge_live::dumps::DumpSource;
use weighbridge_reporter::heap::Facts;
use weighbridge_reporter::heap::rows::{self, Csv, Json, QueryValue, Question};

use crate::output_target::{self, CsvOptions, OutputTarget};

/// Bytes of an answer that wait in memory until it is whole; more wait in a file without a name.
const IN_MEMORY: usize = 8 << 20;

/// The form of the answer, and where it goes.
#[derive(clap::Args)]
pub(crate) struct AnswerOptions {
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
    /// Rows, 0 for all [default: 30 in text and HTML, all in CSV and JSON]. A line tells how many are left out.
    #[arg(long, alias = "limit", value_name = "N")]
    top: Option<usize>,
    /// Replace texts of the program by their length and a mark that equal texts share. The default, except for text on
    /// standard output: files, CSV, JSON and HTML are made to be passed on.
    #[arg(long)]
    redact: bool,
    /// Write texts of the program as they are, wherever they go.
    #[arg(long, conflicts_with = "redact")]
    no_redact: bool,
    #[command(flatten)]
    csv: CsvOptions,
    #[command(flatten)]
    pub(super) target: OutputTarget,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// A table for people.
    Text,
    /// Columns and rows for programs (docs/heap-sql.md).
    Json,
    /// A line a row, the names of the columns first.
    Csv,
    /// One page that needs no other file.
    Html,
}

/// What is special of a verb's answer.
pub(super) struct Told {
    pub(super) title: &'static str,
    pub(super) notes: Vec<String>,
    /// The statement that JSON has.
    pub(super) statement: String,
}

impl AnswerOptions {
    fn redacts(&self) -> bool {
        self.redact || !self.no_redact && (self.format != AnswerFormat::Text || self.target.file.is_some())
    }

    fn rows(&self) -> usize {
        let default = if matches!(self.format, AnswerFormat::Text | AnswerFormat::Html) { 30 } else { 0 };
        match self.top.unwrap_or(default) {
            0 => usize::MAX,
            top => top,
        }
    }

    /// Runs a query on a dump that is read, and writes what it gives when it is whole.
    pub(super) fn run_query(
        &self,
        query: Query,
        heap: Heap,
        graph: Graph,
        facts: Facts,
        told: Told,
    ) -> Result<(), Failure> {
        let kind = |kind| match kind {
            SqlColumnKind::Address => "address",
            SqlColumnKind::Name => "name",
            SqlColumnKind::Content => "content",
            SqlColumnKind::Count => "count",
            SqlColumnKind::Bytes => "bytes",
            SqlColumnKind::Number => "number",
        };
        let columns = query.columns().iter();
        let columns = columns.map(|column| rows::Heading { name: column.name.clone(), kind: column.kind.map(kind) });
        let mut question = Question::new(told.title, facts, told.statement, columns.collect());
        question.notes = told.notes;
        let redacted = self.redacts();
        if query.needs().contents {
            question.values = if redacted { rows::REDACTED } else { rows::SHOWN };
        }
        let most = self.rows();
        let mut sink = Sink::begin(self, &question).with_context(in_a_temporary_file)?;
        let (mut total, mut failed) = (0_u64, None);
        let missing = query.run(heap, graph, redacted, |row| {
            total += 1;
            if total as usize <= most
                && let Err(error) = sink.row(row.into_iter().map(value).collect())
            {
                failed = Some(error);
            }
            failed.is_none()
        })?;
        if let Some(error) = failed {
            return Err(anyhow::Error::new(error).context(in_a_temporary_file()).into());
        }
        for path in missing {
            messages::warn(format!("no object that was asked has a field '{path}'"));
        }
        if total > most as u64 && matches!(self.format, AnswerFormat::Csv | AnswerFormat::Json) {
            messages::print_message("note", &rows::left_out(total, most));
        }
        sink.end(self, &question, total)
    }
}

/// Takes the rows of an answer until it is whole.
enum Sink {
    Table(Vec<Vec<QueryValue>>),
    Csv(Box<Csv<Spool>>, Spool),
    Json(Json<Spool>, Spool),
}

/// The bytes of an answer, in memory or in a file without a name, for who writes them and who reads them back.
#[derive(Clone)]
struct Spool(Rc<RefCell<SpooledTempFile>>);

impl Spool {
    fn new() -> Self {
        Spool(Rc::new(RefCell::new(SpooledTempFile::new(IN_MEMORY))))
    }

    fn copy_to(&self, mut out: &mut dyn Write) -> io::Result<()> {
        let mut file = self.0.borrow_mut();
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut *file, &mut out).map(|_| ())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

impl Sink {
    fn begin(options: &AnswerOptions, question: &Question) -> io::Result<Self> {
        let spool = Spool::new();
        Ok(match options.format {
            AnswerFormat::Text | AnswerFormat::Html => Sink::Table(Vec::new()),
            AnswerFormat::Csv => Sink::Csv(Box::new(Csv::begin(question, options.csv.cells(), spool.clone())?), spool),
            AnswerFormat::Json => Sink::Json(Json::begin(question, spool.clone())?, spool),
        })
    }

    fn row(&mut self, row: Vec<QueryValue>) -> io::Result<()> {
        match self {
            Sink::Table(rows) => {
                rows.push(row);
                Ok(())
            }
            Sink::Csv(csv, _) => csv.row(&row),
            Sink::Json(json, _) => json.row(&row),
        }
    }

    fn end(self, options: &AnswerOptions, question: &Question, total: u64) -> Result<(), Failure> {
        let target = &options.target;
        match self {
            Sink::Table(rows) => {
                let layout = output_target::text_options(target.terminal().as_ref(), 0);
                target.write_coloured(options.format == AnswerFormat::Text, |mut out: &mut dyn Write| {
                    match options.format {
                        AnswerFormat::Html => question.html(&rows, total, &mut out),
                        _ => write_text(out, layout.colour, |mut out| question.text(&rows, total, &layout, &mut out)),
                    }
                })
            }
            Sink::Csv(csv, spool) => {
                csv.end().with_context(in_a_temporary_file)?;
                target.write(|out| spool.copy_to(out))
            }
            Sink::Json(json, spool) => {
                json.end(total).with_context(in_a_temporary_file)?;
                target.write(|out| spool.copy_to(out))
            }
        }
    }
}

/// Where a long answer waits: the output may be on another disk, with room enough.
fn in_a_temporary_file() -> String {
    format!("the answer, in a temporary file in {}", std::env::temp_dir().display())
}

fn value(output: AnswerValue) -> QueryValue {
    match output {
        AnswerValue::Null => QueryValue::Null,
        AnswerValue::Integer(n) => QueryValue::Integer(n),
        AnswerValue::Real(x) => QueryValue::Real(x),
        AnswerValue::Text(text) => QueryValue::Text(text),
    }
}

/// Reads a dump for a query.
pub(super) fn open(source: &DumpSource) -> Result<(Heap, Graph, Facts), Failure> {
    source.open_for(Work::Any)
}

/// Where a large sort goes: beside the dump, as an inflated one does, or to the system's folder for temporary files.
pub(super) fn temporary(dump: &Path) -> PathBuf {
    let beside = output::folder_of(dump);
    match dump.is_file() && tempfile::tempfile_in(beside).is_ok() {
        true => beside.to_owned(),
        false => std::env::temp_dir(),
    }
}
