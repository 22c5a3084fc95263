//! A long recording, read by several threads: while some members are inflated, those before them are parsed, and the lines
//! of those before these are taken, in their order.

use std::io::{self, BufRead};

use rayon::prelude::*;

use crate::error::Error;
use crate::line::Line;
use crate::member::Members;
use crate::reader::{Limits, Next, Place, Reader, Stop};

/// Inflated bytes that are handed on at once: so many that handing them on costs nothing beside reading them.
const BATCH: usize = 2 << 20;

/// What comes next in the file, with its lines if it is a member.
struct Parsed {
    next: io::Result<Next>,
    lines: Vec<Line>,
    stop: Option<Stop>,
}

impl<R: BufRead + Send> Reader<R> {
    /// Gives the lines that iterating would give to `take`, in their order, on any thread of rayon's pool; then
    /// [`Reader::damage`] is what it would be. Memory is that of three batches of 2 MiB of text, or of three members.
    ///
    /// # Errors
    /// What iterating would end with.
    pub fn read_ahead(&mut self, mut take: impl FnMut(Line) + Send) -> Result<(), Error> {
        self.header.take().into_iter().for_each(&mut take);
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        let Reader { members, place, limits, .. } = self;
        while let Some(line) = place.text.line(limits) {
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

/// Members as many as make a batch; what is no member comes last.
fn inflate<R: BufRead>(members: &mut Members<R>) -> Vec<io::Result<Next>> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while bytes < BATCH {
        let next = members.text();
        let Ok(Next::Text(text)) = &next else {
            batch.push(next);
            break;
        };
        bytes += text.bytes.len();
        batch.push(next);
    }
    batch
}

fn parse(batch: Vec<io::Result<Next>>, limits: &Limits) -> Vec<Parsed> {
    let one = |mut next: io::Result<Next>| {
        let (mut lines, mut stop) = (Vec::new(), None);
        if let Ok(Next::Text(text)) = &mut next {
            while let Some(line) = text.line(limits) {
                match line {
                    Ok(line) => lines.push(line),
                    Err(reason) => {
                        stop = Some(reason);
                        break;
                    }
                }
            }
            text.bytes = Vec::new();
        }
        Parsed { next, lines, stop }
    };
    batch.into_par_iter().map(one).collect()
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
