//! A dump that a verb reads: a file, or that of a process.

use std::fs::File;
use std::path::{Path, PathBuf};

use weighbridge_heapdump::{Census, Dump, Error, Graph, Heap, Warning, Work};
use weighbridge_reporter::heap::{DumpedProcess, Facts};

use super::reading::{Reading, Soft};
use super::taken::Taken;
use crate::exit::{self, Failure};

/// A dump, and how it is read.
pub(crate) struct DumpSource<'r> {
    reading: &'r Reading,
    name: PathBuf,
    taken: Option<(File, DumpedProcess)>,
}

impl<'r> DumpSource<'r> {
    pub(super) fn of_file(reading: &'r Reading, dump: &Path) -> Self {
        DumpSource { reading, name: dump.to_owned(), taken: None }
    }

    pub(super) fn of_process(reading: &'r Reading, taken: Taken) -> Self {
        DumpSource { reading, name: taken.name, taken: Some((taken.file, taken.process)) }
    }

    /// What the dump is called in messages.
    pub(crate) fn name(&self) -> impl std::fmt::Display {
        self.name.display()
    }

    /// Reads the dump for its dominators. Like all of these, warns of what the dump lacks.
    pub(crate) fn open(&self) -> Result<(Heap, Graph, Facts), Failure> {
        self.open_for(Work::Dominators)
    }

    /// Reads the dump for some work.
    pub(crate) fn open_for(&self, work: Work) -> Result<(Heap, Graph, Facts), Failure> {
        self.open_with(work, Soft::Strong)
    }

    /// Reads the dump for some work. `soft` applies unless the user chose it.
    pub(crate) fn open_with(&self, work: Work, soft: Soft) -> Result<(Heap, Graph, Facts), Failure> {
        let options = self.reading.options(work, soft);
        let (heap, graph) = Heap::read(self.dump()?, &options)?;
        self.warn(heap.warnings());
        let facts = Facts::from_heap(&heap, &graph, options.modes);
        Ok((heap, graph, self.with_process(facts)))
    }

    /// Counts the dump's objects.
    pub(crate) fn census(&self) -> Result<(Census, Facts), Failure> {
        let census = Census::from_dump(self.dump()?, &self.reading.options(Work::Census, Soft::Strong))?;
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
            exit::warn(format!("{}: {warning}", self.name()));
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Input(error.into())
    }
}
