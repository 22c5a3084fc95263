//! Adds the events of recordings up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use weighbridge_jfr::{Chunk, Error, Event, Frame, Stack};

use super::figures::{
    AllocationRow, CollectionRow, EventRow, ExceptionRow, FORMAT, FlightRecording, FlightReport, IoRow, Jvm, MethodRow,
    WaitRow,
};

/// The sums so far.
#[derive(Default)]
pub(super) struct Sums {
    jvms: Vec<Jvm>,
    events: BTreeMap<String, (Option<String>, u64)>,
    samples: u64,
    /// Own samples and all samples by method.
    methods: HashMap<String, (u64, u64)>,
    /// By class, of `jdk.ObjectAllocationSample`.
    sampled: HashMap<String, Allocated>,
    /// The same of older JVMs, which tell of each buffer that a thread got.
    buffers: HashMap<String, Allocated>,
    collections: BTreeMap<(String, String), Spans>,
    io: HashMap<(&'static str, String), (Spans, u64)>,
    waits: HashMap<(&'static str, String), Waited>,
    /// How often, and by which methods.
    exceptions: HashMap<String, HashMap<String, u64>>,
}

/// Samples of a class, the bytes that they stand for, and those by method.
#[derive(Default)]
struct Allocated {
    samples: u64,
    bytes: u64,
    by: HashMap<String, u64>,
}

/// Waits for one thing: how long, in which methods, and which threads had it before.
#[derive(Default)]
struct Waited {
    spans: Spans,
    waiting_in: HashMap<String, u64>,
    held_by: HashMap<String, u64>,
}

#[derive(Default, Clone, Copy)]
struct Spans {
    count: u64,
    sum_ns: u64,
    longest_ns: u64,
}

impl Spans {
    fn add(&mut self, sum_ns: u64, longest_ns: u64) {
        self.count += 1;
        add(&mut self.sum_ns, sum_ns);
        self.longest_ns = self.longest_ns.max(longest_ns);
    }
}

/// Stacks of a chunk's samples by their keys: each is read once.
type Sampled<'c> = HashMap<i64, (Stack<'c>, u64)>;

impl Sums {
    /// Adds the events of a chunk, up to one that cannot be read.
    pub(super) fn add(&mut self, chunk: &Chunk) -> Result<(), Error> {
        let mut stacks = Sampled::new();
        let mut counts: HashMap<*const weighbridge_jfr::Type, (Event<'_>, u64)> = HashMap::new();
        let mut added = Ok(());
        for event in chunk.events() {
            match event {
                Ok(event) => {
                    counts.entry(event.type_of()).or_insert((event, 0)).1 += 1;
                    self.event(&event, &mut stacks);
                }
                Err(error) => added = Err(error),
            }
        }
        for (event, count) in counts.into_values() {
            let row = self.events.entry(event.name().to_owned()).or_insert((None, 0));
            row.0 = row.0.take().or_else(|| event.type_of().label.clone());
            row.1 += count;
        }
        for (stack, samples) in stacks.into_values() {
            self.stack(&stack, samples);
        }
        added
    }

    fn event<'c>(&mut self, event: &Event<'c>, stacks: &mut Sampled<'c>) {
        match event.name() {
            "jdk.JVMInformation" => self.jvm(event),
            "jdk.ExecutionSample" => {
                self.samples += 1;
                if let Some(stack) = event.stack() {
                    stacks.entry(stack.key).or_insert((stack, 0)).1 += 1;
                }
            }
            "jdk.ObjectAllocationSample" => allocated(&mut self.sampled, event, "weight"),
            "jdk.ObjectAllocationInNewTLAB" => allocated(&mut self.buffers, event, "tlabSize"),
            "jdk.ObjectAllocationOutsideTLAB" => allocated(&mut self.buffers, event, "allocationSize"),
            "jdk.GarbageCollection" => {
                let text = |field| event.get(field).into_text().unwrap_or_default().into_owned();
                let spans = self.collections.entry((text("name"), text("cause"))).or_default();
                spans.add(positive(event.span_ns("sumOfPauses")), positive(event.span_ns("longestPause")));
            }
            "jdk.FileRead" => self.io("file read", event, "bytesRead"),
            "jdk.FileWrite" => self.io("file write", event, "bytesWritten"),
            "jdk.SocketRead" => self.io("socket read", event, "bytesRead"),
            "jdk.SocketWrite" => self.io("socket write", event, "bytesWritten"),
            "jdk.JavaMonitorEnter" => self.wait("enter", event, "monitorClass"),
            "jdk.JavaMonitorWait" => self.wait("wait", event, "monitorClass"),
            "jdk.ThreadPark" => self.wait("park", event, "parkedClass"),
            "jdk.ThreadSleep" => self.wait("sleep", event, ""),
            "jdk.JavaExceptionThrow" | "jdk.JavaErrorThrow" => self.exception(event),
            _ => {}
        }
    }

    fn jvm(&mut self, event: &Event<'_>) {
        let text = |field| event.get(field).into_text().map(|text| text.into_owned());
        let jvm = Jvm {
            pid: event.get("pid").as_int(),
            name: text("jvmName"),
            version: text("jvmVersion"),
            // Arguments may be secrets.
            program: text("javaArguments").and_then(|text| text.split_whitespace().next().map(str::to_owned)),
        };
        // Each chunk tells it.
        if !self.jvms.contains(&jvm) {
            self.jvms.push(jvm);
        }
    }

    fn stack(&mut self, stack: &Stack<'_>, samples: u64) {
        let mut seen = HashSet::new();
        for (depth, frame) in stack.frames().enumerate() {
            let method = name(&frame);
            let sums = self.methods.entry(method.clone()).or_default();
            sums.0 += if depth == 0 { samples } else { 0 };
            // A method that calls itself is in the sample once.
            sums.1 += if seen.insert(method) { samples } else { 0 };
        }
    }

    fn io(&mut self, operation: &'static str, event: &Event<'_>, bytes: &str) {
        let text = |field| event.get(field).into_text().filter(|text| !text.is_empty());
        let host = || {
            let host = text("host").or_else(|| text("address"))?;
            Some(format!("{host}:{}", event.get("port").as_int().unwrap_or(0)))
        };
        let what = text("path").map(|path| path.into_owned()).or_else(host).unwrap_or_default();
        let (spans, sum) = self.io.entry((operation, what)).or_default();
        let ns = positive(event.duration_ns());
        spans.add(ns, ns);
        // A read at the end of a file has -1.
        add(sum, positive(event.get(bytes).as_int()));
    }

    fn wait(&mut self, kind: &'static str, event: &Event<'_>, class: &str) {
        let class = event.get(class).class_name().unwrap_or_default();
        let waited = self.waits.entry((kind, class)).or_default();
        let ns = positive(event.duration_ns());
        waited.spans.add(ns, ns);
        if let Some(method) = event.stack().and_then(|stack| by_whom(&stack)) {
            add(waited.waiting_in.entry(method).or_default(), ns);
        }
        if let Some(thread) = event.get("previousOwner").thread_name() {
            add(waited.held_by.entry(thread.into_owned()).or_default(), ns);
        }
    }

    fn exception(&mut self, event: &Event<'_>) {
        let class = event.get("thrownClass").class_name().unwrap_or_default();
        // The constructors of exceptions come first: who threw is the first that is none.
        let thrower = event.stack().and_then(|stack| stack.frames().find(|frame| frame.method != "<init>"));
        let method = thrower.map(|frame| name(&frame)).unwrap_or_default();
        *self.exceptions.entry(class).or_default().entry(method).or_default() += 1;
    }

    pub(super) fn figures(self, recordings: Vec<FlightRecording>) -> FlightReport {
        // Both tell of the same allocations.
        let allocated = if self.sampled.is_empty() { self.buffers } else { self.sampled };
        let allocations = allocated.into_iter().map(|(class, sum)| AllocationRow {
            class,
            samples: sum.samples,
            bytes: sum.bytes,
            allocated_by: most(sum.by),
        });
        let methods = self.methods.into_iter();
        let methods = methods.map(|(method, (own_samples, samples))| MethodRow { method, own_samples, samples });
        let events = self.events.into_iter();
        let exceptions = self.exceptions.into_iter().map(|(class, by)| ExceptionRow {
            class,
            count: by.values().sum(),
            thrown_by: most(by),
        });
        FlightReport {
            format: FORMAT,
            recordings,
            jvms: self.jvms,
            samples: self.samples,
            events: sorted(events.map(|(event, (label, count))| EventRow { event, label, count }), |row| {
                (row.count, row.event.clone())
            }),
            methods: sorted(methods, |row| ((row.own_samples, row.samples), row.method.clone())),
            allocations: sorted(allocations, |row| (row.bytes, row.class.clone())),
            collections: sorted(
                self.collections.into_iter().map(|((collector, cause), spans)| CollectionRow {
                    collector,
                    cause,
                    count: spans.count,
                    pause_ns: spans.sum_ns,
                    longest_pause_ns: spans.longest_ns,
                }),
                |row| (row.pause_ns, row.cause.clone()),
            ),
            io: sorted(
                self.io.into_iter().map(|((operation, what), (spans, bytes))| IoRow {
                    operation,
                    what,
                    count: spans.count,
                    bytes,
                    duration_ns: spans.sum_ns,
                    longest_ns: spans.longest_ns,
                }),
                |row| (row.duration_ns, (row.operation, row.what.clone())),
            ),
            waits: sorted(
                self.waits.into_iter().map(|((kind, class), waited)| WaitRow {
                    kind,
                    class,
                    count: waited.spans.count,
                    duration_ns: waited.spans.sum_ns,
                    longest_ns: waited.spans.longest_ns,
                    waiting_in: most(waited.waiting_in),
                    held_by: most(waited.held_by),
                }),
                |row| (row.duration_ns, (row.kind, row.class.clone())),
            ),
            exceptions: sorted(exceptions, |row| (row.count, row.class.clone())),
        }
    }
}

/// The greatest first, equal ones by name.
fn sorted<R, N: Ord, T: Ord>(rows: impl Iterator<Item = R>, key: impl Fn(&R) -> (N, T)) -> Vec<R> {
    let mut rows: Vec<R> = rows.collect();
    rows.sort_by_cached_key(|row| {
        let (number, name) = key(row);
        (Reverse(number), name)
    });
    rows
}

/// Who has most; of several the first by name.
fn most(by: HashMap<String, u64>) -> Option<String> {
    by.into_iter().max_by_key(|(method, number)| (*number, Reverse(method.clone()))).map(|(method, _)| method)
}

fn allocated(sums: &mut HashMap<String, Allocated>, event: &Event<'_>, bytes: &str) {
    let class = event.get("objectClass").class_name().unwrap_or_default();
    let sum = sums.entry(class).or_default();
    let bytes = positive(event.get(bytes).as_int());
    sum.samples += 1;
    add(&mut sum.bytes, bytes);
    if let Some(method) = event.stack().and_then(|stack| by_whom(&stack)) {
        add(sum.by.entry(method).or_default(), bytes);
    }
}

/// A number, or 0 if it is not known or below 0.
fn positive(number: Option<i64>) -> u64 {
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

/// A hostile recording may have any numbers.
fn add(sum: &mut u64, number: u64) {
    *sum = sum.saturating_add(number);
}

/// The innermost method that is not the JDK's; else the innermost one.
fn by_whom(stack: &Stack<'_>) -> Option<String> {
    let of_jdk = |class: &str| ["java.", "javax.", "jdk.", "sun."].iter().any(|prefix| class.starts_with(prefix));
    let mut frames = stack.frames();
    let first = frames.next()?;
    let own = if of_jdk(&first.class) { frames.find(|frame| !of_jdk(&frame.class)) } else { None };
    Some(name(&own.unwrap_or(first)))
}

fn name(frame: &Frame<'_>) -> String {
    // Native functions, which other writers record, have no class.
    match frame.class.as_str() {
        "" => frame.method.clone().into_owned(),
        class => format!("{class}.{}", frame.method),
    }
}
