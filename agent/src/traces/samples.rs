//! A sample of all allocations: on average one each so many bytes, with its class and its stack (JEP 331).

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jvmti_bindings::prelude::*;

use serde_json::{Map, Value, json};

use super::environment::environment;
use super::stacks::Stacks;
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
    rows: HashMap<(String, usize), Row>,
}

#[derive(Default)]
struct Row {
    samples: u64,
    bytes: f64,
    variance: f64,
}

fn sampling() -> MutexGuard<'static, Sampling> {
    SAMPLING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A trace begins; false if the JVM does not sample.
pub(crate) fn watch(jni: &JniEnv, number: u8, frames: jni::jint, every: jni::jint) -> bool {
    let mut sampling = sampling();
    if sampling.books.iter().all(|book| book.is_over) && !sampling.begin(jni, every) {
        return false;
    }
    sampling.books.push(Book { number, frames, is_over: false, stacks: Stacks::default(), rows: HashMap::new() });
    true
}

/// What the environment may do while a trace samples.
fn capabilities() -> jvmti::jvmtiCapabilities {
    let mut capabilities = jvmti::jvmtiCapabilities::default();
    capabilities.set_can_generate_sampled_object_alloc_events(true);
    capabilities.set_can_get_line_numbers(true);
    capabilities
}

impl Sampling {
    /// Lets the JVM sample, one in so many bytes.
    fn begin(&mut self, jni: &JniEnv, every: jni::jint) -> bool {
        let environment = match &self.environment {
            Some(known) => known.get(),
            None => match environment(jni, |_| {}) {
                Some(new) => new,
                None => return false,
            },
        };
        // It is kept: a callback that has begun may still use it.
        self.environment = Some(Environment(environment.raw()));
        self.changes += u64::from(every != self.every);
        self.every = every;
        let mut callbacks = jvmti::jvmtiEventCallbacks::default();
        callbacks.SampledObjectAlloc = Some(sampled);
        let begun = environment
            .add_capabilities(&capabilities())
            .and_then(|()| environment.set_event_callbacks(callbacks))
            .and_then(|()| environment.set_heap_sampling_interval(every))
            .and_then(|()| environment.enable_events_global(&[jvmti::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC]));
        if begun.is_err() {
            self.rest();
        }
        begun.is_ok()
    }

    /// Nobody samples any more.
    fn rest(&self) {
        let Some(environment) = self.environment.as_ref().map(Environment::get) else { return };
        let _ = environment.disable_events_global(&[jvmti::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC]);
        let _ = environment.set_heap_sampling_interval(UNLESS_TOLD);
        let _ = environment.relinquish_capabilities(&capabilities());
    }
}

/// A trace has ended; what it has seen stays until [`forget`].
pub(crate) fn end(number: u8) {
    let mut sampling = sampling();
    let Some(book) = sampling.books.iter_mut().find(|book| book.number == number && !book.is_over) else { return };
    book.is_over = true;
    if sampling.books.iter().all(|book| book.is_over) {
        sampling.rest();
    }
}

/// The session ends.
pub(crate) fn end_all() {
    let mut sampling = sampling();
    if sampling.books.iter().any(|book| !book.is_over) {
        sampling.rest();
    }
    sampling.books.clear();
}

/// Nobody asks for these any more.
pub(super) fn forget(numbers: &[u8]) {
    sampling().books.retain(|book| !book.is_over || !numbers.contains(&book.number));
}

/// Adds what a trace has seen, or that it could not begin.
pub(super) fn describe(number: u8, trace: &mut Map<String, Value>) {
    let sampling = sampling();
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
        let mut sampling = sampling();
        if KNOWN.replace(sampling.changes) != sampling.changes {
            // By an interval that nobody knows: it weighs nothing.
            return;
        }
        let every = f64::from(sampling.every.max(1));
        for book in sampling.books.iter_mut().filter(|book| !book.is_over) {
            let stack = book.stacks.here(&jvmti, jni, book.frames);
            // SAFETY: a reference of this call.
            let name = unsafe { jvmti.get_class_signature(class) }
                .map_or_else(|_| "?".to_owned(), |(name, _)| readable(&name));
            let row = book.rows.entry((name, stack)).or_default();
            // An object of this size is met with this probability.
            let met = 1.0 - (-(size as f64) / every).exp();
            let weight = size as f64 / met.max(f64::MIN_POSITIVE);
            row.samples += 1;
            row.bytes += weight;
            row.variance += weight * weight * (1.0 - met);
        }
    }));
}
