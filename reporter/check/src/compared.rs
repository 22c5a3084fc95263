//! The sides that `diff` and `check` compare: recordings, added as in a report, or a saved JSON report.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use weighbridge_ending::{Failure, Progress, input};
use weighbridge_recording::ReadLimits;
use weighbridge_reporter::{Aggregate, SavedReport};

use crate::aggregate::aggregate;

/// The figures of one side.
pub struct Compared {
    /// Its name in messages.
    pub name: String,
    /// What it says.
    pub report: SavedReport,
    /// Of recordings: all of their report.
    pub aggregate: Option<Aggregate>,
    /// Whether a recording was refused or damaged, so that the figures are of the rest.
    pub incomplete: bool,
}

/// Reads recordings and directories of them, or one file with a JSON report. `begin_progress`: who is told of the work.
pub fn read<P: Progress>(
    named: &[PathBuf],
    limits: ReadLimits,
    begin_progress: impl FnOnce() -> P,
) -> Result<Compared, Failure> {
    let name = named.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    if let [path] = named
        && path.is_file()
        && starts_as_json(path)?
    {
        let text = std::fs::read(path).with_context(|| format!("{name}: cannot be read"))?;
        let report = SavedReport::parse(&text).map_err(|error| Failure::input(format!("{name}: {error}")))?;
        return Ok(Compared { name, report, aggregate: None, incomplete: false });
    }
    let files = input::recordings(named)?;
    let (aggregate, refused) = aggregate(&files, limits, begin_progress)?;
    let incomplete = refused > 0 || !aggregate.damaged.is_empty();
    Ok(Compared { name, report: SavedReport::from(&aggregate), aggregate: Some(aggregate), incomplete })
}

/// A recording starts with the magic number of gzip, never with a brace.
fn starts_as_json(path: &Path) -> Result<bool, Failure> {
    let mut start = [0; 64];
    let mut file = File::open(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let read = file.read(&mut start).with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(start[..read].trim_ascii_start().first() == Some(&b'{'))
}
