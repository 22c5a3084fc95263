//! A trace file: its names, and where its blocks of events are.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::block::{BlockKind, HEAD, Head, MAGIC};
use crate::content::Content;
use crate::decode::head;
use crate::error::{Error, ReplayErrorKind};
use crate::lines;
use crate::names::Names;

/// A trace whose names are in memory, and whose events are still in the file.
#[derive(Debug)]
pub struct Trace {
    file: String,
    source: TraceSource,
    names: Names,
    blocks: Vec<Located>,
    threads: Vec<u64>,
    incomplete: Option<String>,
}

#[derive(Debug)]
enum TraceSource {
    File(PathBuf),
    Bytes(Arc<[u8]>),
}

/// A block of events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located {
    /// Where its content begins in the file.
    content: u64,
    head: Head,
    /// The index of its thread among [`Trace::threads`].
    pub(crate) thread: u32,
    /// The clock at its first event.
    pub(crate) clock: u64,
}

impl Located {
    /// Where it begins in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.content - HEAD as u64
    }
}

/// Why the reading of blocks ends.
enum BlockStop {
    /// The rest is damaged or missing.
    Damaged(String),
    Error(Error),
}

impl From<Error> for BlockStop {
    fn from(error: Error) -> Self {
        BlockStop::Error(error)
    }
}

pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

impl TraceSource {
    fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        Ok(match self {
            TraceSource::File(path) => Box::new(BufReader::new(File::open(path)?)),
            TraceSource::Bytes(bytes) => Box::new(Cursor::new(bytes.clone())),
        })
    }
}

impl Trace {
    /// Opens a file: reads it once, checks all blocks and takes in the names.
    ///
    /// # Errors
    /// The file cannot be read, is something else, or a sound block has a content that contradicts the format. A file
    /// that was cut short, or whose rest is damaged, is none: see [`Trace::incomplete`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Trace::read(path.display().to_string(), TraceSource::File(path.to_owned()))
    }

    /// Whether a file ends as a trace does that was written to its end. Reads the last bytes only.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn has_end(path: &Path) -> io::Result<bool> {
        // The last block is empty: its head, and a few bytes of deflate for nothing.
        const LONGEST_END: u64 = 64;
        let mut file = File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(LONGEST_END)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes.windows(HEAD).enumerate().any(|(at, head)| {
            let head = <[u8; HEAD]>::try_from(head).ok().and_then(|head| Head::read(head).ok());
            head.is_some_and(|head| {
                matches!(head.kind, BlockKind::End) && at + HEAD + head.packed as usize == bytes.len()
            })
        }))
    }

    /// As [`Trace::open`], for a file in memory.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn of_bytes(bytes: impl Into<Arc<[u8]>>) -> Result<Self, Error> {
        Trace::read("trace in memory".to_owned(), TraceSource::Bytes(bytes.into()))
    }

    fn read(file: String, source: TraceSource) -> Result<Self, Error> {
        let io = |error: io::Error| Error::new(&file, error);
        let mut reader = source.open().map_err(io)?;
        let length = reader.seek(SeekFrom::End(0)).map_err(io)?;
        reader.seek(SeekFrom::Start(0)).map_err(io)?;
        let mut magic = [0; MAGIC.len()];
        if length < magic.len() as u64 {
            return Err(Error::new(&file, ReplayErrorKind::NotATrace));
        }
        reader.read_exact(&mut magic).map_err(io)?;
        if magic != *MAGIC {
            return Err(Error::new(&file, ReplayErrorKind::NotATrace));
        }
        let mut trace =
            Trace { file, source, names: Names::default(), blocks: Vec::new(), threads: Vec::new(), incomplete: None };
        let mut threads = Vec::new();
        match trace.blocks(&mut reader, length, &mut threads) {
            Ok(()) => {}
            Err(BlockStop::Damaged(reason)) => trace.incomplete = Some(reason),
            Err(BlockStop::Error(error)) => return Err(error),
        }
        trace.number_threads(threads);
        trace.names.marks.sort_by_key(|mark| mark.clock);
        Ok(trace)
    }

    /// Reads all blocks. `threads` gets the thread of each block of events.
    fn blocks(&mut self, reader: &mut dyn Read, length: u64, threads: &mut Vec<u64>) -> Result<(), BlockStop> {
        let mut offset = MAGIC.len() as u64;
        let mut packed = Vec::new();
        while offset < length {
            let left = length - offset;
            let damaged = |reason: String| BlockStop::Damaged(format!("block at byte {offset}: {reason}"));
            if left < HEAD as u64 {
                return Err(damaged("the file ends inside of its head".to_owned()));
            }
            let mut head = [0; HEAD];
            reader.read_exact(&mut head).map_err(|error| Error::new(&self.file, error))?;
            let head = Head::read(head).map_err(damaged)?;
            if left - (HEAD as u64) < head.packed.into() {
                return Err(damaged("the file ends inside of it".to_owned()));
            }
            packed.resize(head.packed as usize, 0);
            reader.read_exact(&mut packed).map_err(|error| Error::new(&self.file, error))?;
            head.check(&packed).map_err(damaged)?;
            match head.kind {
                BlockKind::Names => {
                    let content = head.inflate(&packed).map_err(damaged)?;
                    self.take_names(offset, &content)?;
                }
                BlockKind::Events => {
                    let (thread, clock) = self.beginning(offset, &packed)?;
                    threads.push(thread);
                    self.blocks.push(Located { content: offset + HEAD as u64, head, thread: 0, clock });
                }
                BlockKind::End => {
                    let after = left - HEAD as u64 - u64::from(head.packed);
                    if after > 0 {
                        return Err(damaged(format!("the trace ends here, and {after} bytes follow")));
                    }
                    return Ok(());
                }
            }
            offset += HEAD as u64 + u64::from(head.packed);
        }
        Err(BlockStop::Damaged(format!("the file ends at byte {length} without a block that says so")))
    }

    fn beginning(&self, offset: u64, packed: &[u8]) -> Result<(u64, u64), Error> {
        let corrupt = |reason| Error::in_block(&self.file, offset, ReplayErrorKind::Corrupt(reason));
        let mut content = Content::new(Head::beginning(packed).map_err(corrupt)?);
        head(&mut content).map_err(|wrong| Error::inside(&self.file, offset, wrong.at as u64, wrong.reason.to_owned()))
    }

    fn take_names(&mut self, offset: u64, content: &[u8]) -> Result<(), Error> {
        let mut at = 0;
        for line in content.split(|byte| *byte == b'\n') {
            if !line.is_empty() {
                let inside = |reason| Error::inside(&self.file, offset, at, reason);
                lines::take(&mut self.names, line).map_err(inside)?;
            }
            at += line.len() as u64 + 1;
        }
        Ok(())
    }

    /// Gives each thread its index, in the order of their numbers.
    fn number_threads(&mut self, of_blocks: Vec<u64>) {
        let mut threads = of_blocks.clone();
        threads.sort_unstable();
        threads.dedup();
        for (block, thread) in self.blocks.iter_mut().zip(of_blocks) {
            block.thread = threads.partition_point(|known| *known < thread) as u32;
        }
        self.threads = threads;
    }

    /// The file, as errors name it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What the numbers stand for.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Why the trace lacks its end: it was cut short, or its rest is damaged. What comes before is sound.
    pub fn incomplete(&self) -> Option<&str> {
        self.incomplete.as_deref()
    }

    /// The numbers of the threads that have events.
    pub fn threads(&self) -> &[u64] {
        &self.threads
    }

    pub(crate) fn located(&self) -> &[Located] {
        &self.blocks
    }

    pub(crate) fn reader(&self) -> Result<Box<dyn ReadSeek>, Error> {
        self.source.open().map_err(|error| Error::new(&self.file, error))
    }

    /// The content of a block.
    pub(crate) fn content(&self, reader: &mut dyn ReadSeek, block: &Located) -> Result<Vec<u8>, Error> {
        let io = |error: io::Error| Error::in_block(&self.file, block.offset(), error);
        let corrupt = |reason| Error::in_block(&self.file, block.offset(), ReplayErrorKind::Corrupt(reason));
        let mut packed = vec![0; block.head.packed as usize];
        reader.seek(SeekFrom::Start(block.content)).map_err(io)?;
        reader.read_exact(&mut packed).map_err(io)?;
        block.head.check(&packed).map_err(corrupt)?;
        block.head.inflate(&packed).map_err(corrupt)
    }
}
