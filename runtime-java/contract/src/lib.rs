//! What Rust and the Java runtime share: names and numbers, each written once. This crate is plain data and knows no other.
//!
//! The Java side is made of it ([`java`]) and committed, because Maven builds the runtime too; so are the tables of the
//! documents. `tests/generated.rs` holds both against the data, and writes them with `WEIGHBRIDGE_WRITE_TABLES=1`.

mod events;
pub mod java;
mod markdown;
mod natives;
mod options;
mod traces;
mod words;

pub use events::{EVENT_CODE, EVENT_MORE, EVENT_NULL, EVENTS, EventForm, event_bits, event_code};
pub use markdown::{events_table, options_table, peak_options_table, traces_table};
pub use natives::{NATIVE_METHODS, NativeMethod, ROLE_CLONES, ROLE_PROBES, STOP_OUTCOMES};
pub use options::{Changes, MOST_AGES, MOST_DIGITS, RUNTIME_OPTIONS, RuntimeOption, Values, runtime_option};
pub use traces::{
    Limits, PROBE_BITS, PROBE_PAGE_BITS, TRACE_CALLS, TRACE_EVERY, TRACE_FRAMES, TRACE_NUMBERS, TraceForm, TraceKind,
    TraceSubject,
};
pub use words::{REQUESTS, RUN_WORDS, TRACE_WORDS, Word, request, run_word, trace_word};
