//! A dump's top-level records, and passes over its heap with several threads.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::header::{IdSize, header};
use super::inflate;
use super::records::Record;
use super::segment::{self, SegmentStop};
use super::symbols::{FrameRecord, StackFrame, Symbols};
use super::u32_at;
use super::window::{Buffer, Missing, NARROW, WIDE, Window, read_exact_at};
use crate::error::{DumpErrorKind, Error, Warning};

/// A heap segment with more bytes is divided at record boundaries, for several threads. JDK 11 writes a heap of less than
/// 2 GB as one segment.
const PART: u64 = 32 << 20;

/// An open heap dump: names in memory, the heap in the file.
#[derive(Debug)]
pub struct Dump {
    path: PathBuf,
    file: File,
    length: u64,
    ids: IdSize,
    /// Offset of the first record.
    first: u64,
    symbols: Symbols,
    /// Start and end offset of each part of the heap; a part has whole sub-records.
    parts: Vec<(u64, u64)>,
    warnings: Vec<Warning>,
}

impl Dump {
    /// Opens a dump, compressed or not, and reads everything outside its heap.
    ///
    /// A compressed dump is inflated first, to a temporary file of its full size that has no name.
    ///
    /// # Errors
    /// The file cannot be read, is no HPROF 1.0.1 to 1.0.3, or has a record that contradicts the format. If a file is
    /// only cut, the records before the cut are used ([`Dump::warnings`]).
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::of_file(path, File::open(path).map_err(|error| Error::new(path, error))?)
    }

    /// The same of a file that is open and may have no name: `path` names the dump in messages.
    ///
    /// # Errors
    /// Those of [`Dump::open`].
    pub fn of_file(path: &Path, mut file: File) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::new(path, error);
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        let mut warnings = Vec::new();
        if inflate::is_compressed(&mut file).map_err(failed)? {
            let (inflated, warning) = inflate::inflate(path, file).map_err(failed)?;
            file = inflated;
            warnings.extend(warning);
        }
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let (ids, first) = header(path, &file, length)?;
        let symbols = Symbols::default();
        let mut dump = Dump { path: path.to_owned(), file, length, ids, first, symbols, parts: Vec::new(), warnings };
        dump.scan(first)?;
        Ok(dump)
    }

    /// The file, as it was named: what [`Dump::of_file`] was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the dump, inflated.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Size of its object ids.
    pub fn ids(&self) -> IdSize {
        self.ids
    }

    /// What is missing in it.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The error that it has no objects. Names the record in which the dump is cut, if it is.
    pub(crate) fn empty(&self) -> Error {
        let cut = self.warnings.iter().find_map(|warning| match warning {
            Warning::Cut { offset, .. } => Some(*offset),
            _ => None,
        });
        let kind = DumpErrorKind::Empty(self.warnings.first().cloned());
        match cut {
            Some(offset) => Error::at_offset(&self.path, offset, kind),
            None => Error::new(&self.path, kind),
        }
    }

    /// The text of a string record, such as the name of a field. Costs one read of the file.
    pub fn text(&self, id: u64) -> Option<String> {
        self.symbols.text(&self.file, id)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Offset of the first record.
    pub(super) fn first_record(&self) -> u64 {
        self.first
    }

    /// Number of parts of the heap.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Ids of the texts that name classes and methods, their signatures and source files.
    pub(crate) fn names_in_use(&self) -> HashSet<u64> {
        let frames = self.symbols.frames.values().flat_map(|frame| [frame.method, frame.signature, frame.source]);
        self.symbols.class_names.values().copied().chain(frames).collect()
    }

    /// Number of string records.
    pub(crate) fn names(&self) -> usize {
        self.symbols.strings.len()
    }

    /// The frames of a stack trace, the top first.
    pub fn trace(&self, serial: u32) -> Vec<StackFrame> {
        self.symbols.trace(&self.file, serial)
    }

    /// The address of the class of each frame of a stack trace, the top first; `None` if the dump does not have it.
    pub(crate) fn classes_of_trace(&self, serial: u32) -> impl DoubleEndedIterator<Item = Option<u64>> + '_ {
        self.symbols.classes_of_trace(serial)
    }

    pub(crate) fn class_name(&self, address: u64) -> Option<String> {
        self.symbols.class_name(&self.file, address)
    }

    /// Visits every sub-record of the heap with its offset, with several threads. Gives each thread's state.
    ///
    /// A thread visits the records of a part of the file in their order, then takes the next part.
    ///
    /// # Errors
    /// The first record found that contradicts the format.
    pub fn fold<S: Send>(
        &self,
        threads: usize,
        start: impl Fn() -> S + Sync,
        visit: impl Fn(&mut S, u64, Record<'_, '_>) + Sync,
    ) -> Result<Vec<S>, Error> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let failure = Mutex::new(None);
        let work = || {
            let mut state = start();
            let mut window = Window::new(&self.file, WIDE);
            while !failed.load(Ordering::Relaxed) {
                let Some(part) = self.parts.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let mut visit = |offset, record: Record<'_, '_>| visit(&mut state, offset, record);
                if let Err((offset, stop)) = segment::walk(&mut window, self.ids, *part, &mut visit) {
                    failed.store(true, Ordering::Relaxed);
                    let error = self.stopped(offset, stop);
                    failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
                }
            }
            state
        };
        let states = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.clamp(1, self.parts.len().max(1))).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        match failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            Some(error) => Err(error),
            None => Ok(states),
        }
    }

    /// Visits the sub-records of one part of the heap.
    pub(crate) fn walk_part(&self, part: usize, mut visit: impl FnMut(u64, Record<'_, '_>)) -> Result<(), Error> {
        let mut window = Window::new(&self.file, WIDE);
        segment::walk(&mut window, self.ids, self.parts[part], &mut visit)
            .map_err(|(offset, stop)| self.stopped(offset, stop))
    }

    /// Visits the sub-record of the heap at an offset that a pass gave.
    pub(crate) fn record_at<R>(
        &self,
        buffer: &mut Buffer,
        offset: u64,
        visit: impl FnOnce(Record<'_, '_>) -> R,
    ) -> Result<R, Error> {
        let (_, (_, end)) = self.part_at(offset);
        let mut window = Window::resume(&self.file, NARROW, buffer, (offset, end));
        let visited = segment::one(&mut window, self.ids, visit);
        window.leave(buffer);
        visited.map_err(|stop| self.stopped(offset, stop))
    }

    /// Gives pieces of the file, spread evenly over it: all of a small file, 256 of 1 MiB of a large one.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn pieces(&self, mut visit: impl FnMut(&[u8])) -> Result<(), Error> {
        const PIECE: u64 = 1 << 20;
        let step = (self.length / 256).max(PIECE);
        let mut buffer = vec![0; PIECE as usize];
        let mut offset = 0;
        while offset < self.length {
            let bytes = PIECE.min(self.length - offset) as usize;
            read_exact_at(&self.file, &mut buffer[..bytes], offset)
                .map_err(|error| Error::at_offset(&self.path, offset, error))?;
            visit(&buffer[..bytes]);
            offset += step;
        }
        Ok(())
    }

    /// Bytes of a part of the heap.
    pub(crate) fn part_bytes(&self, part: usize) -> u64 {
        let (start, end) = self.parts[part];
        end - start
    }

    /// The part of the heap with a record, and its bounds.
    pub(crate) fn part_at(&self, offset: u64) -> (usize, (u64, u64)) {
        let part = self.parts.partition_point(|(start, _)| *start <= offset) - 1;
        (part, self.parts[part])
    }

    fn stopped(&self, offset: u64, stop: SegmentStop) -> Error {
        match stop {
            SegmentStop::Io(error) => Error::at_offset(&self.path, offset, error),
            SegmentStop::Corrupt(reason) => Error::at_offset(&self.path, offset, DumpErrorKind::Corrupt(reason)),
            SegmentStop::Cut => Error::at_offset(
                &self.path,
                offset,
                DumpErrorKind::Corrupt("it reaches beyond its heap segment".into()),
            ),
        }
    }

    /// Reads the top-level records from an offset.
    fn scan(&mut self, first: u64) -> Result<(), Error> {
        let file = self.file.try_clone().map_err(|error| Error::new(&self.path, error))?;
        let path = self.path.clone();
        let mut window = Window::new(&file, NARROW);
        window.move_to(first, self.length);
        let mut heap = Window::new(&file, WIDE);
        while window.remaining() > 0 {
            let offset = window.position();
            let missing = |missing| match missing {
                Missing::Cut => None,
                Missing::Io(error) => Some(Error::at_offset(&path, offset, error)),
            };
            let (tag, stated) = match window.take(9) {
                Ok(head) => (head[0], u64::from(u32_at(head, 5))),
                Err(reason) => match missing(reason) {
                    Some(error) => return Err(error),
                    None => {
                        self.cut(offset);
                        break;
                    }
                },
            };
            let body = offset + 9;
            if matches!(tag, 0x0C | 0x1C) {
                // The length is 0 or reaches past the end if the writer ended before it stated the length.
                let open = stated == 0 && tag == 0x0C;
                let end = if open { self.length } else { self.length.min(body + stated) };
                let cut = !open && body + stated > self.length;
                self.divide(&mut heap, (body, end), cut || open)?;
                if cut || open {
                    break;
                }
                window.move_to(end, self.length);
                continue;
            }
            if stated > window.remaining() {
                self.cut(offset);
                break;
            }
            if let Err(reason) = self.symbol(&mut window, tag, stated)
                && let Some(error) = missing(reason)
            {
                return Err(error);
            }
            window.move_to(body + stated, self.length);
        }
        Ok(())
    }

    fn cut(&mut self, offset: u64) {
        self.warnings.push(Warning::Cut { offset, length: self.length });
    }

    /// Adds the parts of a heap segment.
    fn divide(&mut self, window: &mut Window<'_>, (start, end): (u64, u64), may_be_cut: bool) -> Result<(), Error> {
        if end - start <= PART && !may_be_cut {
            if end > start {
                self.parts.push((start, end));
            }
            return Ok(());
        }
        let mut boundaries = vec![start];
        let walked = segment::walk(window, self.ids, (start, end), &mut |offset, _| {
            if offset - boundaries[boundaries.len() - 1] >= PART {
                boundaries.push(offset);
            }
        });
        match walked {
            // A segment without a length ends before HEAP_DUMP_END.
            Ok(()) => boundaries.push(end),
            Err((offset, SegmentStop::Cut)) if may_be_cut => {
                boundaries.push(offset);
                self.cut(offset);
            }
            Err((offset, stop)) => return Err(self.stopped(offset, stop)),
        }
        self.parts.extend(boundaries.windows(2).map(|pair| (pair[0], pair[1])).filter(|(start, end)| end > start));
        Ok(())
    }

    /// Stores a record outside the heap. One that is too short for its kind is skipped.
    fn symbol(&mut self, window: &mut Window<'_>, tag: u8, length: u64) -> Result<(), Missing> {
        let id = self.ids.bytes() as usize;
        let symbols = &mut self.symbols;
        let least = match tag {
            0x01 => id,
            0x02 => 8 + 2 * id,
            0x04 => 4 * id + 8,
            0x05 => 12,
            _ => return Ok(()),
        };
        if length < least as u64 {
            return Ok(());
        }
        let text = window.position() + id as u64;
        let bytes = window.take(least)?;
        let ids = self.ids;
        match tag {
            0x01 => {
                symbols.strings.insert(ids.read(bytes, 0), (text, (length - id as u64) as u32));
            }
            0x02 => {
                let address = ids.read(bytes, 4);
                symbols.class_serials.insert(u32_at(bytes, 0), address);
                symbols.class_names.insert(address, ids.read(bytes, 8 + id));
            }
            0x04 => {
                let frame = FrameRecord {
                    method: ids.read(bytes, id),
                    signature: ids.read(bytes, 2 * id),
                    source: ids.read(bytes, 3 * id),
                    class_serial: u32_at(bytes, 4 * id),
                    line: u32_at(bytes, 4 * id + 4).cast_signed(),
                };
                symbols.frames.insert(ids.read(bytes, 0), frame);
            }
            _ => {
                let (serial, frames) = (u32_at(bytes, 0), u64::from(u32_at(bytes, 8)));
                let held = ((length - 12) / id as u64).min(frames);
                let mut trace = Vec::new();
                for _ in 0..held {
                    trace.push(ids.read(window.take(id)?, 0));
                }
                symbols.traces.insert(serial, trace);
            }
        }
        Ok(())
    }
}
