//! `weighbridge doctor`: looks at a running JVM, says what is wrong with it, and goes on to the code.

mod ask;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use weighbridge_config::{TraceKind, TraceRequest};
use weighbridge_ending::Failure;
use weighbridge_ending::signals::Signals;
use weighbridge_jvms::AttachTarget;
use weighbridge_live::traces::{Flight, FlightEvents, Running};
use weighbridge_outside::printable;
use weighbridge_reporter::doctor::{self, DoctorReport, DoctorStep, Look};
use weighbridge_reporter::units::{bytes, count, count_with_noun};

use crate::exit::{DONE, Outcome};
use crate::output_options::{HeapOutputOptions, ReportWriter as Written};
use ask::Asked;

/// What Flight Recorder is asked for.
const RECORDED: [FlightEvents; 7] = [
    FlightEvents::Time,
    FlightEvents::Allocations,
    FlightEvents::Collections,
    FlightEvents::Io,
    FlightEvents::Monitors,
    FlightEvents::Waits,
    FlightEvents::Exceptions,
];

/// Of a trace of uses: percent of the CPU, and frames that say who made an object.
const MAX_CPU: f64 = 5.0;
const FRAMES: u32 = 4;
/// After a collection, until its dead objects are told.
const FOUND_DEAD: Duration = Duration::from_millis(500);

/// Say what is wrong with a running JVM: deadlocks, lock contention, slow I/O, exceptions, hot allocation, collections, leaks.
///
/// It begins with what costs next to nothing, and asks before each step that costs more; --yes takes them all. Nothing is
/// loaded into the JVM (Linux and HotSpot from JDK 11 on; docs/doctor.md).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The process; `weighbridge jvms` lists them.
    pid: u32,
    /// Take every step without asking.
    #[arg(short, long)]
    yes: bool,
    /// How long Flight Recorder records, and between two looks at the heap.
    #[arg(long = "for", value_name = "DURATION", default_value = "10s", value_parser = weighbridge_config::parse_duration)]
    duration: Duration,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.options.check(Path::new(""))?;
    let target = AttachTarget::find(args.pid)?;
    let signals = Signals::catch()?;
    let begin = Instant::now();
    let mut examination = Examination {
        asked: Asked::new(&target),
        args: &args,
        signals: &signals,
        report: DoctorReport::new(args.pid, target.main().map(str::to_owned)),
        target: &target,
    };
    examination.threads()?;
    examination.record()?;
    examination.heap()?;
    let mut report = examination.report;
    report.took_ms = begin.elapsed().as_millis() as u64;
    Written::new(&args.options).write_sheet(0, &report.sheet(), &report)?;
    Ok(DONE)
}

struct Examination<'a> {
    args: &'a Args,
    target: &'a AttachTarget,
    signals: &'a Signals,
    asked: Asked<'a>,
    report: DoctorReport,
}

impl Examination<'_> {
    /// Threads that wait for each other: one dump of the threads, which stops the program for some milliseconds.
    fn threads(&mut self) -> Result<(), Failure> {
        let begin = Instant::now();
        let text = self.asked.jvm("Thread.print")?;
        self.report.findings.extend(doctor::deadlocks(&doctor::locked(&text), self.args.pid));
        self.add_done_step("threads", format!("a dump of them, answered in {} ms", begin.elapsed().as_millis()));
        Ok(())
    }

    /// What Flight Recorder sees.
    fn record(&mut self) -> Result<(), Failure> {
        const WHAT: &str = "Flight Recorder";
        let seconds = self.args.duration.as_secs_f64();
        let cost =
            format!("records for {seconds:.0} s; mostly 1 to 3 % of the CPU, more if exceptions or waits are many");
        if !self.may(WHAT, &cost)? {
            return Ok(());
        }
        let flight =
            Flight { target: self.target, what: &RECORDED, duration: self.args.duration, signals: self.signals };
        let begin = Instant::now();
        let figures = flight.take(None)?;
        let lasted = begin.elapsed().as_secs_f64().max(0.001).min(seconds.max(0.001));
        self.report.findings.extend(doctor::flight(&figures, lasted, self.args.pid));
        self.add_done_step(WHAT, format!("{lasted:.0} s; what it cost is not measured"));
        Ok(())
    }

    /// What grows, and who holds it.
    fn heap(&mut self) -> Result<(), Failure> {
        const WHAT: &str = "growth of the heap";
        let in_use = self.asked.heap_in_use();
        let cost = format!(
            "three histograms of live objects, {} apart, each with a full collection{}",
            weighbridge_config::format_duration(self.args.duration),
            in_use.map_or_else(String::new, |in_use| format!(" of {}", bytes(in_use)))
        );
        if !self.may(WHAT, &cost)? {
            return Ok(());
        }
        let mut looks: [Look; 3] = Default::default();
        let mut longest = Duration::ZERO;
        for (at, look) in looks.iter_mut().enumerate() {
            if at > 0 {
                thread::sleep(self.args.duration);
            }
            let begin = Instant::now();
            *look = self.asked.read_live_objects()?;
            longest = longest.max(begin.elapsed());
        }
        self.add_done_step(
            WHAT,
            format!("three looks, {} ms the longest, for most of which the program waited", longest.as_millis()),
        );
        let mut grows = None;
        if let Some((class, more)) = doctor::loaders(&looks) {
            let grown = format!("{} more of them in {:.0} s", count(more), 2.0 * self.args.duration.as_secs_f64());
            let figures = self.path(&class)?;
            self.report.findings.push(doctor::path(&class, &grown, &figures, self.args.pid, true));
        } else if let Some((class, objects, more)) = doctor::growth(&looks) {
            let seconds = 2.0 * self.args.duration.as_secs_f64();
            let grown =
                format!("{} more live objects, {} of their own, in {seconds:.0} s", count(objects), bytes(more));
            let figures = self.path(&class)?;
            self.report.findings.push(doctor::path(&class, &grown, &figures, self.args.pid, false));
            grows = Some(class);
        }
        let few = doctor::few(&looks).into_iter().filter(|class| grows.as_ref() != Some(class));
        self.forgotten(few.collect())
    }

    /// Few objects that nobody uses, of classes whose other objects go: what a leak of some bytes a day begins with.
    fn forgotten(&mut self, classes: Vec<String>) -> Result<(), Failure> {
        const WHAT: &str = "objects that nobody uses";
        if classes.is_empty() {
            return Ok(());
        }
        let cost = format!(
            "the agent puts probes into {} for {} and takes them away again, {MAX_CPU} % of the CPU at most, and a full \
             collection; a JVM before 23 without the agent compiles its code anew",
            count_with_noun(classes.len() as u64, "class", "classes"),
            weighbridge_config::format_duration(self.args.duration),
        );
        if !self.may(WHAT, &cost)? {
            return Ok(());
        }
        let asked = TraceRequest {
            name: format!("doctor-{}", std::process::id()),
            what: vec![TraceKind::Uses],
            classes,
            for_ms: Some(u64::try_from(self.args.duration.as_millis()).unwrap_or(u64::MAX)),
            frames: Some(FRAMES),
            max_cpu: Some(MAX_CPU),
            ..TraceRequest::default()
        };
        let begin = Instant::now();
        let run = Running::begin(self.target, asked).and_then(|running| {
            running.wait(self.args.duration, self.signals)?;
            // What is not used any more is found dead.
            self.asked.read_live_objects()?;
            thread::sleep(FOUND_DEAD);
            running.end()
        });
        let run = match run {
            Ok(run) => run,
            // Such as a JVM that lets nobody attach: the other steps have their results.
            Err(Failure::Input(error)) => {
                self.not_done(WHAT, format!("{error:#}"));
                return Ok(());
            }
            Err(failure) => return Err(failure),
        };
        let seconds = begin.elapsed().as_secs_f64();
        self.add_done_step(WHAT, run.cost_of_all());
        if let Some(most) = run.forgotten().first() {
            let figures = self.path(&most.class)?;
            self.report.findings.push(doctor::forgotten(most, seconds, &figures, self.args.pid));
        }
        Ok(())
    }

    /// Who holds the objects of a class: a dump, read by the verb that a person would use. Null if there is none.
    fn path(&mut self, class: &str) -> Result<Value, Failure> {
        const WHAT: &str = "a heap dump";
        let cost = "stops the program while it is written, about a second for each GiB in use";
        if !self.may(WHAT, cost)? {
            return Ok(Value::Null);
        }
        let program = std::env::current_exe().context("this program")?;
        let mut verb = Command::new(program);
        verb.args(["heap", "path", &self.args.pid.to_string(), class, "--live", "--most", "1", "-o", "json"]);
        let output = verb.stdin(Stdio::null()).output().context("weighbridge heap path")?;
        let figures: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        match figures.is_null() {
            true => self.not_done(WHAT, String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            false => {
                let stopped = figures["dump"]["process"]["stopped_ms"].as_u64();
                let stopped =
                    stopped.map_or_else(|| "read".to_owned(), |ms| format!("stopped the program for {ms} ms"));
                self.add_done_step(WHAT, stopped);
            }
        }
        Ok(figures)
    }

    /// Whether a step may be taken.
    fn may(&mut self, what: &'static str, cost: &str) -> Result<bool, Failure> {
        if self.signals.came() {
            self.not_done(what, "ended early".to_owned());
            return Ok(false);
        }
        if self.args.yes {
            return Ok(true);
        }
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            self.not_done(what, format!("nobody was asked (--yes takes it): {cost}"));
            return Ok(false);
        }
        for finding in &self.report.findings {
            eprintln!("found: {}", printable(&finding.says));
        }
        eprint!("next: {what}: {cost}. Go on? [y/N] ");
        io::stderr().flush().context("the terminal")?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).context("the terminal")?;
        let yes = matches!(answer.trim(), "y" | "Y" | "yes");
        if !yes {
            self.not_done(what, "not wanted".to_owned());
        }
        Ok(yes)
    }

    fn add_done_step(&mut self, what: &'static str, note: String) {
        self.report.steps.push(DoctorStep { what, note, done: true });
    }

    fn not_done(&mut self, what: &'static str, note: String) {
        self.report.steps.push(DoctorStep { what, note, done: false });
    }
}
