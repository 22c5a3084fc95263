//! Reports on recordings of Java Flight Recorder, of any JVM.
//!
//! All figures are sums over the events that the recordings have. What a recording leaves out (events that were off, or shorter
//! than their threshold) is in no figure.

mod add;
mod figures;
mod sheet;

use std::fs::File;
use std::path::Path;

use weighbridge_jfr::{Error, Recording};

use add::Sums;
use figures::FlightRecording;
pub use figures::FlightReport;

impl FlightReport {
    /// Reads recordings. One that is damaged is used up to there.
    ///
    /// # Errors
    /// A file cannot be read at all.
    pub fn read(files: &[impl AsRef<Path>]) -> Result<Self, Error> {
        let mut sums = Sums::default();
        let mut recordings = Vec::new();
        for file in files {
            let file = file.as_ref();
            recordings.push(read(file, Recording::open(file)?, &mut sums)?);
        }
        Ok(sums.figures(recordings))
    }

    /// Reads a recording that is open already, by the name that it has in the report.
    ///
    /// # Errors
    /// It cannot be read at all.
    pub fn of_file(name: &Path, file: File) -> Result<Self, Error> {
        let mut sums = Sums::default();
        let source = read(name, Recording::of_file(name, file)?, &mut sums)?;
        Ok(sums.figures(vec![source]))
    }

    /// What is wrong with recordings that could not be read to their ends.
    pub fn damaged(&self) -> impl Iterator<Item = &str> {
        self.recordings.iter().filter_map(|recording| recording.damaged.as_deref())
    }
}

fn read(file: &Path, mut recording: Recording, sums: &mut Sums) -> Result<FlightRecording, Error> {
    let mut source =
        FlightRecording { file: file.display().to_string(), chunks: 0, start_ms: 0, duration_ms: 0, damaged: None };
    for chunk in recording.chunks() {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(error) if source.chunks == 0 => return Err(error),
            Err(error) => {
                source.damaged = Some(error.to_string());
                break;
            }
        };
        let header = chunk.header();
        if source.chunks == 0 {
            source.start_ms = header.start_ns / 1_000_000;
        }
        source.chunks += 1;
        let duration_ms = u64::try_from(header.duration_ns / 1_000_000).unwrap_or(0);
        source.duration_ms = source.duration_ms.saturating_add(duration_ms);
        if let Err(error) = sums.add(&chunk) {
            source.damaged = Some(error.to_string());
            break;
        }
    }
    Ok(source)
}
