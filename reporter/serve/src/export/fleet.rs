//! The recordings and processes that have series. Each look reads on where the last one ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weighbridge_ending::{Failure, input, messages};
use weighbridge_live::recordings::{self, ProcessFile};
use weighbridge_recording::{FollowStep, Follower, ReadLimits};
use weighbridge_reporter::Aggregate;
use weighbridge_reporter::export::openmetrics::{Dialect, Labelled, write_each};

use super::newest::Newest;
use super::process::{self, FollowedProcess, Measured};

/// The recordings that are followed. Memory grows with the recordings that have series and with their classes, not with
/// snapshots.
pub struct Fleet {
    named: Vec<PathBuf>,
    /// Recordings that processes write, by the path in messages.
    written: BTreeMap<PathBuf, ProcessFile>,
    at_most: usize,
    limits: ReadLimits,
    followed: BTreeMap<PathBuf, Followed>,
    processes: BTreeMap<u32, FollowedProcess>,
    /// Files that were refused. Each is warned of once.
    refused: BTreeSet<PathBuf>,
    /// Whether the user was warned that some recordings have no series.
    warned_of_more: bool,
}

/// One recording and the newest JVM in it.
struct Followed {
    follower: Follower,
    newest: Newest,
    aggregate: Option<Aggregate>,
    warned_of_damage: bool,
}

impl Fleet {
    /// Follows files, the recordings in directories, and processes.
    pub fn new(named: &[PathBuf], at_most: usize, limits: ReadLimits) -> Result<Self, Failure> {
        let (mut files, mut written, mut processes) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for path in named {
            match recordings::parse_pid(path) {
                Some(pid) => match process::find(pid)? {
                    Measured::ByAgent(agent) => drop(processes.insert(pid, FollowedProcess::measured(&agent)?)),
                    Measured::IntoFile(file) => drop(written.insert(file.path().to_owned(), file)),
                },
                None if path.exists() => files.push(path.clone()),
                None => {
                    return Err(Failure::input(format!("{}: there is no such file or directory", path.display())));
                }
            }
        }
        Ok(Fleet {
            named: files,
            written,
            at_most,
            limits,
            followed: BTreeMap::new(),
            processes,
            refused: BTreeSet::new(),
            warned_of_more: false,
        })
    }

    /// Whether no recording has series.
    pub fn is_empty(&self) -> bool {
        self.aggregates().next().is_none()
    }

    /// Reads what was written since the last look; returns how many files are refused or damaged.
    pub fn refresh_figures(&mut self) -> usize {
        self.processes.values_mut().for_each(FollowedProcess::refresh_figures);
        let paths = self.newest_paths();
        self.followed.retain(|path, _| paths.contains(path));
        let mut incomplete = 0;
        for path in paths {
            let follower = || match self.written.get(&path) {
                Some(file) => file.follow(self.limits),
                None => recordings::follow_path(&path, self.limits),
            };
            let followed = self.followed.entry(path.clone()).or_insert_with(|| Followed::new(follower()));
            match followed.refresh_figures(&path) {
                Ok(whole) => incomplete += usize::from(!whole),
                Err(error) => {
                    incomplete += 1;
                    self.followed.remove(&path);
                    if self.refused.insert(path) {
                        messages::warn(format!("{error}; left out"));
                    }
                }
            }
        }
        incomplete
    }

    /// The recordings that were written to last.
    fn newest_paths(&mut self) -> BTreeSet<PathBuf> {
        let mut found: BTreeSet<(SystemTime, PathBuf)> = BTreeSet::new();
        for named in &self.named {
            let files = input::inside(named).unwrap_or_else(|_| vec![named.clone()]);
            found.extend(files.into_iter().filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path))));
        }
        found.extend(self.written.iter().filter_map(|(path, file)| Some((file.modified()?, path.clone()))));
        if found.len() > self.at_most && !self.warned_of_more {
            self.warned_of_more = true;
            messages::warn(format!(
                "{} recordings: only the {} written to last have series (--recordings-at-most)",
                found.len(),
                self.at_most
            ));
        }
        found.into_iter().rev().take(self.at_most).map(|(_, path)| path).collect()
    }

    /// The names of the recordings and processes, with the figures of their newest snapshots.
    pub(super) fn aggregates(&self) -> impl Iterator<Item = (String, &Aggregate)> {
        let files =
            self.followed.iter().filter_map(|(path, followed)| Some((self.name(path), followed.aggregate.as_ref()?)));
        let processes = self.processes.values();
        files.chain(processes.filter_map(|process| Some((process.title().to_owned(), process.aggregate.as_ref()?))))
    }

    /// All families of all recordings.
    pub fn page(&self, top: usize, dialect: Dialect) -> String {
        let aggregates: Vec<(String, String, &Aggregate)> = self
            .aggregates()
            .map(|(name, aggregate)| {
                let program = aggregate.jvms.first().and_then(|jvm| jvm.header.jvm.main.clone());
                (name, program.unwrap_or_default(), aggregate)
            })
            .collect();
        let labels: Vec<[(&str, &str); 2]> = aggregates
            .iter()
            .map(|(recording, program, _)| [("recording", recording.as_str()), ("program", program.as_str())])
            .collect();
        let all: Vec<Labelled> =
            aggregates.iter().zip(&labels).map(|((_, _, aggregate), labels)| Labelled { labels, aggregate }).collect();
        let mut page = Vec::new();
        // Writing to memory does not fail.
        let _ = write_each(&all, Some(top), env!("CARGO_PKG_VERSION"), dialect, &mut page);
        String::from_utf8(page).unwrap_or_default()
    }

    /// A file's name without folders, unless another one has the same.
    fn name(&self, path: &Path) -> String {
        let name = path.file_name();
        let same = self.followed.keys().filter(|other| other.file_name() == name).count();
        match name {
            Some(name) if same == 1 => name.to_string_lossy().into_owned(),
            _ => path.display().to_string(),
        }
    }
}

impl Followed {
    fn new(follower: Follower) -> Self {
        Followed { follower, newest: Newest::default(), aggregate: None, warned_of_damage: false }
    }

    /// Reads to the end of the file; false if it is damaged.
    fn refresh_figures(&mut self, path: &Path) -> Result<bool, weighbridge_recording::Error> {
        let mut changed = false;
        let whole = loop {
            let step = self.follower.step(&mut |line| {
                self.newest.line(line);
                changed = true;
            })?;
            match step {
                FollowStep::Lines => {}
                FollowStep::Restarted => (self.newest, changed) = (Newest::default(), true),
                FollowStep::End { .. } | FollowStep::Absent => break true,
                FollowStep::Damaged(damage) => {
                    if !std::mem::replace(&mut self.warned_of_damage, true) {
                        messages::warn(format!("{}: {damage}; the part before it is used", path.display()));
                    }
                    break false;
                }
            }
        };
        if changed {
            self.aggregate = self.newest.aggregate(&path.display().to_string());
        }
        Ok(whole)
    }
}
