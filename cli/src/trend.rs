//! `weighbridge trend`: the figures of many builds.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use weighbridge_check::compared;
use weighbridge_ending::{Failure, input, messages, write_text};
use weighbridge_reporter::trend::{Build, Trend};

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, INPUT, Outcome};
use crate::input::InputPathParser;
use crate::output_target::{self, CsvOptions, OutputTarget};
use crate::progress::Bar;

/// Show how the figures of classes and components change over many builds.
///
/// A build is a recording, a JSON report, or a directory of recordings, whose figures add up. Of a directory that has files
/// of several builds or directories of builds, each is one. A class that a build does not name had no object there. A change
/// counts if it is beyond two standard errors.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Recordings, JSON reports, and directories of them; `actions/cache` keeps them between builds.
    #[arg(value_name = "BUILD", required = true, value_parser = InputPathParser)]
    builds: Vec<PathBuf>,
    /// What names the builds and puts them in order.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Label::Time)]
    label: Label,
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = TrendFormat::Text)]
    format: TrendFormat,
    #[command(flatten)]
    target: OutputTarget,
    /// Rows per table of text and html, 0 for all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    #[command(flatten)]
    cells: CsvOptions,
    #[command(flatten)]
    bounds: RecordingBounds,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Label {
    /// The time at which the first program of the build started; named by the file.
    Time,
    /// The name of the file or directory; numbers in it are compared as numbers.
    File,
    /// The session id of the first recording (`runtime.sessionid`).
    Session,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrendFormat {
    /// Tables with sparklines.
    Text,
    /// All builds, for programs.
    Json,
    /// A row for each figure in each build, for spreadsheets.
    Csv,
    /// One page with a chart of each row.
    Html,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let files = builds(&args.builds)?;
    args.target.check(&files)?;
    match files.len() {
        0 => return Err(Failure::input("no recording and no JSON report is there")),
        // The first build of a project has no other to be compared with, which is no fault of the build.
        1 => messages::warn("a single build: nothing is compared yet"),
        _ => {}
    }
    let (mut read, mut incomplete) = (Vec::new(), false);
    for file in &files {
        let measured = compared::read(std::slice::from_ref(file), args.bounds.limits(), Bar::new)?;
        incomplete |= measured.incomplete;
        let jvms = &measured.report.jvms;
        let name = file.file_name().map_or_else(|| measured.name.clone(), |name| name.to_string_lossy().into_owned());
        let label = match args.label {
            Label::Session => jvms.iter().find_map(|jvm| jvm.session.clone()).ok_or_else(|| {
                Failure::input(format!("{}: has no session id, so it cannot be named by one", file.display()))
            })?,
            _ => name,
        };
        let started_ms = jvms.iter().filter_map(|jvm| jvm.started_ms).min();
        read.push(Build { label, started_ms, report: measured.report });
    }
    order(&mut read, args.label);
    let trend = Trend::from_builds(&read);
    let options = output_target::text_options(args.target.terminal().as_ref(), args.top);
    args.target.write_coloured(args.format == TrendFormat::Text, |mut out| match args.format {
        TrendFormat::Text => write_text(out, options.colour, |mut out| trend.text(&options, &mut out)),
        TrendFormat::Json => trend.json(&mut out),
        TrendFormat::Csv => trend.csv(args.cells.cells(), &mut out),
        TrendFormat::Html => trend.html(&options, &mut out),
    })?;
    Ok(if incomplete { INPUT } else { DONE })
}

/// What each build is read from.
fn builds(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    // A single directory is one of builds; of several, each may be a build.
    let alone = named.len() == 1;
    let mut found = Vec::new();
    for path in named {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let inside = inside(path)?;
        let folders: Vec<PathBuf> = inside.iter().filter(|entry| is_build(entry)).cloned().collect();
        let files = inside.iter().filter(|entry| is_file(entry));
        match (folders.is_empty(), alone) {
            (true, false) if is_build(path) => found.push(path.clone()),
            _ => found.extend(files.chain(&folders).cloned()),
        }
    }
    Ok(found)
}

fn inside(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
    let mut inside: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    inside.sort();
    Ok(inside)
}

/// Whether a file is of a build, by its name.
fn is_file(path: &Path) -> bool {
    path.is_file() && (input::is_recording(path) || path.extension().is_some_and(|ending| ending == "json"))
}

/// Whether a directory has recordings.
fn is_build(path: &Path) -> bool {
    path.is_dir() && input::inside(path).is_ok_and(|files| !files.is_empty())
}

fn order(builds: &mut [Build], label: Label) {
    let by_name = |a: &Build, b: &Build| natural(&a.label, &b.label);
    if label != Label::Time {
        return builds.sort_by(by_name);
    }
    if let Some(build) = builds.iter().find(|build| build.started_ms.is_none()) {
        messages::warn(format!(
            "{}: does not tell when it was measured; builds are in the order of names",
            build.label
        ));
        return builds.sort_by(by_name);
    }
    builds.sort_by(|a, b| a.started_ms.cmp(&b.started_ms).then_with(|| by_name(a, b)));
}

/// `build-9` before `build-10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    while let (Some(first_a), Some(first_b)) = (a.bytes().next(), b.bytes().next()) {
        let (part_a, part_b) = (leading(a, first_a.is_ascii_digit()), leading(b, first_b.is_ascii_digit()));
        let order = match first_a.is_ascii_digit() && first_b.is_ascii_digit() {
            true => {
                let (x, y) = (part_a.trim_start_matches('0'), part_b.trim_start_matches('0'));
                x.len().cmp(&y.len()).then_with(|| x.cmp(y))
            }
            false => part_a.cmp(part_b),
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (&a[part_a.len()..], &b[part_b.len()..]);
    }
    a.len().cmp(&b.len())
}

/// The digits, or what is none, at the start of a text.
fn leading(text: &str, digits: bool) -> &str {
    let end = text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut names = ["build-10", "build-9", "build-09a", "a", "build-100.wbr", "build-10.wbr", "7"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["7", "a", "build-9", "build-09a", "build-10", "build-10.wbr", "build-100.wbr"]);
    }
}
