//! A long recording, read by several threads in three stages: inflate a batch of members, parse the batch before it,
//! deliver the lines of the batch before that in their order.

use std::io::{self, BufRead};

use rayon::prelude::*;

use crate::class_rows::Detail;
use crate::error::Error;
use crate::limits::ReadLimits;
use crate::line::Line;
use crate::member::Members;
use crate::reader::{FileCursor, MemberStop, MemberText, Next, Reader};

/// Inflated bytes of a batch: enough that passing it to another thread costs little compared with reading it.
const BATCH: usize = 2 << 20;

/// What comes next in the file, with its lines if it is a member.
pub(crate) struct Parsed {
    pub(crate) next: io::Result<Next>,
    pub(crate) lines: Vec<Line>,
    pub(crate) stop: Option<MemberStop>,
}

impl<R: BufRead + Send> Reader<R> {
    /// Passes to `take` the lines that iterating would give, in their order, on any thread of rayon's pool. Afterwards
    /// [`Reader::damage`] is the same as after iterating. Memory: three batches of 2 MiB of text, or three members.
    ///
    /// The last snapshot of each JVM is whole. In those before it the classes' `ages`, `full_ages` and `holders` may be
    /// `None`: reports use those of the last one only, and each would be an allocation of its own.
    ///
    /// # Errors
    /// The error with which iterating would end.
    pub fn read_ahead(&mut self, mut take: impl FnMut(Line) + Send) -> Result<(), Error> {
        self.header.take().into_iter().for_each(&mut take);
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        let Reader { members, cursor, limits, .. } = self;
        while let Some(line) = cursor.text.line(limits, Detail::Whole) {
            match line {
                Ok(line) => take(line),
                Err(stop) => return cursor.stop(stop),
            }
        }
        let (mut inflated, mut parsed) = (inflate(members), Vec::new());
        loop {
            let more = matches!(inflated.last(), Some(Ok(Next::Text(_))));
            let (inflating, (parsing, going_on)) = rayon::join(
                || if more { inflate(members) } else { Vec::new() },
                || rayon::join(|| parse(inflated, limits), || deliver(parsed, cursor, &mut take)),
            );
            if !going_on? {
                return Ok(());
            }
            (inflated, parsed) = (inflating, parsing);
        }
    }
}

/// The members of a batch. Whatever is not a whole member ends it.
pub(crate) fn inflate<R: BufRead>(members: &mut Members<R>) -> Vec<io::Result<Next>> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while bytes < BATCH {
        let next = members.text();
        let Ok(Next::Text(text)) = &next else {
            batch.push(next);
            break;
        };
        bytes += text.bytes.len();
        // Nothing after a cut can be read, though the file may have grown since.
        let cut = text.cut;
        batch.push(next);
        if cut {
            break;
        }
    }
    batch
}

/// Parses the members of a batch: in outline if another snapshot of the same JVM follows.
pub(crate) fn parse(mut batch: Vec<io::Result<Next>>, limits: &ReadLimits) -> Vec<Parsed> {
    let goes_on = |next: &io::Result<Next>| matches!(next, Ok(Next::Text(text)) if text.bytes.starts_with(SNAPSHOT));
    let is_whole = |next: &io::Result<Next>| matches!(next, Ok(Next::Text(text)) if ends_rounds(&text.bytes));
    let details: Vec<Detail> = (0..batch.len())
        .map(|at| match batch.get(at + 1).is_some_and(goes_on) && !is_whole(&batch[at]) {
            true => Detail::Outline,
            false => Detail::Whole,
        })
        .collect();
    let one = |(next, detail): (&mut io::Result<Next>, Detail)| match next {
        Ok(Next::Text(text)) => lines(text, limits, detail),
        _ => (Vec::new(), None),
    };
    let mut parsed: Vec<_> = batch.par_iter_mut().zip(details).map(one).collect();
    for next in 1..parsed.len() {
        // The snapshot before a line that cannot be read is the last of its JVM after all.
        if let ([], Ok(Next::Text(text))) = (&parsed[next].0[..], &mut batch[next - 1]) {
            parsed[next - 1] = lines(text, limits, Detail::Whole);
        }
    }
    let without_text = |(mut next, (lines, stop)): (io::Result<Next>, _)| {
        if let Ok(Next::Text(text)) = &mut next {
            text.bytes = Vec::new();
        }
        Parsed { next, lines, stop }
    };
    batch.into_iter().zip(parsed).map(without_text).collect()
}

/// Whether a snapshot was taken between the rounds of a round trip: then it is told what holds the objects.
fn ends_rounds(text: &[u8]) -> bool {
    memchr::memmem::find(text, ROUND_TRIP).is_some()
}

/// How the label of such a snapshot begins.
const ROUND_TRIP: &[u8] = b"\"label\":\"round-trip ";
/// How writers begin a snapshot.
const SNAPSHOT: &[u8] = b"{\"kind\":\"snapshot\",";

/// All lines of a member.
fn lines(text: &mut MemberText, limits: &ReadLimits, detail: Detail) -> (Vec<Line>, Option<MemberStop>) {
    text.rewind();
    let mut lines = Vec::new();
    while let Some(line) = text.line(limits, detail) {
        match line {
            // The snapshot before it is the last of its JVM.
            Ok(Line::Header(_)) if detail == Detail::Outline => return self::lines(text, limits, Detail::Whole),
            Ok(line) => lines.push(line),
            Err(stop) => return (lines, Some(stop)),
        }
    }
    (lines, None)
}

/// False at the end of the lines.
fn deliver(batch: Vec<Parsed>, cursor: &mut FileCursor, take: &mut impl FnMut(Line)) -> Result<bool, Error> {
    for Parsed { next, lines, stop } in batch {
        if !cursor.enter(next)? {
            return Ok(false);
        }
        lines.into_iter().for_each(&mut *take);
        if let Some(stop) = stop {
            return cursor.stop(stop).map(|()| false);
        }
    }
    Ok(true)
}
