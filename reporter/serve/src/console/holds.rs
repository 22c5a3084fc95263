//! What the console holds: recordings, processes and dumps, which pages ask for and change.

use std::path::PathBuf;

use weighbridge_ending::Failure;

use super::dumps::Dumps;
use super::processes::{Measured, Processes};
use super::sources::Sources;

/// All of it.
pub(super) struct Console {
    /// The configuration that was named: its file and what it says.
    pub(super) config: Option<(PathBuf, Measured)>,
    pub(super) sources: Sources,
    pub(super) processes: Processes,
    pub(super) dumps: Dumps,
}

impl Console {
    /// Leaves every JVM as it was found, and no file.
    pub(super) fn end(&self) -> Result<(), Failure> {
        self.dumps.end();
        let left = self.processes.end();
        self.sources.end();
        left
    }
}
