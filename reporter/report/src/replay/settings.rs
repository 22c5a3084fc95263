//! What to replay, and what to ask.

use std::path::PathBuf;

use weighbridge_recording as recording;

use super::beside::Recording;

/// What to replay, and what to ask.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The trace.
    pub trace: PathBuf,
    /// Bytes of memory for the tables of objects; without it as many as it takes.
    pub memory: Option<u64>,
    /// The folder of temporary files; without it the system's.
    pub temporary: Option<PathBuf>,
    /// Methods, as `com.acme.Main.mark`: at each entry, what lives is shown.
    pub at: Vec<String>,
    /// Tolerances of modes 3 and 4, bytes; without any 1/64, 1/16 and 1/4 of the peak.
    pub tolerances: Vec<u64>,
    /// A recording of the same run.
    pub recording: Option<Recording>,
}

/// Why a trace cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The trace cannot be replayed.
    #[error(transparent)]
    Trace(#[from] weighbridge_replay::Error),
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] recording::Error),
    /// A method that nothing in the trace has the name of.
    #[error("{file}: no method with probes is named {method}{}", suggestion(.nearest.as_deref()))]
    NoMethod {
        /// The trace.
        file: String,
        /// The name.
        method: String,
        /// The most similar name that there is.
        nearest: Option<String>,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest
        .map_or_else(|| "; names are as com.acme.Main.mark".to_owned(), |nearest| format!("; did you mean {nearest}?"))
}
