//! A file of chunks.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::chunk::Chunk;
use crate::error::{Error, JfrErrorKind};
use crate::header::Header;

/// A chunk is in memory as a whole. A JVM begins another one after 12 MiB, unless an option says otherwise (`maxchunksize`); a
/// file may claim any length and have it, without a byte on the disk.
const LONGEST_CHUNK: u64 = 2 << 30;

/// A recording: a file of chunks.
#[derive(Debug)]
pub struct Recording {
    name: PathBuf,
    file: File,
    length: u64,
}

impl Recording {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Recording::of_file(path, File::open(path).map_err(|error| Error::new(path, error))?)
    }

    /// A file that is open already, by the name that it has in messages.
    ///
    /// # Errors
    /// Its length cannot be asked for.
    pub fn of_file(name: &Path, file: File) -> Result<Self, Error> {
        let length = file.metadata().map_err(|error| Error::new(name, error))?.len();
        Ok(Recording { name: name.to_owned(), file, length })
    }

    /// Its chunks, in the order of the file, which is that of time.
    pub fn chunks(&mut self) -> Chunks<'_> {
        Chunks { recording: self, at: 0 }
    }

    /// The chunk at a byte, or `None` at the end.
    fn read(&mut self, at: u64) -> Result<Option<Chunk>, Error> {
        if at == self.length && at > 0 {
            return Ok(None);
        }
        let error = |name: &Path, kind: JfrErrorKind| Error::at_offset(name, at, kind);
        self.file.seek(SeekFrom::Start(at)).map_err(|io| error(&self.name, io.into()))?;
        let mut start = [0; Header::SIZE];
        match self.file.read_exact(&mut start) {
            Ok(()) => {}
            Err(io) if io.kind() == io::ErrorKind::UnexpectedEof => {
                let kind = if at == 0 { JfrErrorKind::NotARecording } else { JfrErrorKind::Cut(Header::SIZE as u64) };
                return Err(error(&self.name, kind));
            }
            Err(io) => return Err(error(&self.name, io.into())),
        }
        let header = Header::read(&start).map_err(|kind| error(&self.name, kind))?;
        if header.size > self.length - at {
            return Err(error(&self.name, JfrErrorKind::Cut(header.size)));
        }
        if header.size > LONGEST_CHUNK {
            return Err(error(
                &self.name,
                JfrErrorKind::Corrupt("the chunk is longer than 2 GiB, the most that is read"),
            ));
        }
        // Memory grows with what is there: the file may have become shorter since it was opened.
        let mut bytes = start.to_vec();
        let rest = header.size - Header::SIZE as u64;
        let read = (&self.file).take(rest).read_to_end(&mut bytes).map_err(|io| error(&self.name, io.into()))?;
        if (read as u64) < rest {
            return Err(error(&self.name, JfrErrorKind::Cut(header.size)));
        }
        Chunk::new(&self.name, at, header, bytes).map(Some)
    }
}

/// The chunks of a recording. Ends after an error.
#[derive(Debug)]
pub struct Chunks<'r> {
    recording: &'r mut Recording,
    at: u64,
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at > self.recording.length {
            return None;
        }
        let read = self.recording.read(self.at);
        self.at = match &read {
            Ok(Some(chunk)) => self.at + chunk.header().size,
            _ => u64::MAX,
        };
        read.transpose()
    }
}
