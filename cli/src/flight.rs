//! `weighbridge report` of recordings of Java Flight Recorder.

use std::fs::File;
use std::path::{Path, PathBuf};

use weighbridge_check::foreign;
use weighbridge_ending::{Failure, messages};
use weighbridge_reporter::flight::FlightReport;

/// Whether a file begins as such a recording does.
pub(crate) fn is_recording(file: &Path) -> bool {
    File::open(file).is_ok_and(|file| foreign::start(file).starts_with(b"FLR\0"))
}

/// Reads recordings and warns of damaged ones.
pub(crate) fn figures(files: &[PathBuf]) -> Result<FlightReport, Failure> {
    if let Some(other) = files.iter().find(|file| !is_recording(file)) {
        let message =
            format!("{}: no recording of Java Flight Recorder, as others are; report them apart", other.display());
        return Err(Failure::input(message));
    }
    let figures = FlightReport::read(files).map_err(anyhow::Error::from)?;
    figures.damaged().for_each(|damage| messages::warn(format!("{damage}; the part before it is used")));
    Ok(figures)
}
