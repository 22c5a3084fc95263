//! What is asked of the JVM by its diagnostic commands.

use std::time::Duration;

use weighbridge_ending::Failure;
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::doctor::{Histogram, Look, lists_loaders};

/// A collection of a large heap takes its time.
const PATIENCE: Duration = Duration::from_secs(300);

/// A JVM that is asked.
pub(super) struct Asked<'a>(&'a AttachTarget);

impl<'a> Asked<'a> {
    pub(super) fn new(target: &'a AttachTarget) -> Self {
        Asked(target)
    }

    /// Asks as `jcmd` does.
    pub(super) fn jvm(&self, command: &str) -> Result<String, Failure> {
        Ok(self.0.command("jcmd", &[command], PATIENCE)?)
    }

    pub(super) fn heap_in_use(&self) -> Option<u64> {
        self.0.heap_in_use(PATIENCE).ok().flatten()
    }

    /// Live objects and loaders. The histogram collects first, so loaders that nobody has are gone.
    pub(super) fn read_live_objects(&self) -> Result<Look, Failure> {
        let classes = Histogram::parse(&self.jvm("GC.class_histogram")?);
        if classes.is_empty() {
            return Err(Failure::input(format!(
                "process {}: its histogram of objects is not understood",
                self.0.pid()
            )));
        }
        Ok(Look { classes, loaders: lists_loaders(&self.jvm("VM.classloaders")?) })
    }
}
