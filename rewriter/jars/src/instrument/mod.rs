//! Rewrites inputs into outputs and returns a summary.
//!
//! Two passes, in run order:
//! 1. `scan` opens every input and every archive in it. [`weighbridge_config::Selector`] decides by name, annotation or supertype (`hierarchy`).
//!    `examine` decides about each selected class, so that ids and tables name only classes that will be rewritten. `kept`
//!    keeps the first of them for the second pass. With `force`, an input with a bridge is replaced by its `original`.
//! 2. `unit` groups classes into units. `plan` makes the bridge of each and plans the `change` of every entry. `carrier`
//!    adds the runtime to executable jars, and `rewrite` carries the plan out by [`crate::jar`] or `folder`.

pub(crate) mod carrier;
mod change;
mod examine;
mod folder;
mod hierarchy;
mod kept;
pub(crate) mod loaded;
mod options;
mod original;
mod output;
pub(crate) mod paths;
mod plan;
mod rewrite;
mod room;
pub(crate) mod scan;
mod shared_text;
mod signers;
mod spool;
mod summary;
pub(crate) mod survey;
mod table;
pub(crate) mod tree;
mod unit;
mod workers;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

pub use loaded::LIBRARY_FOLDERS;
pub use options::{
    ArchiveLimits, DEFAULT_LEVEL, DEFAULT_MEMORY, InstrumentOptions, InstrumentOutput, Progress, Silent,
};
pub use paths::CLASS_FOLDERS;
pub use summary::{Counts, InstrumentSummary, JarSummary, SkippedClassFile, lossy_path};

use crate::error::{Error, JarErrorKind, Result};
use crate::jar::{self, InflateBudget, WriteOptions, unwritable};
use change::NodePlan;
use kept::Keeper;
use rewrite::Rewriter;
use room::Room;
use scan::{InputNode, Scanner};
use shared_text::SharedTexts;
use spool::Spool;
use tree::InputTree;
use unit::BridgeUnit;
use weighbridge_config::{Config, Selector};
use weighbridge_probes::table::dotted;
use workers::Workers;

/// Rewrites jars and folders of classes so that the classes selected by `config` register their objects.
///
/// Outputs appear only when they are complete: each is written to a temporary file, which gets its name at the end.
/// The same inputs, configuration and version give the same bytes.
/// With `force`, the original beside an input that was rewritten before is read instead; outputs keep the names of the
/// given inputs.
///
/// # Errors
/// [`ErrorKind::Output`] before anything is written, if an output exists (without `force`) or is an input;
/// [`ErrorKind::Archive`] for a damaged or hostile archive; [`ErrorKind::Unsupported`] for an archive that was
/// rewritten before; [`ErrorKind::Io`] if reading or writing fails; [`ErrorKind::Unmatched`] without `allow_empty`.
/// A class that cannot be rewritten is no error: it stays as it is and is listed in [`JarSummary::skipped`].
pub fn instrument(
    inputs: &[PathBuf],
    config: &Config,
    options: &InstrumentOptions,
    progress: &dyn Progress,
) -> Result<InstrumentSummary> {
    let started = Instant::now();
    let named = inputs;
    // With `force`, the inputs are known only after the scan.
    let early = (!options.force).then(|| output::resolve(named, named, options)).transpose()?;
    let budget = InflateBudget::new(options.limits.ratio, options.limits.total_bytes);
    let selector = Selector::new(config);
    let workers = Workers::new(options.threads);
    let room = Room::new(options.memory);
    let texts = SharedTexts::default();
    let keeper = Keeper::new(room.buffer() as usize);
    let spool = Spool::new(room.buffer());
    let scanner = Scanner {
        selector: &selector,
        budget: &budget,
        limits: options.limits,
        workers: &workers,
        keeper: &keeper,
        spool: &spool,
        texts: &texts,
        room: &room,
    };
    let (inputs, mut nodes) = scanner.scan(named, options.force)?;
    let outputs = match early {
        Some(outputs) => outputs,
        None => output::resolve(named, &inputs, options)?,
    };
    if selector.by_supertype() {
        hierarchy::select_by_supertype(&scanner, &mut nodes)?;
    }
    if !options.allow_empty && nodes.iter().all(|node| node.classes.is_empty()) {
        return Err(unmatched(&nodes, &selector));
    }
    let mut units = unit::units(&mut nodes, &selector, &texts);
    let descendants = hierarchy::descendants(&scanner, &nodes, &units)?;
    // Everything that follows was read before and is within the limit.
    let budget = InflateBudget::new(options.limits.ratio, u64::MAX);
    let scanner = Scanner { budget: &budget, ..scanner };
    let mut plans = plan::plan(&scanner, &nodes, &mut units, &descendants)?;
    carrier::load(&mut nodes, &mut plans)?;
    signers::spread(&nodes, &mut plans);

    let tops: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node].parent.is_none()).collect();
    progress.start(tops.iter().map(|&top| nodes[top].tree.bytes()).sum());
    let rewriter = Rewriter {
        nodes: &nodes,
        plans: &plans,
        units: &units,
        budget: &budget,
        write: WriteOptions { level: options.level, batch_bytes: room.buffer() },
        keeper: &keeper,
        progress,
        workers: &workers,
        damaged: Mutex::default(),
    };
    let mut written = Vec::with_capacity(tops.len());
    for ((input, output), &top) in inputs.iter().zip(&outputs).zip(&tops) {
        progress.start_file(&input.display().to_string());
        let jar = write(&rewriter, top, input, output, options.force)
            .map_err(|error| error.in_location(&input.display().to_string()))?;
        written.push(jar);
    }
    let damaged = rewriter.damaged.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The summary names every class that was skipped. It gets the memory of the plans.
    units.iter_mut().for_each(|unit| unit.classes = Vec::new());
    plans.iter_mut().for_each(NodePlan::forget_changes);
    let mut summary = InstrumentSummary::default();
    for (jar, &top) in written.into_iter().zip(&tops) {
        let jar = jar_summary((&nodes, &plans, &units), &damaged, top, jar);
        summary.total += jar.counts;
        summary.jars.push(jar);
    }
    summary.warnings = selector.unmatched();
    summary.warnings.extend(first_lossy_path(&summary));
    summary.runtime_jar = write_runtime(options)?;
    summary.hints = hints(&summary);
    summary.hints.extend(signers::danger(&nodes, &plans));
    summary.seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

fn write(rewriter: &Rewriter<'_>, top: usize, input: &Path, output: &Path, force: bool) -> Result<JarSummary> {
    let tree = &rewriter.nodes[top].tree;
    let (classes, constructors) = (AtomicU64::new(0), AtomicU64::new(0));
    let edits = rewriter.edits(top, &classes, &constructors);
    match &**tree {
        InputTree::Folder(folder) => {
            for addition in &rewriter.plans[top].additions {
                folder::check_name(&addition.name)?;
            }
            output::folder(output, force, |to| rewriter.workers.run(|| folder::write(folder, &edits, to)))?;
        }
        InputTree::Archive(archive) => output::file(output, Some(input), force, |out| {
            if rewriter.plans[top].is_changed() {
                rewriter.workers.run(|| jar::write(archive, &edits, rewriter.write, out))
            } else {
                archive.source().copy(0..archive.source().len(), out)
            }
        })?,
    }
    let bytes_in = tree.bytes();
    rewriter.progress.advance(bytes_in.saturating_sub(edits.advanced()));
    let counts = Counts {
        classes_rewritten: classes.into_inner(),
        constructors: constructors.into_inner(),
        bytes_in,
        bytes_out: output::bytes(output)?,
        ..Counts::default()
    };
    Ok(JarSummary {
        input: input.to_path_buf(),
        output: output.to_path_buf(),
        counts,
        executable: carrier::is_executable(&rewriter.nodes[top]),
        carries_runtime: rewriter.plans[top].carries_runtime,
        changed: rewriter.plans[top].is_changed(),
        ..JarSummary::default()
    })
}

/// Adds the results of the first pass for an input and all archives in it, and the classes that could not be written.
fn jar_summary(
    (nodes, plans, units): (&[InputNode], &[NodePlan], &[BridgeUnit]),
    damaged: &[(usize, SkippedClassFile)],
    top: usize,
    mut summary: JarSummary,
) -> JarSummary {
    // The nodes up to the next input are inside this one.
    let end = (top + 1..nodes.len()).find(|&node| nodes[node].parent.is_none()).unwrap_or(nodes.len());
    for (index, node) in nodes.iter().enumerate().take(end).skip(top) {
        summary.counts.classes_seen += node.seen;
        let location = node.label.split_once("!/").map_or(String::new(), |(_, below)| format!("{below}: "));
        let signature = signers::sentence(nodes, index, &plans[index]);
        summary.warnings.extend(node.warnings.iter().chain(&signature).map(|warning| format!("{location}{warning}")));
    }
    summary.counts.nested_archives = (end - top - 1) as u64;
    let inside = || units.iter().filter(|unit| (top..end).contains(&unit.node));
    summary.skipped.reserve_exact(inside().map(|unit| unit.skipped.len()).sum());
    for unit in inside() {
        summary.skipped.extend(unit.skipped.iter().map(|class| SkippedClassFile {
            class: dotted(nodes[unit.node].class_name(class.entry as usize)),
            location: nodes[unit.node].location(class.entry as usize),
            reason: class.reason.clone(),
            harmless: class.harmless,
        }));
    }
    let damaged = damaged.iter().filter(|(node, _)| (top..end).contains(node));
    summary.skipped.extend(damaged.map(|(_, skipped)| skipped.clone()));
    summary.counts.classes_skipped = summary.skipped.len() as u64;
    summary.counts.classes_matched = summary.counts.classes_rewritten + summary.counts.classes_skipped;
    summary
}

/// A warning if a path is not in the summary as it is.
fn first_lossy_path(summary: &InstrumentSummary) -> Option<String> {
    summary.jars.iter().flat_map(|jar| [&jar.input, &jar.output]).find_map(|path| lossy_path(path))
}

/// Writes the runtime's jar beside the outputs, unless it is there. Another file of that name was refused before.
fn write_runtime(options: &InstrumentOptions) -> Result<Option<PathBuf>> {
    let InstrumentOutput::Folder(folder) = &options.output else { return Ok(None) };
    let path = folder.join(output::RUNTIME_JAR);
    if fs::read(&path).is_ok_and(|bytes| bytes == weighbridge_runtime::RUNTIME_JAR) {
        return Ok(Some(path));
    }
    output::file(&path, None, true, |out| out.write_all(weighbridge_runtime::RUNTIME_JAR).map_err(unwritable))?;
    Ok(Some(path))
}

/// The error for a configuration that selects nothing, with what helps to correct it.
fn unmatched(nodes: &[InputNode], selector: &Selector<&Config>) -> Error {
    let seen: u64 = nodes.iter().map(|node| node.seen).sum();
    let said: Vec<String> = selector.unmatched().into_iter().chain(nodes.iter().filter_map(only_jars)).collect();
    let said = if said.is_empty() { String::new() } else { format!(": {}", said.join("; ")) };
    Error::new(JarErrorKind::Unmatched, format!("the configuration selects none of {seen} classes{said}"))
}

/// A hint for a folder that has jars instead of classes: a folder is an entry of a class path, its jars are not.
fn only_jars(node: &InputNode) -> Option<String> {
    let is_jar = |entry: &usize| node.tree.name(*entry).to_ascii_lowercase().ends_with(b".jar");
    let is_folder = matches!(*node.tree, InputTree::Folder(_));
    let jars = (0..node.tree.len()).filter(is_jar).count();
    (is_folder && node.seen == 0 && jars > 0)
        .then(|| format!("the folder {0} has no classes; name its jars ({jars}) instead: {0}/*.jar", node.label))
}

fn hints(summary: &InstrumentSummary) -> Vec<String> {
    if summary.total.classes_rewritten == 0 {
        return Vec::new();
    }
    let mut hints: Vec<String> = summary
        .jars
        .iter()
        .filter(|jar| jar.carries_runtime)
        .map(|jar| {
            format!("`java -jar {}` starts the runtime by itself", for_a_shell(&jar.output.display().to_string()))
        })
        .collect();
    let agent = summary.runtime_jar.as_ref().map(|path| for_a_shell(&format!("-javaagent:{}", path.display())));
    let others = summary.jars.iter().any(|jar| jar.counts.classes_rewritten > 0 && !jar.carries_runtime);
    match agent {
        Some(agent) if hints.is_empty() => {
            hints.push(format!("nothing here starts the runtime: run the program with {agent}"));
        }
        Some(agent) if others => {
            hints.push(format!("a program that is started in another way needs {agent}"));
        }
        None if hints.is_empty() => hints.push(format!(
            "nothing here starts the runtime, and it is not written with one output: use --dest DIR, and run the \
             program with -javaagent:DIR/{}",
            output::RUNTIME_JAR
        )),
        _ => {}
    }
    hints
}

/// An argument as one word of a POSIX shell.
fn for_a_shell(argument: &str) -> String {
    // Only a NUL, which no path has, cannot be quoted.
    shlex::try_quote(argument).map_or_else(|_| argument.to_owned(), |quoted| quoted.into_owned())
}
