//! `weighbridge trace`: what a running JVM does for a while, by its Flight Recorder and by probes.

mod all;
mod runs;
mod what;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use serde_json::Value;
use weighbridge_ending::signals::Signals;
use weighbridge_ending::{Failure, messages, output};
use weighbridge_jvms::AttachTarget;
use weighbridge_live::traces::{self, Flight, FlightEvents, Running, Watched, read_loaders, wait};
use weighbridge_reporter::flight::FlightReport;
use weighbridge_reporter::traces::{Folded, Run};
use weighbridge_reporter::{Sheet, metaspace};

use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::output_options::{HeapOutputOptions, ReportWriter};
use all::Which;
use what::{Chosen, What};

/// Trace what a running JVM does, for a while: by its own Flight Recorder, and by probes in the classes that are named.
///
/// Nothing is left in the JVM. Ctrl-C ends the traces early and shows what there is; if this command is killed, the JVM ends them
/// by itself (Linux and HotSpot from JDK 11 on; docs/traces.md, docs/flight.md). `start`, `show`, `stop` and `list` are for runs
/// that stay in the JVM.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<TraceVerb>,
    #[command(flatten)]
    now: Now,
}

/// The path of the input where a process is asked.
const NO_INPUT: &str = "";

/// A run from here, for a while.
#[derive(clap::Args)]
struct Now {
    /// The process; `weighbridge jvms` lists them. `all`: every JVM that one can attach to; `all:shop*`: those whose main class
    /// or jar matches.
    #[arg(required = true, value_name = "PID|all[:PATTERN]")]
    pid: Option<Which>,
    /// What is traced, several at once.
    #[arg(value_enum, value_name = "WHAT", required = true)]
    what: Vec<What>,
    #[command(flatten)]
    chosen: Chosen,
    /// How long.
    #[arg(long = "for", value_name = "DURATION", default_value = "10s", value_parser = weighbridge_config::parse_duration)]
    duration: Duration,
    /// Show what traces by probes have found so far, so often; JSON is one line each time.
    #[arg(long, value_name = "INTERVAL", value_parser = weighbridge_config::parse_duration)]
    watch: Option<Duration>,
    /// Keep what Flight Recorder wrote in this file (*.jfr), for JDK Mission Control and others.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    shown: TraceOutputOptions,
}

#[derive(clap::Subcommand)]
enum TraceVerb {
    /// Begin a run of traces by probes that stays in the JVM.
    Start(runs::Start),
    /// Show what a run has found so far, or what a recording has of it.
    Show(Recorded),
    /// End a run, and show what it has found.
    Stop(Named),
    /// List the runs.
    List(runs::ListRuns),
}

/// A run that is in a JVM.
#[derive(clap::Args)]
struct Named {
    /// The process.
    pid: u32,
    /// The run, or the only one.
    name: Option<String>,
    #[command(flatten)]
    shown: TraceOutputOptions,
}

/// A run that is in a JVM, or was when its recording was written.
#[derive(clap::Args)]
struct Recorded {
    /// The process, or a recording.
    #[arg(value_name = "PID|RECORDING", value_parser = InputPathParser)]
    source: PathBuf,
    /// The run, or the only one.
    name: Option<String>,
    #[command(flatten)]
    shown: TraceOutputOptions,
}

impl Recorded {
    fn execute(self) -> Outcome {
        self.shown.check(&self.source)?;
        if let Some(pid) = self.source.to_str().and_then(|text| text.parse().ok()) {
            return self.shown.show(traces::show(pid, self.name)?);
        }
        let file = self.source.display();
        let mut runs = Run::of_recording(&self.source).map_err(anyhow::Error::from)?;
        if let Some(name) = &self.name {
            runs.retain(|run| run.name() == name);
        }
        if let (None, [_, _, ..]) = (&self.name, runs.as_slice()) {
            let names: Vec<&str> = runs.iter().map(Run::name).collect();
            return Err(Failure::input(format!("{file}: it has several runs: {}", names.join(", "))));
        }
        match (runs.pop(), self.name) {
            // The last one of this name.
            (Some(run), _) => self.shown.show(run),
            (None, Some(name)) => Err(Failure::input(format!("{file}: no run of traces has the name {name}"))),
            (None, None) => Err(Failure::input(format!("{file}: it has no run of traces"))),
        }
    }
}

/// How the result is shown.
#[derive(clap::Args)]
struct TraceOutputOptions {
    /// Write the coverage as a tracefile of LCOV.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write the coverage in the XML form of JaCoCo.
    #[arg(long, value_name = "FILE")]
    jacoco: Option<PathBuf>,
    /// Write stacks with numbers for flame-graph tools.
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
    /// What the numbers are.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = FoldedValue::Live, requires = "folded")]
    by: FoldedValue,
    /// Rows per table of text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

/// What the numbers of folded stacks are.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FoldedValue {
    /// Of `objects`: how many were made.
    Made,
    /// Of `objects`: their own bytes.
    Bytes,
    /// Of `objects`: those that were not found dead.
    Live,
    /// Of `objects`: the milliseconds that the dead ones lived, together.
    Life,
    /// Of `calls`: the nanoseconds of a call beside those that it made.
    Time,
}

impl FoldedValue {
    fn folded(self) -> Folded {
        match self {
            FoldedValue::Made => Folded::Made,
            FoldedValue::Bytes => Folded::Bytes,
            FoldedValue::Live => Folded::Live,
            FoldedValue::Life => Folded::Life,
            FoldedValue::Time => Folded::Time,
        }
    }
}

pub(crate) fn execute(args: Args) -> Outcome {
    match (args.verb, args.now) {
        (Some(TraceVerb::Start(start)), _) => runs::start(start),
        (Some(TraceVerb::List(list)), _) => runs::list(list),
        (Some(TraceVerb::Show(recorded)), _) => recorded.execute(),
        (Some(TraceVerb::Stop(named)), _) => {
            named.shown.check(NO_INPUT.as_ref())?;
            named.shown.show(traces::stop(named.pid, named.name)?)
        }
        (None, now) => now.execute(),
    }
}

impl Now {
    fn execute(self) -> Outcome {
        self.shown.check(NO_INPUT.as_ref())?;
        let pid = match self.pid.ok_or_else(|| Failure::usage("which process?"))? {
            Which::Pid(pid) => pid,
            Which::All { given, pattern } => {
                if self.keep.is_some() || self.watch.is_some() || self.shown.files().next().is_some() {
                    return Err(Failure::usage("of all JVMs there is text or json on standard output, at the end"));
                }
                return all::execute(&given, pattern.as_ref(), self.shown.options.format());
            }
        };
        if let Some(keep) = &self.keep {
            output::check_free(keep, self.shown.options.force())?;
        }
        let what: BTreeSet<What> = self.what.into_iter().collect();
        let traced: Vec<_> = what.iter().filter_map(|what| what.kind()).collect();
        let recorded: Vec<FlightEvents> = what.iter().filter_map(|what| what.recorded()).collect();
        if self.keep.is_some() && recorded.is_empty() {
            return Err(Failure::usage("--keep is for what Flight Recorder records; these traces are not"));
        }
        let asked = self.chosen.into_request(traced, Some(self.duration))?;
        if self.watch.is_some() && (asked.is_none() || !recorded.is_empty()) {
            return Err(Failure::usage("--watch is for traces by probes alone: Flight Recorder tells at the end"));
        }
        let mut report = match self.watch {
            Some(_) => ReportWriter::of_several(&self.shown.options)?,
            None => ReportWriter::new(&self.shown.options),
        };
        let target = AttachTarget::find(pid)?;
        let signals = Signals::catch()?;
        let loaders = what.contains(&What::Loaders).then(|| read_loaders(&target)).transpose()?;
        let run = asked.map(|asked| Running::begin(&target, asked)).transpose()?;
        let flight = match recorded.is_empty() {
            true => None,
            false => {
                let flight = Flight { target: &target, what: &recorded, duration: self.duration, signals: &signals };
                Some(flight.take(self.keep.as_deref().map(|keep| (keep, self.shown.options.force())))?)
            }
        };
        if flight.is_none() && run.is_none() {
            wait(pid, self.duration, &signals, || Ok(true))?;
        }
        let probes = run
            .map(|run| {
                if flight.is_none() {
                    let mut show = |run: Run| report.write_sheet(self.shown.top, &run.sheet(), &run);
                    let shown = self.watch.map(|every| Watched { every, show: &mut show });
                    run.wait_and_show(self.duration, &signals, shown)?;
                }
                run.end()
            })
            .transpose()?;
        let metaspace = loaders
            .map(|before| read_loaders(&target).map(|after| metaspace::MetaspaceReport::new(&before, &after)))
            .transpose()?;
        self.shown.show_in(&mut report, TraceFindings { flight, probes, metaspace })
    }
}

/// What was asked for: the parts of one command.
#[derive(Default, Serialize)]
struct TraceFindings {
    #[serde(skip_serializing_if = "Option::is_none")]
    probes: Option<Run>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flight: Option<FlightReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metaspace: Option<metaspace::MetaspaceReport>,
}

impl TraceFindings {
    /// A run of probes alone.
    fn from_run(run: Run) -> Self {
        TraceFindings { probes: Some(run), ..TraceFindings::default() }
    }

    fn sheet(&self) -> Option<Sheet> {
        let sheets = [
            self.probes.as_ref().map(Run::sheet),
            self.flight.as_ref().map(FlightReport::sheet),
            self.metaspace.as_ref().map(metaspace::MetaspaceReport::sheet),
        ];
        sheets.into_iter().flatten().reduce(Sheet::with_sheet)
    }

    /// The figures of the only part, or of all by their names.
    fn figures(&self) -> anyhow::Result<Value> {
        let all = serde_json::to_value(self).context("the figures")?;
        Ok(match all.as_object() {
            Some(parts) if parts.len() == 1 => parts.values().next().cloned().unwrap_or_default(),
            _ => all,
        })
    }
}

impl TraceOutputOptions {
    /// Refuses, before the trace, outputs that exist, unless forced, that are the input, or that are one file.
    fn check(&self, input: &Path) -> Result<(), Failure> {
        let mut named = BTreeSet::new();
        for file in self.files() {
            output::check_no_input(file, &[input.to_owned()], self.options.force())?;
            if !named.insert(file) {
                return Err(Failure::usage(format!("{}: is named for two outputs", file.display())));
            }
        }
        Ok(())
    }

    /// The files that are written.
    fn files(&self) -> impl Iterator<Item = &Path> {
        [self.options.file(), self.lcov.as_deref(), self.jacoco.as_deref(), self.folded.as_deref()]
            .into_iter()
            .flatten()
    }

    fn show(&self, run: Run) -> Outcome {
        self.show_in(&mut ReportWriter::new(&self.options), TraceFindings::from_run(run))
    }

    fn show_in(&self, report: &mut ReportWriter<'_>, found: TraceFindings) -> Outcome {
        found.flight.iter().for_each(|figures| {
            figures.damaged().for_each(|damage| messages::warn(format!("{damage}; the part before it is used")));
        });
        self.write_others(found.probes.as_ref())?;
        if let Some(sheet) = found.sheet() {
            report.write_sheet(self.top, &sheet, &found.figures()?)?;
        }
        Ok(DONE)
    }

    /// Writes the forms that other tools read.
    fn write_others(&self, run: Option<&Run>) -> Result<(), Failure> {
        let write = |file: &PathBuf, form: &dyn Fn(&mut &mut dyn Write) -> io::Result<()>| {
            output::to_file(file, self.options.force(), |mut out| form(&mut out))
        };
        if self.lcov.is_some() || self.jacoco.is_some() {
            let Some(run) = run.filter(|run| run.has_coverage()) else {
                return Err(Failure::usage(
                    "--lcov and --jacoco want the trace `coverage`, of classes that are loaded",
                ));
            };
            self.lcov.iter().try_for_each(|file| write(file, &|out| run.lcov(out)))?;
            self.jacoco.iter().try_for_each(|file| write(file, &|out| run.jacoco(out)))?;
        }
        if let Some(file) = &self.folded {
            let run = run.ok_or_else(|| Failure::usage("--folded wants the trace `objects` or `calls`"))?;
            write(file, &|out| run.folded(self.by.folded(), out))?;
        }
        Ok(())
    }
}
