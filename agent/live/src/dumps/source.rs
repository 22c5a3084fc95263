//! A dump that is read: a file, or that of a process.

use std::fs::File;
use std::path::{Path, PathBuf};

use weighbridge_ending::{Failure, messages};
use weighbridge_heapdump::{Census, Dump, FollowSoft, Graph, Heap, Warning, Work};
use weighbridge_reporter::heap::{DumpedProcess, Facts};

use super::reading::DumpReading;
use super::taken::Taken;

/// A dump, and how it is read.
pub struct DumpSource {
    reading: DumpReading,
    name: PathBuf,
    taken: Option<(File, DumpedProcess)>,
}

impl DumpSource {
    /// A file.
    pub fn of_file(reading: DumpReading, dump: &Path) -> Self {
        DumpSource { reading, name: dump.to_owned(), taken: None }
    }

    /// What a process has written.
    pub fn of_process(reading: DumpReading, taken: Taken) -> Self {
        DumpSource { reading, name: taken.name, taken: Some((taken.file, taken.process)) }
    }

    /// What the dump is called in messages.
    pub fn name(&self) -> impl std::fmt::Display {
        self.name.display()
    }

    /// Reads the dump for its dominators. Like all of these, warns of what the dump lacks.
    pub fn open(&self) -> Result<(Heap, Graph, Facts), Failure> {
        self.open_for(Work::Dominators)
    }

    /// Reads the dump for some work.
    pub fn open_for(&self, work: Work) -> Result<(Heap, Graph, Facts), Failure> {
        self.open_with(work, FollowSoft::Strong)
    }

    /// Reads the dump for some work. `soft` applies unless somebody chose it.
    pub fn open_with(&self, work: Work, soft: FollowSoft) -> Result<(Heap, Graph, Facts), Failure> {
        let options = self.reading.options(work, soft);
        let (heap, graph) = Heap::read(self.dump()?, &options)?;
        self.warn(heap.warnings());
        let facts = Facts::from_heap(&heap, &graph, options.modes);
        Ok((heap, graph, self.with_process(facts)))
    }

    /// Counts the dump's objects.
    pub fn census(&self) -> Result<(Census, Facts), Failure> {
        let census = Census::from_dump(self.dump()?, &self.reading.options(Work::Census, FollowSoft::Strong))?;
        self.warn(census.warnings());
        let facts = Facts::of_census(&census);
        Ok((census, self.with_process(facts)))
    }

    fn dump(&self) -> Result<Dump, Failure> {
        Ok(match &self.taken {
            Some((file, _)) => Dump::of_file(&self.name, file.try_clone().map_err(anyhow::Error::from)?)?,
            None => Dump::open(&self.name)?,
        })
    }

    fn with_process(&self, facts: Facts) -> Facts {
        Facts { process: self.taken.as_ref().map(|(_, process)| process.clone()), ..facts }
    }

    fn warn(&self, warnings: &[Warning]) {
        for warning in warnings {
            messages::warn(format!("{}: {warning}", self.name()));
        }
    }
}
