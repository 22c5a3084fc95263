//! The dump, of a file or a process: the same flags for every verb.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_ending::{Failure, messages, output};
use weighbridge_jvms::AttachTarget as Jvm;
use weighbridge_live::agent::Agent;
use weighbridge_live::dumps::{DumpRequest, DumpSource, take};
use weighbridge_live::recordings::{lives, parse_pid};

use super::reading::Reading;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::output_options::{HeapOutputOptions, ReportWriter};
use crate::output_target::OutputTarget;

/// Between two looks whether a watched program still runs.
const LOOK: Duration = Duration::from_millis(100);

/// What is read, and how.
#[derive(clap::Args)]
pub(crate) struct Input {
    /// The heap dump, or the process id of a running JVM. Its dump is read and deleted (docs/heap.md).
    #[arg(value_name = "DUMP|PID", value_parser = InputPathParser)]
    dump: PathBuf,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    taking: Taking,
    /// Of a process: repeat it so long after each dump, such as 30s, and print what changed, until Ctrl-C. Each dump
    /// stops the program.
    #[arg(long, value_name = "INTERVAL", value_parser = weighbridge_config::parse_duration, conflicts_with = "keep")]
    watch: Option<Duration>,
}

/// How the dump of a process is taken.
#[derive(clap::Args)]
pub(crate) struct Taking {
    /// Of a process: let its JVM collect all garbage before.
    #[arg(long)]
    live: bool,
    /// Of a process: keep its dump in this file.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
}

impl Input {
    /// The agent in the process, for an option that needs one.
    pub(super) fn agent(&self, option: &str) -> Result<Agent, Failure> {
        let process = parse_pid(&self.dump);
        let none = || Failure::usage(format!("{}: {option} is for a process", self.dump.display()));
        process.ok_or_else(none).and_then(Agent::from_pid)
    }

    /// Gives a verb the dump, and where its report goes: once, or with `--watch` until the program ends.
    pub(crate) fn each(
        &self,
        options: &HeapOutputOptions,
        mut verb: impl FnMut(&DumpSource, &mut ReportWriter<'_>) -> Result<(), Failure>,
    ) -> Outcome {
        let process = parse_pid(&self.dump);
        match (self.watch, process) {
            (Some(interval), Some(pid)) => self.watch(pid, interval, options, verb),
            (Some(_), None) => Err(Failure::usage(format!("{}: --watch is for a process", self.dump.display()))),
            (None, _) => {
                self.taking.check([self.dump.as_path()], options.force())?;
                options.check(&self.dump)?;
                let before_the_end = BeforeTheEnd::at_signals(None)?;
                let source = self.taking.open(&self.dump, &self.reading, options.force(), &before_the_end)?;
                verb(&source, &mut ReportWriter::new(options))?;
                Ok(DONE)
            }
        }
    }

    /// Gives a verb the dump, once: for verbs whose reports cannot be compared.
    pub(super) fn once(&self, target: &OutputTarget, verb: impl FnOnce(&DumpSource) -> Result<(), Failure>) -> Outcome {
        if self.watch.is_some() {
            return Err(Failure::usage("--watch is for reports whose rows can be compared: not for queries"));
        }
        self.taking.check([self.dump.as_path()], target.force)?;
        target.check(std::slice::from_ref(&self.dump))?;
        let before_the_end = BeforeTheEnd::at_signals(None)?;
        verb(&self.taking.open(&self.dump, &self.reading, target.force, &before_the_end)?)?;
        Ok(DONE)
    }

    /// The dump, as it was named.
    pub(super) fn dump(&self) -> &Path {
        &self.dump
    }

    fn watch(
        &self,
        pid: u32,
        interval: Duration,
        options: &HeapOutputOptions,
        mut verb: impl FnMut(&DumpSource, &mut ReportWriter<'_>) -> Result<(), Failure>,
    ) -> Outcome {
        let mut report = ReportWriter::of_changes(options)?;
        let target = Jvm::find(pid)?;
        let before_the_end = BeforeTheEnd::at_signals(Some(DONE))?;
        let wanted = DumpRequest { live: self.taking.live, keep: None, force: false, warn: messages::warn };
        let mut taken = take(&target, &wanted, &before_the_end)?;
        let cost = taken.process.stopped_ms.unwrap_or(taken.process.answered_ms);
        messages::warn(format!("each dump stops process {pid}, the first one for at most {cost} ms; Ctrl-C ends it"));
        loop {
            let end = Instant::now() + interval;
            verb(&DumpSource::of_process(self.reading.reading(), taken), &mut report)?;
            while Instant::now() < end && lives(pid) != Some(false) {
                thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
            }
            taken = match take(&target, &wanted, &before_the_end) {
                Err(_) if lives(pid) == Some(false) => {
                    messages::print_message("note", &format!("process {pid} has ended"));
                    return Ok(DONE);
                }
                taken => taken?,
            };
        }
    }
}

impl Taking {
    /// Opens a dump, or takes that of a process.
    pub(crate) fn open(
        &self,
        dump: &Path,
        reading: &Reading,
        force: bool,
        before_the_end: &BeforeTheEnd,
    ) -> Result<DumpSource, Failure> {
        let Some(pid) = parse_pid(dump) else { return Ok(DumpSource::of_file(reading.reading(), dump)) };
        let target = Jvm::find(pid)?;
        let wanted = DumpRequest { live: self.live, keep: self.keep.as_deref(), force, warn: messages::warn };
        let taken = take(&target, &wanted, before_the_end)?;
        Ok(DumpSource::of_process(reading.reading(), taken))
    }

    /// Refuses flags that are for a process where there is none, or several to be kept in one file, and what is no file for
    /// a dump ([`output::check_free`]).
    pub(crate) fn check<const N: usize>(&self, dumps: [&Path; N], force: bool) -> Result<(), Failure> {
        match dumps.iter().filter(|dump| parse_pid(dump).is_some()).count() {
            0 if self.live || self.keep.is_some() => {
                Err(Failure::usage(format!("{}: --live and --keep are for a process", dumps[0].display())))
            }
            2.. if self.keep.is_some() => Err(Failure::usage("--keep is for one process")),
            _ => self.keep.as_deref().map_or(Ok(()), |keep| output::check_free(keep, force)),
        }
    }
}
