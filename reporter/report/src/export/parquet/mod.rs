//! Every snapshot of any number of recordings as Parquet, for engines that query fleets: DuckDB, Spark, Trino (docs/exports.md).
//!
//! Two tables, `classes` and `components`: a row for each class (or component) and snapshot, with the identity of its JVM.
//! They are partitioned by day as in Hive. Unlike the other exporters this one reads recordings: the aggregate has class
//! rows of the last snapshot only.
//! <https://parquet.apache.org/docs/file-format/>

mod columns;
mod part;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, BufRead, Write};

use weighbridge_recording::{Damage, Error, Line, Reader, Snapshot};

use crate::row::NO_COMPONENT;
use crate::{ClassFigures, ComponentFigures};
pub use columns::ParquetTable;
use columns::{ParquetCell, jvm_cells, row_cells, snapshot_cells};
use part::Part;
pub use part::recordings_in;
use weighbridge_table::units::civil;

/// Rows in memory, of all partitions together: at most a row group, about 50 MiB.
const ROWS_AT_ONCE: usize = 100_000;
/// Hive's name of the partition of rows whose key is not known.
const NO_DAY: &str = "__HIVE_DEFAULT_PARTITION__";

/// A file to write: the table and its partition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    /// The table.
    pub table: ParquetTable,
    /// Name of the partition's folder, `day=2026-11-21`; days are those of UTC.
    pub day: String,
}

/// Why the snapshots of a recording were not all added.
#[derive(Debug, thiserror::Error)]
pub enum CutShort {
    /// The recording is damaged.
    #[error("{0}")]
    Damaged(Damage),
    /// It cannot be read any further.
    #[error("{0}")]
    Refused(Error),
}

/// Writes rows to the files that `open` makes, one for each partition. The same recordings in the same order give the same
/// bytes. Memory: [`ROWS_AT_ONCE`] rows, and a few hundred KiB a partition.
pub struct Tables<W: Write + Send, O> {
    open: O,
    recordings: String,
    parts: BTreeMap<Partition, Part<W>>,
    waiting: usize,
}

impl<W: Write + Send, O: FnMut(&Partition) -> io::Result<W>> Tables<W, O> {
    /// Tables without rows, for these recordings, which [`recordings_in`] will name. `open` is called once a partition.
    pub fn new(recordings: &[String], open: O) -> Self {
        Tables { open, recordings: recordings.join("\n"), parts: BTreeMap::new(), waiting: 0 }
    }

    /// Adds the snapshots of a recording. Gives the reason if not all were added.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add<R: BufRead>(&mut self, mut reader: Reader<R>) -> io::Result<Option<CutShort>> {
        let mut jvm = Vec::new();
        let mut classes: BTreeMap<u64, [ParquetCell; 2]> = BTreeMap::new();
        for line in reader.by_ref() {
            let line = match line {
                Ok(line) => line,
                Err(error) => return Ok(Some(CutShort::Refused(error))),
            };
            match line {
                Line::Header(header) => {
                    jvm = jvm_cells(&header);
                    classes.clear();
                }
                Line::Class(class) => {
                    classes.insert(
                        class.id,
                        [
                            ParquetCell::text(&class.class),
                            ParquetCell::text(class.component.as_deref().unwrap_or(NO_COMPONENT)),
                        ],
                    );
                }
                Line::Snapshot(snapshot) => self.snapshot(&jvm, &classes, &snapshot)?,
                _ => {}
            }
        }
        Ok(reader.damage().cloned().map(CutShort::Damaged))
    }

    fn snapshot(
        &mut self,
        jvm: &[ParquetCell],
        classes: &BTreeMap<u64, [ParquetCell; 2]>,
        snapshot: &Snapshot,
    ) -> io::Result<()> {
        let day = day(snapshot.at_ms);
        let shared: Vec<ParquetCell> = jvm.iter().cloned().chain(snapshot_cells(snapshot)).collect();
        let part = self.part(ParquetTable::Classes, &day)?;
        for row in &snapshot.classes {
            let unknown = || [ParquetCell::text(&format!("(class {})", row.id)), ParquetCell::Unknown];
            let names = classes.get(&row.id).cloned().unwrap_or_else(unknown);
            part.push(shared.iter().cloned().chain(names).chain(row_cells::<ClassFigures>(row)));
        }
        let part = self.part(ParquetTable::Components, &day)?;
        for row in &snapshot.components {
            part.push(shared.iter().cloned().chain(row_cells::<ComponentFigures>(row)));
        }
        self.waiting += snapshot.classes.len() + snapshot.components.len();
        while self.waiting >= ROWS_AT_ONCE {
            self.flush_the_fullest()?;
        }
        Ok(())
    }

    /// Recordings of weeks have many partitions open, so the bound is on their sum.
    fn flush_the_fullest(&mut self) -> io::Result<()> {
        let fullest = self.parts.values_mut().max_by_key(|part| part.waiting());
        self.waiting = self.waiting.saturating_sub(fullest.map_or(Ok(usize::MAX), Part::flush)?);
        Ok(())
    }

    fn part(&mut self, table: ParquetTable, day: &str) -> io::Result<&mut Part<W>> {
        let partition = Partition { table, day: day.to_owned() };
        match self.parts.entry(partition) {
            Entry::Occupied(part) => Ok(part.into_mut()),
            Entry::Vacant(entry) => {
                let file = (self.open)(entry.key())?;
                Ok(entry.insert(Part::new(table, file, &self.recordings)?))
            }
        }
    }

    /// Completes all files. Gives the rows of each.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(self) -> io::Result<BTreeMap<Partition, u64>> {
        self.parts.into_iter().map(|(partition, part)| Ok((partition, part.finish()?))).collect()
    }
}

/// `day=2026-11-21`, in UTC.
fn day(at_ms: Option<u64>) -> String {
    let Some(at_ms) = at_ms else { return format!("day={NO_DAY}") };
    let (year, month, day) = civil(at_ms / 86_400_000);
    format!("day={year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_utc_and_unknown_ones_have_the_name_that_hive_gives_them() {
        assert_eq!(day(Some(0)), "day=1970-01-01");
        assert_eq!(day(Some(951_782_400_000)), "day=2000-02-29");
        assert_eq!(day(Some(1_795_219_199_999)), "day=2026-11-20");
        assert_eq!(day(Some(1_795_219_200_000)), "day=2026-11-21");
        assert_eq!(day(None), "day=__HIVE_DEFAULT_PARTITION__");
    }
}
