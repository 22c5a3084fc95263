//! Which traces there are, and what each wants.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::Value;
use weighbridge_config::{EntryPoint, TraceKind, TracePatterns, TraceRequest};

use weighbridge_contract::{TRACE_NUMBERS, trace_word};

use super::sites::ProbeSites;
use super::{references, samples};
use crate::locks::lock;

/// Numbers that traces can have.
const NUMBERS: u8 = TRACE_NUMBERS as u8;
/// Traces at once.
const MOST: usize = 64;

/// A trace.
#[derive(Debug)]
pub(super) struct Tracing {
    pub(super) number: u8,
    pub(super) what: TraceKind,
    patterns: Arc<TracePatterns>,
    /// Methods tell their arguments.
    pub(super) tells_arguments: bool,
    /// Classes get its probes.
    pub(super) on: AtomicBool,
    sites: Mutex<ProbeSites>,
}

impl Tracing {
    pub(super) fn sites(&self) -> MutexGuard<'_, ProbeSites> {
        lock(&self.sites)
    }

    pub(super) fn wants(&self, class: &[u8]) -> bool {
        let TracePatterns { classes, except, methods, entry_methods, .. } = &*self.patterns;
        match self.what {
            TraceKind::Scopes => entry_methods.may_match(class),
            TraceKind::References | TraceKind::Samples => false,
            TraceKind::Methods | TraceKind::Calls | TraceKind::Coverage | TraceKind::Objects | TraceKind::Uses => {
                (classes.matches(class) || methods.may_match(class)) && !except.matches(class)
            }
        }
    }

    /// The entry that a method is, with its index.
    pub(super) fn entry(&self, class: &[u8], method: &[u8]) -> Option<(usize, &EntryPoint)> {
        let patterns = &self.patterns;
        let index = patterns.entry_of[patterns.entry_methods.first_match(class, method)?];
        Some((index, &patterns.entries[index]))
    }

    /// The entry whose methods are of this class and which carries scopes.
    pub(super) fn carrier(&self, class: &[u8]) -> Option<usize> {
        let patterns = &self.patterns;
        let carries = |index: &usize| patterns.entries[*index].carries;
        patterns.entry_methods.matching(class).map(|pattern| patterns.entry_of[pattern]).find(carries)
    }

    pub(super) fn wants_method(&self, class: &[u8], method: &[u8]) -> bool {
        self.patterns.classes.matches(class) || self.patterns.methods.first_match(class, method).is_some()
    }

    pub(super) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }
}

/// A run of traces that the runtime does not know yet.
#[derive(Debug)]
pub(crate) struct PlannedRun {
    /// What the runtime gets of it.
    pub(crate) words: Vec<String>,
    /// Its traces.
    pub(crate) numbers: Vec<u8>,
}

/// The traces of a session.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    all: Mutex<Vec<Arc<Tracing>>>,
    /// As many as there are: most classes are loaded while there is none.
    count: AtomicUsize,
}

/// The number that a trace has got last, of all sessions: code of an earlier one that still runs has numbers of its own.
static LAST: AtomicU8 = AtomicU8::new(0);

impl Traces {
    pub(super) fn all(&self) -> Vec<Arc<Tracing>> {
        match self.are_none() {
            true => Vec::new(),
            false => self.lock().clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Tracing>>> {
        lock(&self.all)
    }

    pub(super) fn find_trace(&self, number: u8) -> Option<Arc<Tracing>> {
        self.lock().iter().find(|trace| trace.number == number).cloned()
    }

    /// Whether there is none, not even one that has ended.
    pub(crate) fn are_none(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Prepares a run, or gives a reason why not.
    pub(crate) fn plan(&self, asked: TraceRequest) -> Result<PlannedRun, String> {
        let patterns = Arc::new(asked.check()?);
        let mut words = vec![asked.name];
        let mut with = |key: &str, values: Vec<String>| {
            words.extend(values.into_iter().map(|value| format!("{key}={value}")));
        };
        with(trace_word::CLASS, asked.classes);
        with(trace_word::EXCEPT, asked.except);
        with(trace_word::METHOD, asked.methods);
        with(trace_word::SCOPE, asked.scopes);
        with(trace_word::THREAD, asked.thread.into_iter().collect());
        with(trace_word::FOR_MS, asked.for_ms.iter().map(u64::to_string).collect());
        with(trace_word::PAUSE_MS, asked.pause_ms.iter().map(u64::to_string).collect());
        with(trace_word::SLOWER_NS, asked.slower_ns.iter().map(u64::to_string).collect());
        with(trace_word::MOST, asked.most.iter().map(u32::to_string).collect());
        with(trace_word::FRAMES, asked.frames.iter().map(u32::to_string).collect());
        with(trace_word::EVERY, asked.every_bytes.iter().map(u32::to_string).collect());
        with(trace_word::MAX_CPU, asked.max_cpu.iter().map(f64::to_string).collect());
        with(trace_word::ENTRY, patterns.entries.iter().map(entry_words).collect());
        let mut what = asked.what;
        what.sort_unstable();
        what.dedup();
        let mut all = self.lock();
        let mut numbers = Vec::new();
        for what in what {
            let Some(number) = self.free(&all) else {
                all.retain(|trace| !numbers.contains(&trace.number));
                return Err("there are too many traces".to_owned());
            };
            all.push(Arc::new(Tracing {
                number,
                what,
                patterns: Arc::clone(&patterns),
                tells_arguments: asked.arguments,
                on: AtomicBool::new(false),
                sites: Mutex::default(),
            }));
            numbers.push(number);
            // The last ones: they make traces of the settings.
            words.push(format!("{}={number}={}", trace_word::TRACE, what.word()));
        }
        self.count.store(all.len(), Ordering::Release);
        Ok(PlannedRun { words, numbers })
    }

    /// A number that nobody has, and that the fewest calls which are still open can have in their code.
    fn free(&self, all: &[Arc<Tracing>]) -> Option<u8> {
        let last = LAST.load(Ordering::Relaxed);
        let next = (1..=NUMBERS).map(|step| (last + step) % NUMBERS);
        let number = next.into_iter().find(|number| all.iter().all(|trace| trace.number != *number))?;
        // No other thread takes one: the traces are locked, and there is one session at a time.
        LAST.store(number, Ordering::Relaxed);
        (all.len() < MOST).then_some(number)
    }

    /// Nobody asks for these any more.
    pub(crate) fn forget(&self, numbers: &[u8]) {
        let mut all = self.lock();
        all.retain(|trace| !numbers.contains(&trace.number));
        references::forget(numbers);
        samples::forget(numbers);
        self.count.store(all.len(), Ordering::Release);
    }

    /// The name of the class that is a probe site of a trace.
    pub(crate) fn class_name(&self, number: u8, site: u32) -> Option<String> {
        self.find_trace(number)?.sites().class_name(site).map(str::to_owned)
    }

    /// Gives names to what the runtime tells of runs.
    pub(crate) fn describe(&self, answer: &mut Value) {
        let Some(traces) = answer.get_mut("traces").and_then(Value::as_array_mut) else { return };
        for trace in traces.iter_mut().filter_map(Value::as_object_mut) {
            let number = trace.get("number").and_then(Value::as_u64).and_then(|number| u8::try_from(number).ok());
            if let Some(known) = number.and_then(|number| self.find_trace(number)) {
                match known.what {
                    TraceKind::References => references::describe(known.number, trace),
                    TraceKind::Samples => samples::describe(known.number, trace),
                    _ => {}
                }
                known.sites().name(known.what, trace);
            }
        }
    }
}

/// An entry for the runtime: `carry`, or its keys and templates, with tabs between.
fn entry_words(entry: &EntryPoint) -> String {
    match entry.carries {
        true => "carry".to_owned(),
        false => entry.scopes.iter().flat_map(|(key, value)| [key.as_str(), value]).collect::<Vec<_>>().join("\t"),
    }
}
