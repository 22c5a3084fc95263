//! The recordings and processes that the page shows, read as they grow.
//!
//! Memory grows with recordings, their classes and the points of their history, as in `report`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch::{Receiver, Sender};
use weighbridge_ending::{Failure, input};
use weighbridge_live::recordings::{self, RecordingSource};
use weighbridge_recording::ReadLimits;
use weighbridge_reporter::html;
use weighbridge_watch::Status;

use super::answer::Refusal;
use super::pace::locked;
use super::recording::{Growing, aggregate};

/// How long one look reads one recording before the others have their turn.
const PATIENCE: Duration = Duration::from_millis(200);
/// Recordings that are shown; of a directory with more, the first ones by name.
const MOST: usize = 200;

/// All that is shown.
pub(super) struct Sources {
    limits: ReadLimits,
    /// Directories that are looked through for new recordings.
    folders: Vec<PathBuf>,
    shown: Mutex<Vec<Arc<ConsoleSource>>>,
    /// A number that grows with each change.
    changes: Sender<u64>,
}

/// One recording, or process.
struct ConsoleSource {
    id: usize,
    title: String,
    pid: Option<u32>,
    /// The file, if it was named.
    path: Option<PathBuf>,
    reading: Mutex<Reading>,
    told: Mutex<Told>,
    /// The last report that was made, and of which change.
    page: Mutex<Option<(u64, Bytes)>>,
}

struct Reading {
    /// Where the lines come from, unless it cannot be read any more.
    source: Option<RecordingSource>,
    growing: Growing,
}

/// What the list says.
#[derive(Clone, PartialEq)]
struct Told {
    status: Status,
    program: Option<String>,
    /// How often it has changed.
    revision: u64,
}

impl Sources {
    pub(super) fn find(named: &[String], limits: ReadLimits) -> Result<Self, Failure> {
        let (changes, _) = tokio::sync::watch::channel(0);
        let mut sources = Sources { limits, folders: Vec::new(), shown: Mutex::default(), changes };
        for name in named {
            let path = Path::new(name);
            match path.is_dir() {
                true => sources.folders.push(path.to_owned()),
                false if recordings::parse_pid(path).is_none() && !input::is_recording(path) && !path.exists() => {
                    return Err(Failure::input(format!(
                        "{name}: there is no such process, file or directory (a recording to come is named *.wbr)"
                    )));
                }
                false => drop(sources.add(RecordingSource::find(name, None, limits)?, Some(path))),
            }
        }
        sources.look_into_folders();
        Ok(sources)
    }

    /// Shows what a process writes, or sends.
    pub(super) fn add_process(&self, pid: u32) -> Result<usize, Failure> {
        if let Some(shown) = locked(&self.shown).iter().find(|shown| shown.pid == Some(pid) && !shown.is_over()) {
            return Ok(shown.id);
        }
        Ok(self.add(RecordingSource::find(&pid.to_string(), None, self.limits)?, None))
    }

    /// Shows a recording that the console itself takes from a process.
    pub(super) fn add_attached(&self, pid: u32, file: &Path) -> Result<usize, Failure> {
        let source = RecordingSource::find(&file.to_string_lossy(), None, self.limits)?;
        Ok(self.push(source, &format!("process {pid}"), Some(pid), None))
    }

    fn add(&self, source: RecordingSource, path: Option<&Path>) -> usize {
        let (title, pid) = (source.title().to_owned(), source.process());
        self.push(source, &title, pid, path.map(Path::to_owned))
    }

    fn push(&self, source: RecordingSource, title: &str, pid: Option<u32>, path: Option<PathBuf>) -> usize {
        let mut all = locked(&self.shown);
        let status = Status::Waiting("not looked at yet".to_owned());
        let id = all.len();
        all.push(Arc::new(ConsoleSource {
            id,
            title: title.to_owned(),
            pid,
            path,
            reading: Mutex::new(Reading { source: Some(source), growing: Growing::new(title) }),
            told: Mutex::new(Told { status, program: None, revision: 0 }),
            page: Mutex::default(),
        }));
        drop(all);
        self.changed();
        id
    }

    fn look_into_folders(&self) {
        let known: BTreeSet<PathBuf> = locked(&self.shown).iter().filter_map(|shown| shown.path.clone()).collect();
        let inside = self.folders.iter().filter_map(|folder| input::inside(folder).ok()).flatten();
        let new: BTreeSet<PathBuf> = inside.filter(|path| !known.contains(path)).collect();
        for path in new.into_iter().take(MOST.saturating_sub(known.len())) {
            if let Ok(source) = RecordingSource::find(&path.to_string_lossy(), None, self.limits) {
                self.add(source, Some(&path));
            }
        }
    }

    /// Reads what is new, so often.
    pub(super) fn read_for_ever(&self, interval: Duration) {
        loop {
            self.look_into_folders();
            let all = locked(&self.shown).clone();
            let more = all.iter().fold(false, |more, shown| {
                let (changed, goes_on) = shown.read();
                if changed {
                    self.changed();
                }
                more || goes_on
            });
            if !more {
                thread::sleep(interval);
            }
        }
    }

    /// Reads no more. Copies of what agents sent are removed.
    pub(super) fn end(&self) {
        for shown in std::mem::take(&mut *locked(&self.shown)) {
            locked(&shown.reading).source = None;
        }
    }

    fn changed(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Tells of changes. Whoever is slow misses some, and gets the last.
    pub(super) fn changes(&self) -> Receiver<u64> {
        self.changes.subscribe()
    }

    /// The list.
    pub(super) fn in_json(&self) -> Value {
        locked(&self.shown).iter().map(|shown| shown.in_json()).collect()
    }

    /// The report of one of them, as its page's program reads it.
    pub(super) fn page(&self, id: usize) -> Result<Bytes, Refusal> {
        let shown = locked(&self.shown).get(id).cloned();
        shown.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "there is no such recording"))?.page()
    }
}

impl ConsoleSource {
    fn is_over(&self) -> bool {
        matches!(locked(&self.told).status, Status::Over(_))
    }

    /// Reads on. Whether something has changed, and whether there is more.
    fn read(&self) -> (bool, bool) {
        let mut reading = locked(&self.reading);
        let Reading { source, growing } = &mut *reading;
        let Some(reads) = source else { return (false, false) };
        let status = reads.read_into(growing, PATIENCE).unwrap_or_else(|failure| {
            *source = None;
            Status::Over(failure.sentence())
        });
        let more = matches!(status, Status::Reading(_));
        let mut told = locked(&self.told);
        let program = growing.program().map(str::to_owned);
        let revision = told.revision + u64::from(growing.take_changed());
        let now = Told { status, program, revision };
        let changed = *told != now;
        *told = now;
        (changed, more)
    }

    fn page(&self) -> Result<Bytes, Refusal> {
        // One report at a time, however many pages are open.
        let mut page = locked(&self.page);
        // Before the lines are read: what comes meanwhile is another change.
        let revision = locked(&self.told).revision;
        if let Some((of, bytes)) = &*page
            && *of == revision
        {
            return Ok(bytes.clone());
        }
        let folded = locked(&self.reading).growing.folded();
        let folded = folded.ok_or_else(|| Refusal::new(StatusCode::CONFLICT, "it has no figures yet"))?;
        let mut bytes = Vec::new();
        html::write_data(&aggregate(folded), &mut bytes)
            .map_err(|error| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        let bytes = Bytes::from(bytes);
        *page = Some((revision, bytes.clone()));
        Ok(bytes)
    }

    fn in_json(&self) -> Value {
        let Told { status, program, revision } = locked(&self.told).clone();
        let (state, text) = match status {
            Status::Waiting(why) => ("waiting", why),
            Status::Reading(percent) => ("reading", format!("{percent} % read")),
            Status::Following => ("live", "as it grows".to_owned()),
            Status::Unattended => ("unattended", "it is not known whether its JVM still runs".to_owned()),
            Status::Over(why) => ("over", why),
        };
        json!({
            "id": self.id, "title": self.title, "pid": self.pid, "program": program, "state": state, "text": text,
            "revision": revision,
        })
    }
}
