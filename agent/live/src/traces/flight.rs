//! Traces by the JVM's own Flight Recorder.

use std::path::Path;
use std::time::Duration;

use weighbridge_ending::Failure;
use weighbridge_ending::signals::{BeforeTheEnd, Signals};
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::flight::FlightReport;

use super::settings::{self, FlightEvents};
use super::waiting::wait;
use crate::private_folder::{InnerFolder, PrivateFolder, TRACE};

/// How long a JVM may take to begin, and to write what it has.
const PATIENCE: Duration = Duration::from_secs(120);
/// The JVM ends a trace by itself so long after we should have: we may be killed.
const BY_ITSELF: Duration = Duration::from_secs(60);
/// The most that the JVM keeps of a trace; the newest stays.
const MOST: &str = "256m";
const SETTINGS: &str = "trace.jfc";
const RECORDING: &str = "trace.jfr";
/// From this JDK on allocations are sampled; before, each new buffer of a thread is told.
const SAMPLES_ALLOCATIONS: u32 = 16;

/// What is recorded, and where.
pub struct Flight<'a> {
    /// The JVM.
    pub target: &'a AttachTarget,
    /// What is recorded.
    pub what: &'a [FlightEvents],
    /// How long.
    pub duration: Duration,
    /// Ends it early.
    pub signals: &'a Signals,
}

impl Flight<'_> {
    /// Traces; the recording stays in the file to keep, which may replace another.
    pub fn take(&self, keep: Option<(&Path, bool)>) -> Result<FlightReport, Failure> {
        let mut private = PrivateFolder::make(self.target)?;
        let name = format!("{TRACE}{}-{}", self.target.inner_pid(), std::process::id());
        let remove = private.removal_of_inner(&name);
        let folder = private.make_inner(&name)?;
        let taken = self.record(&folder).and_then(|()| {
            let file = folder.open(RECORDING, "the recording")?;
            if let Some(keep) = keep {
                folder.keep(RECORDING, &file, keep, &BeforeTheEnd::default())?;
            }
            let shown =
                keep.map_or_else(|| format!("process {}", self.target.pid()).into(), |(keep, _)| keep.to_owned());
            Ok(FlightReport::of_file(&shown, file).map_err(anyhow::Error::from)?)
        });
        remove();
        taken
    }

    /// Lets the JVM record into the folder.
    fn record(&self, folder: &InnerFolder<'_>) -> Result<(), Failure> {
        let pid = self.target.pid();
        folder.write(SETTINGS, settings::file(self.what, self.tells_of_buffers()?).as_bytes())?;
        let recording = format!("name=weighbridge-{} filename={}", std::process::id(), folder.inside(RECORDING));
        let at_last = self.duration + BY_ITSELF;
        self.run_jcmd(&format!(
            "JFR.start {recording} settings={} duration={}s maxsize={MOST}",
            folder.inside(SETTINGS),
            at_last.as_secs()
        ))?;
        wait(pid, self.duration, self.signals, || Ok(true))?;
        self.run_jcmd(&format!("JFR.stop {recording}")).map(drop)
    }

    /// Whether its JVM is too old for samples of allocations.
    fn tells_of_buffers(&self) -> Result<bool, Failure> {
        let answer = self.run_jcmd("VM.version")?;
        let version = answer.lines().find_map(|line| line.strip_prefix("JDK ")).unwrap_or("");
        let major: Option<u32> = version.split(['.', '+', '-']).next().and_then(|major| major.parse().ok());
        Ok(major.is_some_and(|major| major < SAMPLES_ALLOCATIONS))
    }

    /// Asks as `jcmd` does.
    fn run_jcmd(&self, command: &str) -> Result<String, Failure> {
        let answer = self.target.command("jcmd", &[command], PATIENCE)?;
        let refused = |line: &&str| {
            line.starts_with("Could not")
                || line.contains("Exception")
                || line.starts_with("Unknown diagnostic command")
        };
        match answer.lines().find(refused) {
            Some(words) => Err(Failure::input(format!("process {}: {words}", self.target.pid()))),
            None => Ok(answer),
        }
    }
}
