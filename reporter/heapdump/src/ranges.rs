//! Which addresses each part of a dump's file holds, so that few parts are read again for a few objects.

use crate::error::Error;
use crate::hprof::{Dump, Record};

/// The lowest and the highest address in each part of the file that has objects.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    parts: Vec<Range>,
    /// File offsets of the part that is being read.
    reading: (u64, u64),
}

/// The addresses of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) part: usize,
    pub(crate) lowest: u64,
    pub(crate) highest: u64,
}

impl Ranges {
    /// Adds an object by its address and the offset of its record. True if the record is the first of its part. Parts
    /// are read one after the other.
    #[inline]
    pub(crate) fn see(&mut self, dump: &Dump, offset: u64, address: u64) -> bool {
        let first = offset < self.reading.0 || offset >= self.reading.1;
        if first {
            let (part, bounds) = dump.part_at(offset);
            self.reading = bounds;
            self.parts.push(Range { part, lowest: address, highest: address });
        }
        if let Some(range) = self.parts.last_mut() {
            range.lowest = range.lowest.min(address);
            range.highest = range.highest.max(address);
        }
        first
    }

    /// Adds the parts of another reader, in the order of the file.
    pub(crate) fn join(&mut self, other: Ranges) {
        self.parts.extend(other.parts);
        self.parts.sort_unstable_by_key(|range| range.part);
    }

    /// All parts that have objects.
    pub(crate) fn parts(&self) -> &[Range] {
        &self.parts
    }

    /// Reads the records of some addresses again.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub(crate) fn reread(
        &self,
        dump: &Dump,
        mut wanted: Vec<u64>,
        mut visit: impl FnMut(u64, Record<'_, '_>),
    ) -> Result<(), Error> {
        wanted.sort_unstable();
        wanted.dedup();
        for range in &self.parts {
            let from = wanted.partition_point(|address| *address < range.lowest);
            if wanted.get(from).is_none_or(|address| *address > range.highest) {
                continue;
            }
            dump.walk_part(range.part, |_, record| {
                let Some(address) = record.address() else { return };
                if wanted.binary_search(&address).is_ok() {
                    visit(address, record);
                }
            })?;
        }
        Ok(())
    }
}
