//! Metaspace by class loader, by the JVM's own diagnostic command.

use std::time::Duration;

use weighbridge_ending::Failure;
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::metaspace::{self, Loaders};

const PATIENCE: Duration = Duration::from_secs(120);

/// What the loaders have now.
pub fn read_loaders(target: &AttachTarget) -> Result<Loaders, Failure> {
    let found = metaspace::loaders(&target.command("jcmd", &["VM.metaspace show-loaders scale=1"], PATIENCE)?);
    match found.is_empty() {
        true => Err(Failure::input(format!("process {}: it does not tell its loaders", target.pid()))),
        false => Ok(found),
    }
}
