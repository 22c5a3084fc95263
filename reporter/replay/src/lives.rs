//! All lives that a replay found, in memory and in files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use crate::error::Error;
use crate::life::Life;
use crate::numbers::Numbers;
use crate::objects::{NEVER, Objects};
use crate::reach::Reach;
use crate::runs::Runs;
use crate::slots::Memory;
use crate::stacks::Calls;

/// The lives of all objects.
#[derive(Debug)]
pub(crate) struct Lives {
    objects: Objects,
    calls: Calls,
    /// The objects in memory, by birth, and those of them that died, by death.
    births: Vec<u32>,
    deaths: Vec<u32>,
    /// The others, by birth and by death.
    files: Option<[Runs; 2]>,
}

impl Default for Lives {
    fn default() -> Self {
        Lives { objects: Objects::new(), calls: Calls::default(), births: Vec::new(), deaths: Vec::new(), files: None }
    }
}

type Source<'a> = Box<dyn Iterator<Item = Result<Life, Error>> + 'a>;
type Order = (u64, u64, u64);

impl Lives {
    pub(crate) fn new(
        mut objects: Objects,
        calls: Calls,
        reach: Reach,
        mut files: Option<[Runs; 2]>,
    ) -> io::Result<Self> {
        objects.numbers = Numbers::new(0);
        objects.memory = Memory::default();
        for index in reach.live {
            objects.state[index as usize].lost = NEVER;
        }
        let mut births: Vec<u32> = objects.indices().collect();
        // These are nearly in order: a stable sort is quick then.
        births.sort_by_key(|index| {
            let birth = &objects.birth[*index as usize];
            (birth.born, birth.object)
        });
        let mut deaths = reach.dead;
        deaths.reverse();
        deaths.sort_by_key(|index| {
            let birth = &objects.birth[*index as usize];
            (objects.state[*index as usize].lost, birth.born, birth.object)
        });
        for file in files.iter_mut().flatten() {
            file.flush()?;
        }
        Ok(Lives { objects, calls, births, deaths, files })
    }

    pub(crate) fn births(&self) -> Result<Merged<'_>, Error> {
        self.merged(&self.births, 0, Life::by_birth)
    }

    pub(crate) fn deaths(&self) -> Result<Merged<'_>, Error> {
        self.merged(&self.deaths, 1, Life::by_death)
    }

    fn merged<'a>(&'a self, memory: &'a [u32], file: usize, order: fn(&Life) -> Order) -> Result<Merged<'a>, Error> {
        let mut sources: Vec<Source<'a>> = Vec::new();
        sources.push(Box::new(memory.iter().map(|index| Ok(self.objects.life(*index, &self.calls)))));
        if let Some(runs) = self.files.as_ref().and_then(|files| files.get(file)) {
            let name = runs.path().display().to_string();
            for run in runs.read().map_err(|error| Error::new(&name, error))? {
                let name = name.clone();
                sources.push(Box::new(run.map(move |record| {
                    let record = record.map_err(|error| Error::new(&name, error))?;
                    Ok(Life { method_end: self.calls.end_of(record.call), ..record.life })
                })));
            }
        }
        let mut merged = Merged { sources, heads: BinaryHeap::new(), next: Vec::new(), order };
        for source in 0..merged.sources.len() {
            merged.next.push(None);
            merged.pull(source)?;
        }
        Ok(merged)
    }
}

/// Lives from several sorted sources, in order.
pub(crate) struct Merged<'a> {
    sources: Vec<Source<'a>>,
    heads: BinaryHeap<Reverse<(Order, usize)>>,
    /// The next life of each source.
    next: Vec<Option<Life>>,
    order: fn(&Life) -> Order,
}

impl Merged<'_> {
    fn pull(&mut self, source: usize) -> Result<(), Error> {
        if let Some(life) = self.sources[source].next().transpose()? {
            self.heads.push(Reverse(((self.order)(&life), source)));
            self.next[source] = Some(life);
        }
        Ok(())
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<Life, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((_, source)) = self.heads.pop()?;
        let life = self.next[source].take()?;
        match self.pull(source) {
            Ok(()) => Some(Ok(life)),
            Err(error) => {
                self.heads.clear();
                Some(Err(error))
            }
        }
    }
}
