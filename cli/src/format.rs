//! `-o` of a report: the name of a format, or of a file whose ending means a format.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};

/// What a report is written as.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Tables for people.
    Text,
    /// For programs; the keys are a public interface (docs/report-json.md).
    Json,
    /// One page for a browser that needs no other file and no network (docs/report-html.md).
    Html,
    /// Short, for the page of a build: $GITHUB_STEP_SUMMARY (docs/github-actions.md).
    Markdown,
    /// One table (--by) for spreadsheets and data frames.
    Csv,
    /// Live bytes by allocation site as folded stacks, for flame-graph tools.
    Folded,
    /// For Prometheus and what reads its format.
    Openmetrics,
    /// A gzip-compressed profile for `go tool pprof` and others.
    Pprof,
}

/// A format, and the file if one was named instead.
#[derive(Clone)]
pub(crate) struct ReportOutput {
    pub(crate) format: ReportFormat,
    pub(crate) file: Option<PathBuf>,
}

impl From<ReportFormat> for ReportOutput {
    fn from(format: ReportFormat) -> Self {
        ReportOutput { format, file: None }
    }
}

/// The formats of endings.
const ENDINGS: [(&str, ReportFormat); 10] = [
    (".txt", ReportFormat::Text),
    (".json", ReportFormat::Json),
    (".html", ReportFormat::Html),
    (".htm", ReportFormat::Html),
    (".md", ReportFormat::Markdown),
    (".csv", ReportFormat::Csv),
    (".folded", ReportFormat::Folded),
    (".openmetrics", ReportFormat::Openmetrics),
    (".pb.gz", ReportFormat::Pprof),
    (".pprof", ReportFormat::Pprof),
];

/// Takes what [`Format`] takes, and names of files with a known ending.
#[derive(Clone)]
pub(crate) struct Parser;

impl TypedValueParser for Parser {
    type Value = ReportOutput;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<ReportOutput, Error> {
        let formats = EnumValueParser::<ReportFormat>::new();
        let refused = match formats.parse_ref(command, argument, value) {
            Ok(format) => return Ok(format.into()),
            Err(refused) => refused,
        };
        let name = value.to_string_lossy().to_lowercase();
        // A bare ending names no file.
        let ending = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending) && name.len() > ending.len());
        match ending {
            Some((_, format)) => Ok(ReportOutput { format: *format, file: Some(PathBuf::from(value)) }),
            None => Err(refused),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        // Collected, because the iterator borrows the parser.
        let values: Vec<PossibleValue> = EnumValueParser::<ReportFormat>::new().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}
