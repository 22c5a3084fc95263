//! What runs of traces by probes have found (docs/traces.md).
//!
//! The figures are the agent's; here are their types, tables, and the forms in which other tools read coverage.

mod coverage;
mod folded;
mod forgotten;
mod memory_sheet;
mod run;
mod sheet;

use std::path::Path;

use weighbridge_recording::{Error, Line, Reader};

pub use folded::Folded;
pub use forgotten::Forgotten;
pub use run::Run;

impl Run {
    /// The runs that a recording has, up to its damage, if it has any.
    ///
    /// # Errors
    /// The file cannot be read, or is no recording.
    pub fn of_recording(file: &Path) -> Result<Vec<Run>, Error> {
        let lines = Reader::open(file)?.map_while(Result::ok);
        let run = |line| match line {
            Line::Traces(keys) => serde_json::from_value(serde_json::Value::Object(*keys)).ok(),
            _ => None,
        };
        Ok(lines.filter_map(run).collect())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}
