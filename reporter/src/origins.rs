//! Who constructed the live objects: threads by groups of their names, and what the program tagged.

use std::collections::BTreeMap;

use serde::Serialize;
use weighbridge_recording::{OriginRow, TagRow, ThreadRow};

use crate::sum::{Quadrature, Sum};

/// The objects that one group of threads constructed, over all JVMs.
#[derive(Debug, Clone, Serialize)]
pub struct ThreadFigures {
    /// The group: a pattern of names, or a name with its numbers replaced by `*`.
    pub name: String,
    /// Objects constructed: exact.
    pub allocated: Option<u64>,
    /// Live objects: estimated without bias where their classes are sampled.
    pub live: Option<u64>,
    /// One standard error of `live`, objects.
    pub live_error: Option<f64>,
    /// Shallow bytes of the live objects.
    pub shallow_bytes: Option<u64>,
}

/// The objects constructed under one tag, over all JVMs. An object counts for each of its tags.
#[derive(Debug, Clone, Serialize)]
pub struct TagFigures {
    /// What the tag says: `request`.
    pub key: String,
    /// What it says of it: `GET /orders`; `other` sums up what had no room.
    pub value: String,
    /// Objects constructed: estimated without bias, exact for classes that are.
    pub allocated: Option<u64>,
    /// One standard error of `allocated`, objects.
    pub allocated_error: Option<f64>,
    /// Live objects: estimated without bias where their classes are sampled.
    pub live: Option<u64>,
    /// One standard error of `live`, objects.
    pub live_error: Option<f64>,
    /// Shallow bytes of the live objects.
    pub shallow_bytes: Option<u64>,
    /// Bytes that they hold without passing objects of other tags or of none, and that no other value of the key holds so.
    pub own_bytes: Option<u64>,
}

#[derive(Default)]
struct OriginSum {
    allocated: Sum,
    allocated_error: Quadrature,
    live: Sum,
    live_error: Quadrature,
    shallow: Sum,
    own: Sum,
}

impl OriginSum {
    fn add(&mut self, row: &OriginRow) {
        self.allocated.add(row.allocated);
        self.allocated_error.add(row.allocated_error);
        self.live.add(row.live);
        self.live_error.add(row.live_error);
        self.shallow.add(row.shallow_bytes);
        self.own.add(row.own_bytes);
    }
}

/// Adds rows of several JVMs.
#[derive(Default)]
pub(crate) struct Origins {
    threads: BTreeMap<String, OriginSum>,
    tags: BTreeMap<(String, String), OriginSum>,
}

impl Origins {
    pub(crate) fn add(&mut self, threads: &[ThreadRow], tags: &[TagRow]) {
        for row in threads {
            self.threads.entry(row.name.clone()).or_default().add(&row.figures);
        }
        for row in tags {
            self.tags.entry((row.key.clone(), row.value.clone())).or_default().add(&row.figures);
        }
    }

    /// Rows with the most live bytes first; then the most allocated; then by name.
    pub(crate) fn finish(self) -> (Vec<ThreadFigures>, Vec<TagFigures>) {
        let mut threads: Vec<ThreadFigures> = self
            .threads
            .into_iter()
            .map(|(name, sum)| ThreadFigures {
                name,
                allocated: sum.allocated.value(),
                live: sum.live.value(),
                live_error: sum.live_error.value(),
                shallow_bytes: sum.shallow.value(),
            })
            .collect();
        threads.sort_by_key(|row| std::cmp::Reverse((row.shallow_bytes, row.allocated)));
        let mut tags: Vec<TagFigures> = self
            .tags
            .into_iter()
            .map(|((key, value), sum)| TagFigures {
                key,
                value,
                allocated: sum.allocated.value(),
                allocated_error: sum.allocated_error.value(),
                live: sum.live.value(),
                live_error: sum.live_error.value(),
                shallow_bytes: sum.shallow.value(),
                own_bytes: sum.own.value(),
            })
            .collect();
        tags.sort_by_key(|row| std::cmp::Reverse((row.own_bytes.or(row.shallow_bytes), row.allocated)));
        (threads, tags)
    }
}
