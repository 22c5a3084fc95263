//! Objects that were removed from memory because they are dead.

use std::io;
use std::path::PathBuf;

use crate::error::ReplayErrorKind;
use crate::event::ObjectId;
use crate::objects::Objects;
use crate::reach::Reach;
use crate::runs::{Record, Runs};
use crate::stacks::Calls;

/// A value can lie on an operand stack for some events before one names it. So what died in the last part of the time since
/// the last collection stays, and at most this long.
const WAIT: u64 = 1 << 20;

/// The limit of memory, and the files with the lives of removed objects.
#[derive(Debug)]
pub(crate) struct Retired {
    limit: u64,
    folder: Option<PathBuf>,
    /// The event of the last collection.
    previous: u64,
    /// A bit for the numbers of removed objects. If there are more numbers than bits, some share one.
    seen: Vec<u64>,
    /// By birth and by death.
    pub(crate) files: Option<[Runs; 2]>,
}

impl Retired {
    pub(crate) fn new(limit: u64, folder: Option<PathBuf>) -> Self {
        Retired { limit, folder, previous: 0, seen: Vec::new(), files: None }
    }

    /// Whether an object has probably been removed. Exact with a limit from 4 GiB on, where all numbers have a bit.
    pub(crate) fn knows(&self, object: ObjectId) -> bool {
        let (word, bit) = self.bit(object);
        self.seen.get(word).is_some_and(|word| word & bit != 0)
    }

    fn bit(&self, object: ObjectId) -> (usize, u64) {
        let bit = object.0 % (self.seen.len().max(1) as u64 * 64);
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Half of the limit: while tables grow they need twice their size.
    fn most(&self) -> u64 {
        self.limit / 2
    }

    /// Whether dead objects must be removed.
    pub(crate) fn is_due(&self, bytes: u64) -> bool {
        bytes > self.most()
    }

    /// Removes the dead objects and writes their lives.
    pub(crate) fn retire(
        &mut self,
        objects: &mut Objects,
        calls: &mut Calls,
        reach: Reach,
        events: u64,
    ) -> Result<(), ReplayErrorKind> {
        for index in reach.live.iter().chain(&reach.dead) {
            let birth = &mut objects.birth[*index as usize];
            birth.call = calls.with_end(birth.call);
        }
        let mut wait = ((events - self.previous) / 8).min(WAIT);
        let mut rest = reach.dead;
        // A collection must make some room, or the next one is due at once.
        let enough = self.most() - self.most() / 8;
        for _ in 0..2 {
            let (dead, keep): (Vec<u32>, Vec<u32>) =
                rest.into_iter().partition(|index| objects.state[*index as usize].lost + wait <= events);
            self.write(objects, calls, &dead)?;
            objects.remove(&dead);
            (rest, wait) = (keep, wait / 8);
            if objects.bytes() <= enough {
                break;
            }
        }
        calls.forget();
        self.previous = events;
        let bytes = objects.bytes();
        if bytes > enough { Err(ReplayErrorKind::Memory(bytes.saturating_mul(16) / 7, self.limit)) } else { Ok(()) }
    }

    fn write(&mut self, objects: &Objects, calls: &Calls, dead: &[u32]) -> io::Result<()> {
        if self.seen.is_empty() {
            // Numbers have 31 bits: more are not needed.
            self.seen = vec![0; (self.limit / 128).clamp(64, 1 << 25) as usize];
        }
        let mut records: Vec<Record> = Vec::with_capacity(dead.len());
        for index in dead {
            let record = Record { life: objects.life(*index, calls), call: objects.birth[*index as usize].call };
            let (word, bit) = self.bit(record.life.object);
            self.seen[word] |= bit;
            records.push(record);
        }
        if self.files.is_none() {
            let folder = self.folder.as_deref();
            self.files = Some([Runs::new(folder)?, Runs::new(folder)?]);
        }
        let Some([births, deaths]) = &mut self.files else { return Ok(()) };
        records.sort_unstable_by_key(|record| record.life.by_birth());
        births.add(records.iter().copied())?;
        records.sort_unstable_by_key(|record| record.life.by_death());
        deaths.add(records.iter().copied())
    }
}
