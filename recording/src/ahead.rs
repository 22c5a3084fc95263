//! A long recording, read by several threads: while some members are inflated, those before them are parsed, and the lines
//! of those before these are taken, in their order.

use std::io::{self, BufRead};

use rayon::prelude::*;

use crate::class_rows::Detail;
use crate::error::Error;
use crate::limits::Limits;
use crate::line::Line;
use crate::member::Members;
use crate::reader::{MemberText, Next, Place, Reader, Stop};

/// Inflated bytes that are handed on at once: so many that handing them on costs nothing beside reading them.
const BATCH: usize = 2 << 20;

/// What comes next in the file, with its lines if it is a member.
pub(crate) struct Parsed {
    pub(crate) next: io::Result<Next>,
    pub(crate) lines: Vec<Line>,
    pub(crate) stop: Option<Stop>,
}

impl<R: BufRead + Send> Reader<R> {
    /// Gives the lines that iterating would give to `take`, in their order, on any thread of rayon's pool; then
    /// [`Reader::damage`] is what it would be. Memory is that of three batches of 2 MiB of text, or of three members.
    ///
    /// The last snapshot of each JVM is whole. In those before it the classes' `ages`, `full_ages` and `holders` may be
    /// `None`: reports take them from the last one only, and they are allocations of their own in each row.
    ///
    /// # Errors
    /// What iterating would end with.
    pub fn read_ahead(&mut self, mut take: impl FnMut(Line) + Send) -> Result<(), Error> {
        self.header.take().into_iter().for_each(&mut take);
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        let Reader { members, place, limits, .. } = self;
        while let Some(line) = place.text.line(limits, Detail::Whole) {
            match line {
                Ok(line) => take(line),
                Err(stop) => return place.stop(stop),
            }
        }
        let (mut inflated, mut parsed) = (inflate(members), Vec::new());
        loop {
            let more = matches!(inflated.last(), Some(Ok(Next::Text(_))));
            let (inflating, (parsing, going_on)) = rayon::join(
                || if more { inflate(members) } else { Vec::new() },
                || rayon::join(|| parse(inflated, limits), || deliver(parsed, place, &mut take)),
            );
            if !going_on? {
                return Ok(());
            }
            (inflated, parsed) = (inflating, parsing);
        }
    }
}

/// Members as many as make a batch; what is no member, or none that is whole, comes last.
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
        // Behind a cut is nothing that could be read, though the file may have grown since.
        let cut = text.cut;
        batch.push(next);
        if cut {
            break;
        }
    }
    batch
}

/// Parses the members of a batch. Those that another snapshot of the same JVM comes behind are told in outline.
pub(crate) fn parse(mut batch: Vec<io::Result<Next>>, limits: &Limits) -> Vec<Parsed> {
    let goes_on = |next: &io::Result<Next>| matches!(next, Ok(Next::Text(text)) if text.bytes.starts_with(SNAPSHOT));
    let details: Vec<Detail> = (1..=batch.len())
        .map(|behind| if batch.get(behind).is_some_and(goes_on) { Detail::Outline } else { Detail::Whole })
        .collect();
    let one = |(next, detail): (&mut io::Result<Next>, Detail)| match next {
        Ok(Next::Text(text)) => lines(text, limits, detail),
        _ => (Vec::new(), None),
    };
    let mut parsed: Vec<_> = batch.par_iter_mut().zip(details).map(one).collect();
    for behind in 1..parsed.len() {
        // What stands in front of a line that cannot be read is the last of its JVM after all.
        if let ([], Ok(Next::Text(text))) = (&parsed[behind].0[..], &mut batch[behind - 1]) {
            parsed[behind - 1] = lines(text, limits, Detail::Whole);
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

/// How writers begin a snapshot.
const SNAPSHOT: &[u8] = b"{\"kind\":\"snapshot\",";

/// The lines of a member from its first on.
fn lines(text: &mut MemberText, limits: &Limits, detail: Detail) -> (Vec<Line>, Option<Stop>) {
    text.rewind();
    let mut lines = Vec::new();
    while let Some(line) = text.line(limits, detail) {
        match line {
            // The snapshot in front of it is the last of its JVM.
            Ok(Line::Header(_)) if detail == Detail::Outline => return self::lines(text, limits, Detail::Whole),
            Ok(line) => lines.push(line),
            Err(stop) => return (lines, Some(stop)),
        }
    }
    (lines, None)
}

/// False at the end of the lines.
fn deliver(batch: Vec<Parsed>, place: &mut Place, take: &mut impl FnMut(Line)) -> Result<bool, Error> {
    for Parsed { next, lines, stop } in batch {
        if !place.enter(next)? {
            return Ok(false);
        }
        lines.into_iter().for_each(&mut *take);
        if let Some(stop) = stop {
            return place.stop(stop).map(|()| false);
        }
    }
    Ok(true)
}
