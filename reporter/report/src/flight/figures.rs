//! What recordings say, in figures.

use serde::Serialize;

/// Version of the JSON keys, raised if the meaning of a key changes.
pub(crate) const FORMAT: u32 = 1;

/// What recordings say.
#[derive(Debug, Clone, Serialize)]
pub struct FlightReport {
    pub(crate) format: u32,
    pub(crate) recordings: Vec<FlightRecording>,
    pub(crate) jvms: Vec<Jvm>,
    /// Types of events, the most events first.
    pub(crate) events: Vec<EventRow>,
    /// Threads that ran Java code, sampled.
    pub(crate) samples: u64,
    /// Methods on top of these samples' stacks, or below.
    pub(crate) methods: Vec<MethodRow>,
    /// Classes of which objects were allocated: estimates from samples.
    pub(crate) allocations: Vec<AllocationRow>,
    /// Collections by kind and cause.
    pub(crate) collections: Vec<CollectionRow>,
    /// Files and hosts that were read and written.
    pub(crate) io: Vec<IoRow>,
    /// What threads waited for.
    pub(crate) waits: Vec<WaitRow>,
    /// Exceptions and errors that were thrown.
    pub(crate) exceptions: Vec<ExceptionRow>,
}

/// A recording that was read.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FlightRecording {
    pub(crate) file: String,
    pub(crate) chunks: u64,
    /// Milliseconds since the Unix epoch.
    pub(crate) start_ms: i64,
    pub(crate) duration_ms: u64,
    /// Where and why it could not be read to its end.
    pub(crate) damaged: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Jvm {
    pub(crate) pid: Option<i64>,
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) program: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct EventRow {
    pub(crate) event: String,
    pub(crate) label: Option<String>,
    pub(crate) count: u64,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct MethodRow {
    pub(crate) method: String,
    /// Samples in which it was the innermost frame.
    pub(crate) own_samples: u64,
    /// Samples in which it was any frame.
    pub(crate) samples: u64,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct AllocationRow {
    pub(crate) class: String,
    pub(crate) samples: u64,
    /// Bytes that were allocated, estimated: the sum of what the samples stand for.
    pub(crate) bytes: u64,
    /// The method outside the JDK that allocated most of them.
    pub(crate) allocated_by: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct CollectionRow {
    pub(crate) collector: String,
    pub(crate) cause: String,
    pub(crate) count: u64,
    /// How long they stopped the program in all.
    pub(crate) pause_ns: u64,
    pub(crate) longest_pause_ns: u64,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct IoRow {
    /// `file read`, `file write`, `socket read` or `socket write`.
    pub(crate) operation: &'static str,
    /// The file, or the host and the port.
    pub(crate) what: String,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    pub(crate) duration_ns: u64,
    pub(crate) longest_ns: u64,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct WaitRow {
    /// `enter` (another thread had the monitor), `wait`, `park` or `sleep`.
    pub(crate) kind: &'static str,
    /// The class of the monitor, or of what the thread was parked on.
    pub(crate) class: String,
    pub(crate) count: u64,
    pub(crate) duration_ns: u64,
    pub(crate) longest_ns: u64,
    /// The method outside the JDK that waited longest.
    pub(crate) waiting_in: Option<String>,
    /// The thread that had the monitor before, for most of the time that others waited.
    pub(crate) held_by: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExceptionRow {
    pub(crate) class: String,
    pub(crate) count: u64,
    /// The method that threw most of them.
    pub(crate) thrown_by: Option<String>,
}
