//! Lives in a temporary file, in sorted runs.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use crate::event::ObjectId;
use crate::life::{Life, Origin};

const WORDS: usize = 13;
const BYTES: usize = WORDS * 8;
/// `None`.
const ABSENT: u64 = u64::MAX;
/// Bytes of memory for reading all runs.
const READING: usize = 4 << 20;

/// A life whose `method_end` is not known yet: `call` says how to find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) life: Life,
    pub(crate) call: u64,
}

impl Record {
    fn bytes(&self) -> [u8; BYTES] {
        let life = &self.life;
        let words = [
            life.object.0,
            u64::from(life.class) << 32 | u64::from(life.site),
            life.bytes,
            life.length.map_or(ABSENT, u64::from),
            life.born,
            life.allocated,
            life.died.unwrap_or(ABSENT),
            life.died_allocated.unwrap_or(ABSENT),
            life.last_used,
            life.last_used_allocated,
            self.call,
            life.stored.into(),
            match life.origin {
                Origin::Made => 0,
                Origin::Met => 1,
                Origin::Existed => 2,
            },
        ];
        let mut bytes = [0; BYTES];
        bytes.chunks_exact_mut(8).zip(words).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    fn read(bytes: &[u8]) -> Self {
        let mut words = [0; WORDS];
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*chunk);
        }
        let present = |word: u64| Some(word).filter(|word| *word != ABSENT);
        let [object, class, bytes, length, born, allocated, died, died_allocated, used, used_allocated, ..] = words;
        let [.., call, stored, origin] = words;
        let life = Life {
            object: ObjectId(object),
            class: (class >> 32) as u32,
            site: class as u32,
            bytes,
            length: present(length).map(|length| length as u32),
            born,
            allocated,
            died: present(died),
            died_allocated: present(died_allocated),
            last_used: used,
            last_used_allocated: used_allocated,
            method_end: None,
            stored: stored as u32,
            origin: match origin {
                0 => Origin::Made,
                1 => Origin::Met,
                _ => Origin::Existed,
            },
        };
        Record { life, call }
    }
}

/// A temporary file with runs of records. It is deleted with this.
#[derive(Debug)]
pub(crate) struct Runs {
    file: BufWriter<NamedTempFile>,
    /// How many records each run has.
    runs: Vec<u64>,
}

impl Runs {
    pub(crate) fn new(folder: Option<&Path>) -> io::Result<Self> {
        let folder = folder.map_or_else(std::env::temp_dir, Path::to_owned);
        let file = NamedTempFile::with_prefix_in("weighbridge-replay-", folder)?;
        Ok(Runs { file: BufWriter::new(file), runs: Vec::new() })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.file.get_ref().path().to_owned()
    }

    /// Adds a sorted run.
    pub(crate) fn add(&mut self, records: impl Iterator<Item = Record>) -> io::Result<()> {
        let mut count = 0;
        for record in records {
            self.file.write_all(&record.bytes())?;
            count += 1;
        }
        self.runs.push(count);
        Ok(())
    }

    /// Writes what is still in memory.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// A reader of each run.
    pub(crate) fn read(&self) -> io::Result<Vec<Run>> {
        let records = (READING / BYTES / self.runs.len().max(1)).clamp(16, 4096);
        let file = Arc::new(self.file.get_ref().reopen()?);
        let mut first = 0;
        let run = |count: &u64| {
            let next = first;
            first += count;
            Run { file: file.clone(), next, end: first, records, buffer: Vec::new(), at: 0 }
        };
        Ok(self.runs.iter().map(run).collect())
    }
}

/// Reads a run.
#[derive(Debug)]
pub(crate) struct Run {
    file: Arc<File>,
    /// The record that is read next from the file, and the one after the last.
    next: u64,
    end: u64,
    /// So many records are read at once.
    records: usize,
    buffer: Vec<u8>,
    at: usize,
}

impl Run {
    fn fill(&mut self) -> io::Result<()> {
        let records = (self.end - self.next).min(self.records as u64);
        self.buffer.resize(records as usize * BYTES, 0);
        self.at = 0;
        let mut file: &File = &self.file;
        file.seek(SeekFrom::Start(self.next * BYTES as u64))?;
        file.read_exact(&mut self.buffer)?;
        self.next += records;
        Ok(())
    }
}

impl Iterator for Run {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.buffer.len() {
            if self.next >= self.end {
                return None;
            }
            if let Err(error) = self.fill() {
                self.next = self.end;
                self.buffer.clear();
                return Some(Err(error));
            }
        }
        let record = self.buffer.get(self.at..self.at + BYTES).map(Record::read)?;
        self.at += BYTES;
        Some(Ok(record))
    }
}
