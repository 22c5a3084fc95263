//! `weighbridge instrument`: jars and class directories in, rewritten ones out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use weighbridge_config::Config;
use weighbridge_ending::{Failure, messages, output, shell};
use weighbridge_reporter::json::pretty;
use weighbridge_rewriter::instrument::{
    DEFAULT_LEVEL, DEFAULT_MEMORY, InstrumentOptions, InstrumentOutput, InstrumentSummary, JarSummary, instrument,
};

use crate::bounds::Bounds;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::progress::Bar;

/// Rewrite jars and class directories so that the chosen classes register their objects.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Jars, wars, ears or directories of classes.
    #[arg(value_name = "SRC", required = true, value_parser = InputPathParser)]
    sources: Vec<PathBuf>,
    /// Which classes to measure, and how (docs/configuration.md).
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: PathBuf,
    #[command(flatten)]
    to: To,
    /// Replace outputs that exist, and rewrite a SRC that was rewritten before from its original, if that is in the same
    /// folder (it is known by the digest that SRC keeps). An output that is read is refused even then.
    #[arg(long)]
    force: bool,
    /// Write outputs even if the configuration selects no class: without this that is an error (exit code 3), and
    /// nothing is written.
    #[arg(long)]
    allow_empty: bool,
    /// Deflate level of rewritten entries, 1 (fast) to 12 (small).
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LEVEL, value_parser = clap::value_parser!(u8).range(1..=12))]
    level: u8,
    /// The memory that the run may use, such as 64m, but for a few MiB [default: 128m]. Inputs with so many entries that
    /// their directories alone need more are refused.
    #[arg(long, value_name = "BYTES", value_parser = weighbridge_config::parse_size)]
    memory: Option<i64>,
    #[command(flatten)]
    bounds: Bounds,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct To {
    /// Write every SRC under its own name into this directory, with the runtime beside them.
    #[arg(long, value_name = "DIR")]
    dest: Option<PathBuf>,
    /// Write the one SRC to this file (a directory of classes: to this directory).
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl Args {
    fn options(&self) -> Result<InstrumentOptions, Failure> {
        for path in self.to.dest.iter().chain(&self.to.output) {
            output::check_kind(path)?;
        }
        let output = match (&self.to.dest, &self.to.output) {
            (Some(folder), _) => InstrumentOutput::Folder(folder.clone()),
            (None, Some(folder)) if names_folder(folder) && !self.sources.iter().any(|source| source.is_dir()) => {
                let quoted = shell::quoted(folder);
                return Err(Failure::usage(format!("{}: is a directory; use --dest {quoted}", folder.display())));
            }
            (None, Some(file)) if self.sources.len() == 1 => InstrumentOutput::File(file.clone()),
            _ => return Err(Failure::usage("-o takes one SRC; use --dest DIR for several")),
        };
        Ok(InstrumentOptions {
            force: self.force,
            allow_empty: self.allow_empty,
            level: self.level,
            limits: self.bounds.limits(),
            memory: self.memory.map_or(DEFAULT_MEMORY, i64::unsigned_abs),
            ..InstrumentOptions::new(output)
        })
    }
}

/// Whether a path is or would be a directory.
fn names_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

pub(crate) fn execute(args: Args) -> Outcome {
    let options = args.options()?;
    let config = Config::read(&args.config)?;
    let summary = instrument(&args.sources, &config, &options, &Bar::new())?;
    for warning in summary.all_warnings() {
        messages::warn(warning);
    }
    match args.json {
        true => output::to_stdout(|mut stdout| pretty(&summary, &mut stdout)),
        false => output::plain(|out| text(&summary, out)),
    }?;
    Ok(DONE)
}

fn text(summary: &InstrumentSummary, out: &mut dyn Write) -> io::Result<()> {
    for jar in &summary.jars {
        of_jar(jar, out)?;
    }
    let total = &summary.total;
    writeln!(
        out,
        "{} of {} classes seen match; {} rewritten, {} skipped; {} constructors register; {} bytes in, {} bytes out, {:.2} s",
        total.classes_matched,
        total.classes_seen,
        total.classes_rewritten,
        total.classes_skipped,
        total.constructors,
        total.bytes_in,
        total.bytes_out,
        summary.seconds,
    )?;
    if let Some(runtime) = &summary.runtime_jar {
        writeln!(out, "runtime: {}", runtime.display())?;
    }
    summary.hints.iter().try_for_each(|hint| writeln!(out, "{hint}"))
}

fn of_jar(jar: &JarSummary, out: &mut dyn Write) -> io::Result<()> {
    let counts = &jar.counts;
    write!(out, "{} -> {}: ", jar.input.display(), jar.output.display())?;
    match counts.classes_matched {
        0 if jar.changed => write!(out, "none of {} classes match", counts.classes_seen)?,
        0 => write!(out, "none of {} classes match, copied as it is", counts.classes_seen)?,
        matched => write!(
            out,
            "{} of {} matching classes rewritten ({} seen)",
            counts.classes_rewritten, matched, counts.classes_seen
        )?,
    }
    writeln!(out, "{}", if jar.carries_runtime { ", carries the runtime" } else { "" })?;
    for skipped in jar.skipped.iter().filter(|skipped| !skipped.harmless) {
        writeln!(out, "  skipped {}: {} ({})", skipped.class, skipped.reason, skipped.location)?;
    }
    harmless(jar, out)
}

/// Classes that are named for each harmless reason; `--json` names all.
const NAMED: usize = 3;

/// One line for each reason to skip classes without objects: with `include = ["**"]` there are hundreds.
fn harmless(jar: &JarSummary, out: &mut dyn Write) -> io::Result<()> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skipped in jar.skipped.iter().filter(|skipped| skipped.harmless) {
        by_reason.entry(&skipped.reason).or_default().push(&skipped.class);
    }
    for (reason, classes) in by_reason {
        write!(out, "  skipped {}: {reason} ({}", classes.len(), classes[..classes.len().min(NAMED)].join(", "))?;
        match classes.len().saturating_sub(NAMED) {
            0 => writeln!(out, ")")?,
            more => writeln!(out, ", {more} more: see --json)")?,
        }
    }
    Ok(())
}
