//! What is traced, and of whom: arguments.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use weighbridge_config::{EntryPoint, TraceKind, TraceRequest, TraceSubject, entry_names, read_entries, ready_entries};
use weighbridge_ending::Failure;
use weighbridge_ending::input::check_input;
use weighbridge_live::traces::FlightEvents;

/// What is traced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Flight Recorder records it.
    Recorded(FlightEvents),
    /// The JVM is asked before and after.
    Loaders,
    /// The agent traces it.
    Probed(TraceKind),
}

/// What the JVM itself tells, with its word and its help.
const BY_JVM: [(What, &str, &str); 8] = [
    (
        What::Recorded(FlightEvents::Time),
        "time",
        "Which methods run: the stacks of running threads, a hundred times a second",
    ),
    (
        What::Recorded(FlightEvents::Allocations),
        "allocations",
        "Which classes are allocated: a sample of the allocations, by class",
    ),
    (
        What::Recorded(FlightEvents::Collections),
        "collections",
        "Each garbage collection, with its cause and how long it stopped the program",
    ),
    (What::Loaders, "loaders", "Metaspace by class loader, before and after"),
    (What::Recorded(FlightEvents::Io), "io", "Each read and write of a file or a socket"),
    (
        What::Recorded(FlightEvents::Monitors),
        "monitors",
        "Each wait for a monitor that another thread has, and each `Object.wait`",
    ),
    (What::Recorded(FlightEvents::Waits), "waits", "Each sleep, and each time that a thread was parked"),
    (What::Recorded(FlightEvents::Exceptions), "exceptions", "Each exception and error that is thrown"),
];

impl What {
    /// What Flight Recorder is asked for, if it is.
    pub(super) fn recorded(self) -> Option<FlightEvents> {
        match self {
            What::Recorded(events) => Some(events),
            What::Loaders | What::Probed(_) => None,
        }
    }

    /// What the agent is asked for, if it is.
    pub(super) fn kind(self) -> Option<TraceKind> {
        match self {
            What::Probed(kind) => Some(kind),
            What::Recorded(_) | What::Loaders => None,
        }
    }
}

impl ValueEnum for What {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<What>> = LazyLock::new(|| {
            let probed = TraceKind::ALL.iter().map(|kind| What::Probed(*kind));
            BY_JVM.iter().map(|(what, ..)| *what).chain(probed).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            What::Probed(kind) => {
                let form = kind.form();
                let by = if form.subject == TraceSubject::Program { "By the agent" } else { "By probes" };
                let (first, rest) = form.meaning.split_at(1);
                let meaning = format!("{}{}", first.to_lowercase(), rest.trim_end_matches('.'));
                PossibleValue::new(form.word).help(format!("{by}: {meaning}"))
            }
            what => {
                let (_, word, help) = BY_JVM.iter().find(|(known, ..)| known == what)?;
                PossibleValue::new(word).help(*help)
            }
        })
    }
}

/// What one `--entries` stands for.
#[derive(Clone)]
struct Entries(Vec<EntryPoint>);

fn entries(name: &str) -> Result<Entries, String> {
    if let Some(ready) = ready_entries(name) {
        return Ok(Entries(ready));
    }
    if !name.ends_with(".toml") {
        let all: Vec<&str> = entry_names().collect();
        return Err(format!("neither a file (*.toml) nor one of {}", all.join(", ")));
    }
    check_input(Path::new(name)).map_err(|refused| refused.sentence())?;
    let text = std::fs::read_to_string(name).map_err(|error| error.to_string())?;
    read_entries(&text).map(Entries).map_err(|error| error.to_string())
}

/// Of whom, for traces by probes.
#[derive(clap::Args)]
#[command(next_help_heading = "Traces by probes")]
pub(super) struct Chosen {
    /// The name of the run.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// All methods, or objects, of classes whose names match: `com.acme.**`.
    #[arg(long, value_name = "PATTERN")]
    class: Vec<String>,
    /// Not these classes.
    #[arg(long, value_name = "PATTERN")]
    except: Vec<String>,
    /// Methods: `com.acme.Report.render`, `com.acme.**.handle*`.
    #[arg(long, value_name = "PATTERN")]
    method: Vec<String>,
    /// Only while these scopes are open: `user=anna`. All of them, if there are several.
    #[arg(long, value_name = "KEY=VALUE")]
    scope: Vec<String>,
    /// Open scopes meanwhile at the entries of these frameworks, or of a file (*.toml) with tables `[[entry]]`.
    #[arg(long, value_name = "NAME|FILE", value_parser = entries)]
    entries: Vec<Entries>,
    /// Only threads whose names match: `http-*`.
    #[arg(long, value_name = "PATTERN")]
    thread: Option<String>,
    /// Of `calls`: only outermost calls that take so long.
    #[arg(long, value_name = "DURATION", value_parser = weighbridge_config::parse_duration)]
    slower: Option<Duration>,
    /// Of `calls`: with the classes of the first four arguments that are objects.
    #[arg(long)]
    arguments: bool,
    /// Of `calls`: so many of the slowest. 100 unless given.
    #[arg(long, value_name = "N")]
    most: Option<u32>,
    /// Of `objects`, `uses`, `references` and `samples`: so many frames of each stack are kept. 8 unless given.
    #[arg(long, value_name = "N")]
    frames: Option<u32>,
    /// Of `samples`: on average one in so many bytes, 512k unless given.
    #[arg(long, value_name = "BYTES", value_parser = weighbridge_config::parse_size)]
    every: Option<i64>,
    /// How long the program may be stopped at once, such as 500ms or 3s; as the agent's setting `pause` says unless given, else
    /// 100ms. What would take longer is left out, and named with its time: loaded classes, objects that exist already.
    #[arg(long, value_name = "DURATION", value_parser = weighbridge_config::parse_pause)]
    pause: Option<Duration>,
    /// The part of the program's CPU time that each trace may take. Beyond it, what happens most is left out, or the run ends.
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
    max_cpu: f64,
}

impl Chosen {
    /// The request for a run; none if nothing is traced by probes.
    pub(super) fn into_request(
        self,
        mut what: Vec<TraceKind>,
        duration: Option<Duration>,
    ) -> Result<Option<TraceRequest>, Failure> {
        if what.is_empty() && self.entries.is_empty() {
            let unused = !self.class.is_empty()
                || !self.except.is_empty()
                || !self.method.is_empty()
                || !self.scope.is_empty()
                || self.thread.is_some()
                || self.slower.is_some()
                || self.pause.is_some();
            return match unused {
                true => Err(Failure::usage(
                    "classes, methods, scopes, threads and --pause are for traces by probes: methods, calls, coverage, objects, uses",
                )),
                false => Ok(None),
            };
        }
        let entries: Vec<EntryPoint> = self.entries.into_iter().flat_map(|Entries(entries)| entries).collect();
        if !entries.is_empty() && !what.contains(&TraceKind::Scopes) {
            what.push(TraceKind::Scopes);
        }
        if entries.is_empty() && what.contains(&TraceKind::Scopes) {
            return Err(Failure::usage("the trace `scopes` wants --entries"));
        }
        if self.class.is_empty() && self.method.is_empty() && what.iter().any(|what| what.has_patterns()) {
            return Err(Failure::usage("a trace by probes wants --class or --method"));
        }
        Ok(Some(TraceRequest {
            name: self.name.unwrap_or_else(|| format!("trace-{}", std::process::id())),
            what,
            classes: self.class,
            except: self.except,
            methods: self.method,
            scopes: self.scope,
            entries,
            thread: self.thread,
            for_ms: duration.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)),
            pause_ms: self.pause.map(|pause| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)),
            slower_ns: self.slower.map(|slower| u64::try_from(slower.as_nanos()).unwrap_or(u64::MAX)),
            most: self.most,
            arguments: self.arguments,
            frames: self.frames,
            every_bytes: self.every.map(|every| u32::try_from(every).unwrap_or(u32::MAX)),
            max_cpu: Some(self.max_cpu),
        }))
    }
}
