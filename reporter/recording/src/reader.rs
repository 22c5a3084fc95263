//! From a file to typed lines.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::class_rows::{self, Detail};
use crate::error::{Damage, DamageKind, Error, RecordingErrorKind};
use crate::limits::ReadLimits;
use crate::line::{KindKey, Line};
use crate::member::{BUFFER, Inflated, Member, Members};
use crate::snapshot::Snapshot;
use crate::surrogates;

/// Reads a recording line by line: an iterator over [`Line`]s that ends at the end of the file or
/// at its first [`Damage`]. The first line is the header.
///
/// An item is an `Err` only when the file itself cannot be read, or when a recording of a newer
/// format follows inside it; the iterator then ends.
pub struct Reader<R> {
    pub(crate) members: Members<R>,
    pub(crate) limits: ReadLimits,
    pub(crate) cursor: FileCursor,
    pub(crate) header: Option<Line>,
    pub(crate) done: bool,
}

/// How far a reader has come in its file.
#[derive(Default)]
pub(crate) struct FileCursor {
    file: String,
    /// The current member.
    pub(crate) text: MemberText,
    /// Lines of the file before it.
    lines: u64,
    damage: Option<Damage>,
}

impl Reader<BufReader<File>> {
    /// Opens a file. Fails, naming it, if it cannot be read, is no recording, or is of a newer format.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Reader::open_with_limits(path, ReadLimits::default())
    }

    /// Like [`Reader::open`], with other limits.
    pub fn open_with_limits(path: &Path, limits: ReadLimits) -> Result<Self, Error> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| Error::new(&name, e))?;
        Reader::with_limits(&name, BufReader::with_capacity(BUFFER, file), limits)
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads from `input`; errors name it `file`.
    pub fn new(file: &str, input: R) -> Result<Self, Error> {
        Reader::with_limits(file, input, ReadLimits::default())
    }

    /// Like [`Reader::new`], with other limits.
    pub fn with_limits(file: &str, input: R, limits: ReadLimits) -> Result<Self, Error> {
        let mut reader = Reader {
            members: Members::new(input, limits, Inflated::default()),
            limits,
            cursor: FileCursor { file: file.to_owned(), ..FileCursor::default() },
            header: None,
            done: false,
        };
        reader.header = Some(reader.first()?);
        Ok(reader)
    }

    /// The file, as it was named to the reader.
    pub fn file(&self) -> &str {
        &self.cursor.file
    }

    /// Why the lines ended early. Known once the iterator has ended.
    pub fn damage(&self) -> Option<&Damage> {
        self.cursor.damage.as_ref()
    }

    fn first(&mut self) -> Result<Line, Error> {
        let kind = match self.line()? {
            Some(header @ Line::Header(_)) => return Ok(header),
            Some(_) => RecordingErrorKind::NotARecording("its first line is no header".to_owned()),
            None => match self.cursor.damage.take() {
                None => RecordingErrorKind::NotARecording("it is empty".to_owned()),
                Some(damage) => match damage.kind {
                    DamageKind::Foreign => RecordingErrorKind::NotARecording("it is not gzip".to_owned()),
                    DamageKind::BadLine { reason, .. } => {
                        RecordingErrorKind::NotARecording(format!("its first line is no header ({reason})"))
                    }
                    DamageKind::LineTooLong(_)
                    | DamageKind::MemberTooLong(_)
                    | DamageKind::RatioTooHigh(_)
                    | DamageKind::TooLong(_) => RecordingErrorKind::NotARecording(damage.to_string()),
                    _ => RecordingErrorKind::NoHeader(damage),
                },
            },
        };
        Err(Error::new(&self.cursor.file, kind))
    }

    /// The next line of the file; `None` at its end or at damage, which it records.
    fn line(&mut self) -> Result<Option<Line>, Error> {
        loop {
            match self.cursor.text.line(&self.limits, Detail::Whole) {
                Some(Ok(line)) => return Ok(Some(line)),
                Some(Err(stop)) => return self.cursor.stop(stop).map(|()| None),
                None => {}
            }
            if !self.cursor.enter(self.members.text())? {
                return Ok(None);
            }
        }
    }
}

impl FileCursor {
    /// Moves to what follows the current member; false at the end of the lines.
    pub(crate) fn enter(&mut self, next: io::Result<Next>) -> Result<bool, Error> {
        if self.text.cut {
            self.stop(MemberStop::Damage(DamageKind::Cut))?;
            return Ok(false);
        }
        self.lines += self.text.lines;
        match next.map_err(|e| Error::new(&self.file, e))? {
            Next::Text(text) => {
                self.text = text;
                Ok(true)
            }
            Next::End => Ok(false),
            Next::Damaged { start, kind } => {
                self.damage = Some(Damage { offset: start, member: start, kind });
                Ok(false)
            }
        }
    }

    /// Records why the lines end in the current member.
    pub(crate) fn stop(&mut self, stop: MemberStop) -> Result<(), Error> {
        let kind = match stop {
            MemberStop::Newer(found) => {
                return Err(Error::new(
                    &self.file,
                    RecordingErrorKind::NewerFormat { found, supported: crate::FORMAT },
                ));
            }
            MemberStop::Damage(DamageKind::BadLine { line, reason }) => {
                DamageKind::BadLine { line: self.lines + line, reason }
            }
            MemberStop::Damage(kind) => kind,
        };
        let MemberText { start, end, .. } = self.text;
        let offset = if kind == DamageKind::Cut { end } else { start };
        self.damage = Some(Damage { offset, member: start, kind });
        Ok(())
    }
}

/// What comes after a member.
pub(crate) enum Next {
    Text(MemberText),
    Damaged { start: u64, kind: DamageKind },
    End,
}

impl<R: BufRead> Members<R> {
    /// The next member, inflated.
    pub(crate) fn text(&mut self) -> io::Result<Next> {
        let cut = match self.next()? {
            Member::Whole => false,
            Member::Cut => true,
            Member::End => return Ok(Next::End),
            Member::Damaged(kind) => return Ok(Next::Damaged { start: self.start, kind }),
        };
        let (start, end) = (self.start, self.position());
        let bytes = std::mem::take(&mut self.text);
        Ok(Next::Text(MemberText { length: bytes.len() as u64, bytes, at: 0, cut, lines: 0, start, end }))
    }
}

/// The lines of one member.
#[derive(Default)]
pub(crate) struct MemberText {
    pub(crate) bytes: Vec<u8>,
    /// How many bytes there were.
    pub(crate) length: u64,
    /// Where the next line starts.
    at: usize,
    /// Whether the end of the file cuts the member. Text after its last `\n` is then no line.
    pub(crate) cut: bool,
    /// Lines so far, empty ones too.
    pub(crate) lines: u64,
    /// Offsets in the file of the member's first byte, and of the first byte after it.
    start: u64,
    pub(crate) end: u64,
}

/// Why the lines of a member end before its text. Lines are counted from the start of the member.
pub(crate) enum MemberStop {
    Newer(u64),
    Damage(DamageKind),
}

impl MemberText {
    /// Back to the first line.
    pub(crate) fn rewind(&mut self) {
        (self.at, self.lines) = (0, 0);
    }

    /// The next line; `None` at the end of the text.
    pub(crate) fn line(&mut self, limits: &ReadLimits, detail: Detail) -> Option<Result<Line, MemberStop>> {
        loop {
            let rest = &self.bytes[self.at..];
            let end = memchr::memchr(b'\n', rest);
            let text = match end {
                Some(end) => &rest[..end],
                None if !self.cut => rest,
                None => &[],
            };
            if text.len() > limits.line {
                return Some(Err(MemberStop::Damage(DamageKind::LineTooLong(limits.line))));
            }
            self.at += end.map_or(rest.len(), |end| end + 1);
            if end.is_some() || !text.is_empty() {
                self.lines += 1;
            }
            if !text.trim_ascii().is_empty() {
                return Some(parse(text, detail).map_err(|error| match error {
                    Parse::Newer(found) => MemberStop::Newer(found),
                    Parse::Bad(reason) => MemberStop::Damage(DamageKind::BadLine { line: self.lines, reason }),
                }));
            }
            end?;
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Line, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(header) = self.header.take() {
            return Some(Ok(header));
        }
        if self.done {
            return None;
        }
        let line = self.line().transpose();
        self.done = !matches!(line, Some(Ok(_)));
        line
    }
}

enum Parse {
    Newer(u64),
    Bad(String),
}

impl Line {
    /// Reads a line that came by another way than a file; errors name the way.
    pub fn read(way: &str, text: &str) -> Result<Line, Error> {
        parse(text.as_bytes(), Detail::Whole).map_err(|error| {
            let kind = match error {
                Parse::Newer(found) => RecordingErrorKind::NewerFormat { found, supported: crate::FORMAT },
                Parse::Bad(reason) => RecordingErrorKind::NotARecording(reason),
            };
            Error::new(way, kind)
        })
    }
}

/// The start of every line of the runtime. Other writers may put the key anywhere; then the line is read twice.
const KIND_FIRST: &[u8] = b"{\"kind\":\"";

/// The kind of a line that starts with its kind and has no escapes in it.
fn kind_in_front(text: &[u8]) -> Option<&str> {
    let rest = text.strip_prefix(KIND_FIRST)?;
    let end = memchr::memchr2(b'"', b'\\', rest).filter(|end| rest[*end] == b'"')?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// The key of a header that says whether the rest of the file can be understood.
#[derive(Deserialize)]
struct FormatKey {
    format: u64,
}

/// A line. Also reads the unpaired surrogates that old runtimes wrote.
fn parse(text: &[u8], detail: Detail) -> Result<Line, Parse> {
    match parse_json(text, detail) {
        Err(Parse::Bad(reason)) => match surrogates::as_text(text) {
            Some(mended) => parse_json(&mended, detail),
            None => Err(Parse::Bad(reason)),
        },
        parsed => parsed,
    }
}

fn parse_json(text: &[u8], detail: Detail) -> Result<Line, Parse> {
    let kind = match kind_in_front(text) {
        Some(kind) => Cow::Borrowed(kind),
        None => typed::<KindKey>(text)?.kind,
    };
    match &*kind {
        "header" => {
            // Checked before the rest: a newer header may have another shape.
            let FormatKey { format } = typed(text)?;
            if format > u64::from(crate::FORMAT) {
                return Err(Parse::Newer(format));
            }
        }
        "snapshot" => {
            if let Some(snapshot) = snapshot(text, detail) {
                return Ok(Line::Snapshot(Box::new(snapshot)));
            }
        }
        _ => {}
    }
    Line::of_kind(&kind, text).map_err(|error| Parse::Bad(error.to_string()))
}

fn typed<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, Parse> {
    serde_json::from_slice(text).map_err(|e| Parse::Bad(e.to_string()))
}

/// A `snapshot` line whose class rows are in the usual form.
pub(crate) fn snapshot(text: &[u8], detail: Detail) -> Option<Snapshot> {
    let (classes, line) = class_rows::of_line(text, detail)?;
    Some(Snapshot { classes, ..serde_json::from_slice(&line).ok()? })
}
