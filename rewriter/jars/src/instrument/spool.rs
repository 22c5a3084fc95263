//! Keeps inflated nested archives, so that each is inflated once in a run.
//!
//! Both passes read every archive several times. A stored archive can be read in its file. A deflated one would have to be
//! inflated each time, with every archive around it.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use super::tree::InputTree;
use crate::error::Result;
use crate::jar::{ArchiveEntry, ByteSource, InflateBudget, temporary};

/// Archives above this size are inflated into the file block by block.
const LARGE: u64 = 4 << 20;

/// Where the inflated archives of a run are.
#[derive(Debug)]
pub(super) struct Spool(Mutex<SpoolState>);

#[derive(Debug)]
struct SpoolState {
    memory_left: u64,
    file: Option<Spilled>,
}

/// One file for all archives, so that one handle suffices.
#[derive(Debug)]
struct Spilled {
    file: File,
    whole: ByteSource,
    length: u64,
}

impl Spool {
    /// Keeps at most this many bytes in memory; the rest goes to a temporary file without a name.
    pub(super) fn new(memory: u64) -> Self {
        Spool(Mutex::new(SpoolState { memory_left: memory, file: None }))
    }

    /// An archive in an archive; it can be read until the end of the run.
    ///
    /// # Errors
    /// As [`Tree::nested`]; [`crate::ErrorKind::Io`] if the temporary file cannot be written.
    pub(super) fn nested(&self, tree: &InputTree, entry: usize, budget: &InflateBudget) -> Result<ByteSource> {
        match tree {
            InputTree::Archive(archive) if is_large(&archive.entry(entry)) => {
                self.spill(|out| archive.inflate_into(entry, budget, out))
            }
            _ => self.keep(tree.nested(entry, budget)?),
        }
    }

    fn keep(&self, source: ByteSource) -> Result<ByteSource> {
        let Some(bytes) = source.own_memory() else { return Ok(source) };
        {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(left) = state.memory_left.checked_sub(bytes.len() as u64) {
                state.memory_left = left;
                return Ok(source);
            }
        }
        self.spill(|out| out.write_all(bytes).map_err(temporary::unwritable))
    }

    /// Appends to the file; returns the written part.
    fn spill(&self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<ByteSource> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let spilled = match &mut state.file {
            Some(spilled) => spilled,
            none => {
                let file = temporary::file()?;
                let whole = ByteSource::growing(file.try_clone().map_err(temporary::unwritable)?)?;
                none.insert(Spilled { file, whole, length: 0 })
            }
        };
        // A failed write may have left bytes after the end.
        let start = spilled.length;
        spilled.file.seek(SeekFrom::Start(start)).map_err(temporary::unwritable)?;
        write(&mut spilled.file)?;
        spilled.length = spilled.file.stream_position().map_err(temporary::unwritable)?;
        spilled.whole.window(start..spilled.length)
    }
}

fn is_large(entry: &ArchiveEntry) -> bool {
    !entry.is_stored() && entry.uncompressed_size() > LARGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_that_does_not_fit_into_memory_is_read_from_the_file() {
        let spool = Spool::new(4);
        let kept = [b"abc".to_vec(), b"defg".to_vec(), b"h".to_vec(), b"ijk".to_vec()]
            .map(|bytes| spool.keep(ByteSource::memory(bytes)).unwrap());
        assert_eq!(kept.each_ref().map(|source| source.own_memory().is_some()), [true, false, true, false]);
        let read = kept.map(|source| source.read(0..source.len()).unwrap());
        assert_eq!(read, [b"abc".to_vec(), b"defg".to_vec(), b"h".to_vec(), b"ijk".to_vec()]);
    }
}
