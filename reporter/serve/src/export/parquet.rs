//! `weighbridge export --parquet DIR`: files of whole recordings. Several are written at a time, and they get their names
//! when all are complete.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use tempfile::TempPath;
use weighbridge_ending::{Failure, Progress, input, messages, output};
use weighbridge_recording::{Line, ReadLimits, Reader};
use weighbridge_reporter::export::parquet::{ParquetTable, Partition, Tables, recordings_in};

/// Bytes of the recordings whose rows share a file: about two million rows. It does not depend on the machine's cores, so
/// the same recordings give the same files everywhere.
const OF_A_FILE: u64 = 64 << 20;

/// A recording to export.
struct Input {
    path: PathBuf,
    bytes: u64,
    /// The random id of its first JVM's recording; without one, the name of the file.
    id: String,
}

/// The files of some recordings, one for each partition, before they get their names.
struct Made {
    /// Their name in the folders of their partitions.
    name: String,
    files: Vec<(Partition, TempPath)>,
    rows: u64,
    /// Whether a recording was not used to its end.
    cut_short: bool,
}

/// What was written.
pub struct Written {
    /// Rows of all tables.
    pub rows: u64,
    /// Files that were named.
    pub files: usize,
    /// Whether a recording was left out, or not used to its end.
    pub incomplete: bool,
}

/// Writes the recordings into the tables of a folder; `begin_progress` gives who is told of the work once it begins.
pub fn write<P: Progress>(
    named: &[PathBuf],
    folder: &Path,
    force: bool,
    limits: ReadLimits,
    begin_progress: impl FnOnce() -> P,
) -> Result<Written, Failure> {
    output::check_kind(folder)?;
    let files = input::recordings(named)?;
    let inputs = inputs(&files, limits);
    if inputs.is_empty() {
        return Err(Failure::input(format!("none of the {} files is a recording that can be read", files.len())));
    }
    let mut incomplete = inputs.len() < files.len();
    let inputs = once(inputs);
    let replaced = files_to_replace(folder, &inputs, force)?;
    fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;

    let bar = begin_progress();
    bar.start(inputs.iter().map(|input| input.bytes).sum());
    let made =
        groups(&inputs).par_iter().map(|group| make(folder, group, limits, &bar)).collect::<Result<Vec<_>, _>>()?;
    drop(bar);
    incomplete |= made.iter().any(|made| made.cut_short);
    let rows: u64 = made.iter().map(|made| made.rows).sum();
    let written = persist(folder, made, replaced)?;
    Ok(Written { rows, files: written, incomplete })
}

/// The files that are recordings; warns of the others.
fn inputs(files: &[PathBuf], limits: ReadLimits) -> Vec<Input> {
    let read = |path: &PathBuf| {
        let Some(Line::Header(header)) = Reader::open_with_limits(path, limits)?.next().transpose()? else {
            unreachable!("a reader's first line is the header")
        };
        let bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
        let id = header.recording.unwrap_or_else(|| path.display().to_string());
        Ok(Input { path: path.clone(), bytes, id })
    };
    let read: Vec<Result<Input, weighbridge_recording::Error>> = files.par_iter().map(read).collect();
    let warned = |input: Result<Input, _>| input.inspect_err(|error| messages::warn(format!("{error}; left out"))).ok();
    read.into_iter().filter_map(warned).collect()
}

/// Leaves out copies: their rows would count twice.
fn once(inputs: Vec<Input>) -> Vec<Input> {
    let mut ids = BTreeSet::new();
    let new = |input: &Input| {
        let new = ids.insert(input.id.clone());
        if !new {
            messages::warn(format!("{}: its recording was given before; taken once", input.path.display()));
        }
        new
    };
    inputs.into_iter().filter(new).collect()
}

/// The files in the tables that hold one of the recordings. They can be replaced: none holds another recording.
fn files_to_replace(folder: &Path, inputs: &[Input], force: bool) -> Result<Vec<PathBuf>, Failure> {
    let given: BTreeSet<&str> = inputs.iter().map(|input| input.id.as_str()).collect();
    let mut found = Vec::new();
    for path in
        ParquetTable::ALL.iter().flat_map(|table| walkdir::WalkDir::new(folder.join(table.name())).sort_by_file_name())
    {
        // A missing table has no files.
        let Some(path) = path.ok().map(walkdir::DirEntry::into_path) else { continue };
        if path.extension().is_none_or(|extension| extension != "parquet") {
            continue;
        }
        input::check_input(&path)?;
        let name = path.display();
        let held = recordings_in(&path).with_context(|| format!("{name}: cannot be read"))?.unwrap_or_default();
        let (same, other): (Vec<_>, Vec<_>) = held.iter().partition(|id| given.contains(id.as_str()));
        let Some(same) = same.first() else { continue };
        if !force {
            return Err(Failure::usage(format!(
                "{name}: holds recording {same} already; use --force to replace the files of the recordings"
            )));
        }
        if let Some(other) = other.first() {
            return Err(Failure::usage(format!(
                "{name}: holds recording {same}, but also {other}, which was not given: it cannot be replaced"
            )));
        }
        found.push(path);
    }
    Ok(found)
}

/// Recordings in their order, in groups of one file each.
fn groups(inputs: &[Input]) -> Vec<&[Input]> {
    let mut groups = Vec::new();
    let mut rest = inputs;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |input: &&Input| {
            bytes += input.bytes;
            bytes <= OF_A_FILE
        };
        let (group, more) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        groups.push(group);
        rest = more;
    }
    groups
}

fn make(folder: &Path, group: &[Input], limits: ReadLimits, bar: &impl Progress) -> Result<Made, Failure> {
    let ids: Vec<String> = group.iter().map(|input| input.id.clone()).collect();
    let mut files = Vec::new();
    let open = |partition: &Partition| {
        let (file, path) = output::temporary_in(folder)?.into_parts();
        files.push((partition.clone(), path));
        Ok(BufWriter::new(file))
    };
    let mut tables = Tables::<BufWriter<File>, _>::new(&ids, open);
    let failed = || format!("{}: cannot be written", folder.display());
    let mut cut_short = false;
    for Input { path, bytes, .. } in group {
        bar.start_file(&path.display().to_string());
        match Reader::open_with_limits(path, limits) {
            Err(error) => {
                messages::warn(format!("{error}; left out"));
                cut_short = true;
            }
            Ok(reader) => {
                if let Some(reason) = tables.add(reader).with_context(failed)? {
                    messages::warn(format!("{}: {reason}; the part before it is used", path.display()));
                    cut_short = true;
                }
            }
        }
        bar.advance(*bytes);
    }
    let rows = tables.finish().with_context(failed)?.values().sum();
    let name = format!("{}.parquet", &hex::encode(Sha256::digest(ids.join("\n")))[..16]);
    Ok(Made { name, files, rows, cut_short })
}

/// Names all files and removes the files that they replace; returns how many were named.
fn persist(folder: &Path, made: Vec<Made>, replaced: Vec<PathBuf>) -> Result<usize, Failure> {
    let mut written = BTreeSet::new();
    for Made { name, files, .. } in made {
        for (partition, file) in files {
            let day_folder = folder.join(partition.table.name()).join(&partition.day);
            let path = day_folder.join(&name);
            let named = fs::create_dir_all(day_folder).and_then(|()| file.persist(&path).map_err(|error| error.error));
            named.with_context(|| format!("{}: cannot be written", path.display()))?;
            written.insert(path);
        }
    }
    for path in replaced.iter().filter(|path| !written.contains(*path)) {
        fs::remove_file(path).with_context(|| format!("{}: cannot be removed", path.display()))?;
    }
    Ok(written.len())
}
