//! A sample of all allocations: on average one each so many bytes, with its class and its stack (JEP 331).
//!
//! Traces begin and end one after another, as those of `references` do, and `SAMPLING` is not held while the JVM is asked.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use jvmti_bindings::prelude::*;

use serde_json::{Map, Value, json};
use weighbridge_bytecode::read::mutf8;

use super::environment::environment;
use super::stacks::{StackHere, Stacks};
use crate::locks::lock;
use crate::names::class_signature;
use crate::readable::readable;

/// What a JVM samples by unless it is told otherwise.
const UNLESS_TOLD: jni::jint = 512 * 1024;
/// Of a normal distribution, 95 % are within so many deviations.
const WITHIN: f64 = 1.96;

static SAMPLING: Mutex<Sampling> =
    Mutex::new(Sampling { environment: None, every: UNLESS_TOLD, changes: 0, books: Vec::new() });

thread_local! {
    /// The number of changes that this thread's sampler knows.
    static KNOWN: Cell<u64> = const { Cell::new(0) };
}

/// All traces that sample; they share the JVM's one interval.
struct Sampling {
    environment: Option<Environment>,
    every: jni::jint,
    /// How often the interval changed. A thread takes its next sample by the interval of its last one.
    changes: u64,
    books: Vec<Book>,
}

struct Environment(*mut jvmti::jvmtiEnv);

// SAFETY: an environment may be used by any thread.
unsafe impl Send for Environment {}

impl Environment {
    fn get(&self) -> Jvmti {
        // SAFETY: it is never disposed of.
        unsafe { Jvmti::from_raw(self.0) }
    }
}

/// What one trace has seen.
struct Book {
    number: u8,
    frames: jni::jint,
    is_over: bool,
    stacks: Stacks,
    /// By class and stack.
    rows: HashMap<(String, usize), SampledSiteRow>,
}

#[derive(Default)]
struct SampledSiteRow {
    samples: u64,
    bytes: f64,
    variance: f64,
}

/// A trace begins; false if the JVM does not sample.
pub(crate) fn watch(jni: &JniEnv, number: u8, frames: jni::jint, every: jni::jint) -> bool {
    let is_first = lock(&SAMPLING).books.iter().all(|book| book.is_over);
    if is_first && !begin_sampling(jni, every) {
        return false;
    }
    lock(&SAMPLING).books.push(Book {
        number,
        frames,
        is_over: false,
        stacks: Stacks::default(),
        rows: HashMap::new(),
    });
    true
}

/// What the environment may do while a trace samples.
fn capabilities() -> jvmti::jvmtiCapabilities {
    let mut capabilities = jvmti::jvmtiCapabilities::default();
    capabilities.set_can_generate_sampled_object_alloc_events(true);
    capabilities.set_can_get_line_numbers(true);
    capabilities
}

/// Lets the JVM sample, one in so many bytes.
fn begin_sampling(jni: &JniEnv, every: jni::jint) -> bool {
    let known = lock(&SAMPLING).environment.as_ref().map(Environment::get);
    let Some(environment) = known.or_else(|| environment(jni, |_| {})) else { return false };
    {
        let mut sampling = lock(&SAMPLING);
        // It is kept: a callback that has begun may still use it.
        sampling.environment = Some(Environment(environment.raw()));
        sampling.changes += u64::from(every != sampling.every);
        sampling.every = every;
    }
    let mut callbacks = jvmti::jvmtiEventCallbacks::default();
    callbacks.SampledObjectAlloc = Some(sampled);
    let begun = environment
        .add_capabilities(&capabilities())
        .and_then(|()| environment.set_event_callbacks(callbacks))
        .and_then(|()| environment.set_heap_sampling_interval(every))
        .and_then(|()| environment.enable_events_global(&[jvmti::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC]));
    if begun.is_err() {
        end_sampling();
    }
    begun.is_ok()
}

/// Nobody samples any more.
fn end_sampling() {
    let Some(environment) = lock(&SAMPLING).environment.as_ref().map(Environment::get) else { return };
    let _ = environment.disable_events_global(&[jvmti::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC]);
    let _ = environment.set_heap_sampling_interval(UNLESS_TOLD);
    let _ = environment.relinquish_capabilities(&capabilities());
}

/// A trace has ended; what it has seen stays until [`forget`].
pub(crate) fn end(number: u8) {
    let is_last = {
        let mut sampling = lock(&SAMPLING);
        let Some(book) = sampling.books.iter_mut().find(|book| book.number == number && !book.is_over) else { return };
        book.is_over = true;
        sampling.books.iter().all(|book| book.is_over)
    };
    if is_last {
        end_sampling();
    }
}

/// The session ends.
pub(crate) fn end_all() {
    let books = std::mem::take(&mut lock(&SAMPLING).books);
    if books.iter().any(|book| !book.is_over) {
        end_sampling();
    }
}

/// Nobody asks for these any more.
pub(super) fn forget(numbers: &[u8]) {
    lock(&SAMPLING).books.retain(|book| !book.is_over || !numbers.contains(&book.number));
}

/// Adds what a trace has seen, or that it could not begin.
pub(super) fn describe(number: u8, trace: &mut Map<String, Value>) {
    let sampling = lock(&SAMPLING);
    let Some(book) = sampling.books.iter().rev().find(|book| book.number == number) else {
        trace.insert("refused".to_owned(), "the JVM does not sample allocations".into());
        return;
    };
    let rows = book.rows.iter().map(|((class, stack), row)| {
        json!({
            "class": class, "frames": book.stacks.frames[*stack], "samples": row.samples,
            "bytes": row.bytes.round() as u64, "error_bytes": (WITHIN * row.variance.sqrt()).round() as u64,
        })
    });
    trace.insert("events".to_owned(), book.rows.values().map(|row| row.samples).sum::<u64>().into());
    trace.insert("every_bytes".to_owned(), sampling.every.into());
    trace.insert("samples".to_owned(), rows.collect());
}

unsafe extern "system" fn sampled(
    env: *mut jvmti::jvmtiEnv,
    jni: *mut jni::JNIEnv,
    _: jni::jthread,
    _: jni::jobject,
    class: jni::jclass,
    size: jni::jlong,
) {
    // A panic must not reach the JVM.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the JVM calls with an environment that is never disposed of.
        let jvmti = unsafe { Jvmti::from_raw(env) };
        let (every, deepest) = {
            let sampling = lock(&SAMPLING);
            if KNOWN.replace(sampling.changes) != sampling.changes {
                // By an interval that nobody knows: it weighs nothing.
                return;
            }
            let open = sampling.books.iter().filter(|book| !book.is_over);
            let Some(deepest) = open.map(|book| book.frames).max() else { return };
            (f64::from(sampling.every.max(1)), deepest)
        };
        let mut stack = StackHere::take(&jvmti, deepest);
        let name = class_signature(&jvmti, class)
            .map_or_else(|| "?".to_owned(), |signature| readable(&mutf8::decode(&signature)));
        let is_known = |book: &Book| book.is_over || book.stacks.find(&stack, book.frames).is_some();
        let all_know = lock(&SAMPLING).books.iter().all(is_known);
        if !all_know {
            stack.name_frames(&jvmti, jni);
        }
        for book in lock(&SAMPLING).books.iter_mut().filter(|book| !book.is_over && book.frames <= deepest) {
            // None of a trace that has begun since.
            let Some(stack) = book.stacks.find_or_add(&stack, book.frames) else { continue };
            let row = book.rows.entry((name.clone(), stack)).or_default();
            // An object of this size is met with this probability.
            let met = 1.0 - (-(size as f64) / every).exp();
            let weight = size as f64 / met.max(f64::MIN_POSITIVE);
            row.samples += 1;
            row.bytes += weight;
            row.variance += weight * weight * (1.0 - met);
        }
    }));
}
