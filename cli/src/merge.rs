//! `weighbridge merge`: many recordings in one file, or in one table with a column for each JVM.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use weighbridge_ending::{Failure, input, messages};
use weighbridge_recording::{Damage, Line, ReadLimits, Reader, copy_intact};
use weighbridge_reporter::{Columns, Folded};

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, INPUT, Outcome};
use crate::input::InputPathParser;
use crate::output_target::{CsvOptions, OutputTarget};

/// Put the recordings of many JVMs into one file, or their rows into one table with columns for each JVM.
///
/// A merged recording holds every JVM's own, byte for byte; `report`, `diff`, `check` and `merge` read it like the files it
/// was made of. A recording that was given twice, or is in another one already, is taken once.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Recordings, merged or not, or directories of them (*.wbr).
    #[arg(value_name = "RECORDING", required = true, value_parser = InputPathParser)]
    recordings: Vec<PathBuf>,
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = MergeFormat::Recording)]
    format: MergeFormat,
    #[command(flatten)]
    target: OutputTarget,
    #[command(flatten)]
    cells: CsvOptions,
    #[command(flatten)]
    bounds: RecordingBounds,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MergeFormat {
    /// One recording (*.wbr) of all JVMs.
    Recording,
    /// A row a class, with live objects and deep bytes of all JVMs and of each.
    Csv,
    /// The same for programs, with the components.
    Json,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let files = input::recordings(&args.recordings)?;
    args.target.check(&files)?;
    let limits = args.bounds.limits();
    let mut incomplete = false;
    let read = |path: &Path| {
        let taken = Taken::read(path, limits);
        incomplete |= !matches!(taken, Ok(Taken { damage: None, .. }));
        match taken {
            Ok(taken) => Some(taken),
            Err(error) => {
                messages::warn(format!("{error}; left out"));
                None
            }
        }
    };
    let taken: Vec<Taken> = files.iter().map(PathBuf::as_path).filter_map(read).collect();
    for taken in &taken {
        if let Some(damage) = &taken.damage {
            messages::warn(format!("{}: {damage}; the part before it is used", taken.path.display()));
        }
    }
    if taken.is_empty() {
        return Err(Failure::input(format!("none of the {} files is a recording that can be read", files.len())));
    }
    let taken = once(taken);
    match args.format {
        MergeFormat::Recording => {
            if args.target.file.is_none() {
                return Err(Failure::usage("a recording is no text for a terminal; name a file with -f"));
            }
            let mut failed = None;
            let written = args.target.write(|out| {
                taken.iter().try_for_each(|taken| {
                    let input = File::open(&taken.path).map(BufReader::new);
                    input.and_then(|input| copy_intact(input, taken.damage.as_ref(), out)).inspect_err(|_| {
                        failed = Some(taken.path.display().to_string());
                    })
                })
            });
            written.map_err(|failure| match (failure, failed) {
                (Failure::Input(error), Some(path)) => Failure::Input(error.context(path)),
                (failure, _) => failure,
            })?;
        }
        MergeFormat::Csv | MergeFormat::Json => {
            let columns = columns(&taken, limits)?;
            let write = |mut out: &mut dyn io::Write| match args.format {
                MergeFormat::Csv => columns.csv(args.cells.cells(), &mut out),
                _ => columns.json(&mut out),
            };
            args.target.write(write)?;
        }
    }
    Ok(if incomplete { INPUT } else { DONE })
}

/// A recording that was read to its end or to its damage.
struct Taken {
    path: PathBuf,
    /// The ids of its JVMs' recordings; those without an id cannot be distinguished.
    ids: Vec<Option<String>>,
    damage: Option<Damage>,
}

impl Taken {
    fn read(path: &Path, limits: ReadLimits) -> Result<Taken, weighbridge_recording::Error> {
        let mut reader = Reader::open_with_limits(path, limits)?;
        let mut ids = Vec::new();
        for line in reader.by_ref() {
            if let Line::Header(header) = line? {
                ids.push(header.recording);
            }
        }
        Ok(Taken { path: path.to_owned(), ids, damage: reader.damage().cloned() })
    }
}

/// Leaves out files all of whose JVMs are in others. Files that overlap in part are kept, with a warning: some JVMs count
/// twice in a report, but it is not known which of the two files is complete.
fn once(taken: Vec<Taken>) -> Vec<Taken> {
    let mut order: Vec<usize> = (0..taken.len()).collect();
    // Files with more JVMs first, and undamaged files before damaged ones.
    order.sort_by_key(|index| (std::cmp::Reverse(taken[*index].ids.len()), taken[*index].damage.is_some()));
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for index in order {
        let Taken { path, ids, .. } = &taken[index];
        let seen = ids.iter().flatten().filter(|id| known.contains(*id)).count();
        if seen == ids.len() {
            messages::warn(format!("{}: given twice, or in another recording already; taken once", path.display()));
            continue;
        }
        if seen > 0 {
            messages::warn(format!(
                "{}: {seen} of its JVMs are in another recording too, and count twice",
                path.display()
            ));
        }
        known.extend(ids.iter().flatten().cloned());
        kept.insert(index);
    }
    taken.into_iter().enumerate().filter(|(index, _)| kept.contains(index)).map(|(_, taken)| taken).collect()
}

fn columns(taken: &[Taken], limits: ReadLimits) -> Result<Columns, Failure> {
    let mut columns = Columns::default();
    for Taken { path, .. } in taken {
        let folded = Reader::open_with_limits(path, limits).and_then(Folded::read);
        let folded = folded.with_context(|| format!("{}: cannot be read a second time", path.display()))?;
        folded.by_jvm().for_each(|jvm| columns.add(jvm));
    }
    Ok(columns)
}
