//! What constructed the live objects: threads by groups of names, and tags of the program.

use std::collections::BTreeMap;

use weighbridge_recording::{OriginRow, TagRow, ThreadRow};

use crate::headings::{HEADINGS, Heading};
use crate::row::{ReportRow as _, add, rows};
use crate::trust::{Estimate, Trust};

rows! {
    /// The objects that one group of threads constructed, over all JVMs.
    pub struct ThreadFigures of OriginRow {
        /// The group: a pattern of names, or a name with its numbers replaced by `*`.
        pub name: String = |_| String::new() => name().with_heading(Heading::new("Constructed by threads"), 0);
        /// Objects constructed: exact.
        pub allocated: Option<u64> => objects().with_heading(HEADINGS.allocated, 0)
            .counter("weighbridge_thread_allocated", "Objects constructed: exact.");
        /// Objects that lived at the last full marking, or at most, as in rows of classes: estimated without bias if their classes
        /// are sampled.
        pub live: Option<u64> = OriginRow::objects => objects().with_heading(HEADINGS.live, 0)
            .trusted(|row, blur| {
                let (count, error, garbage) = (row.live, row.live_error, blur.garbage);
                Estimate { count, error, allocated: row.allocated, garbage, ..Estimate::default() }.trust()
            })
            .gauge("weighbridge_thread_live", "Live objects that the group of threads constructed.");
        /// One standard error of `live`, objects.
        pub live_error: Option<f64> = OriginRow::objects_error => error();
        /// Objects that no collection has removed, dead ones among them.
        pub not_collected: Option<u64> => objects();
        /// Shallow bytes of the live objects.
        pub shallow_bytes: Option<u64> => bytes().with_heading(HEADINGS.shallow, 0)
            .trusted(|row, blur| blur.constructed(row.live_error))
            .gauge("weighbridge_thread_live_bytes", "Their shallow bytes.");
    }
}

rows! {
    /// The objects constructed under one tag, over all JVMs. An object counts for each of its tags.
    pub struct TagFigures of OriginRow {
        /// The key of the tag: `request`.
        pub key: String = |_| String::new() => name().with_heading(Heading::new("Tag"), 0);
        /// Its value: `GET /orders`; `other` sums up the values for which there was no room.
        pub value: String = |_| String::new() => name().with_heading(Heading::new("Value"), 0);
        /// Objects constructed: estimated without bias, exact if their classes are.
        pub allocated: Option<u64> => objects().with_heading(HEADINGS.allocated, 0)
            .trusted(|row, _| Estimate { count: row.allocated, error: row.allocated_error, ..Estimate::default() }.trust());
        /// One standard error of `allocated`, objects.
        pub allocated_error: Option<f64> => error();
        /// Objects that lived at the last full marking, or at most, as in rows of classes: estimated without bias if their classes
        /// are sampled.
        pub live: Option<u64> = OriginRow::objects => objects().with_heading(HEADINGS.live, 0)
            .trusted(|row, blur| {
                let (count, error, garbage) = (row.live, row.live_error, blur.garbage);
                Estimate { count, error, garbage, ..Estimate::default() }.trust()
            });
        /// One standard error of `live`, objects.
        pub live_error: Option<f64> = OriginRow::objects_error => error();
        /// Objects that no collection has removed, dead ones among them.
        pub not_collected: Option<u64> => objects();
        /// Shallow bytes of the live objects.
        pub shallow_bytes: Option<u64> => bytes().with_heading(HEADINGS.shallow, 0)
            .trusted(|row, blur| blur.constructed(row.live_error));
        /// Bytes that they hold without passing objects of other tags or of none, and that no other value of the key holds so.
        pub own_bytes: Option<u64> => bytes().shown_if_known(HEADINGS.own)
            .trusted(|row, blur| if blur.closed { Trust::About } else { blur.constructed(row.live_error) });
    }
}

/// Adds rows of several JVMs.
#[derive(Default)]
pub(crate) struct Origins {
    threads: BTreeMap<String, ThreadFigures>,
    tags: BTreeMap<(String, String), TagFigures>,
}

impl Origins {
    pub(crate) fn add(&mut self, threads: &[ThreadRow], tags: &[TagRow]) {
        for row in threads {
            let figures = ThreadFigures { name: row.name.clone(), ..ThreadFigures::from_recorded(&row.figures) };
            add(&mut self.threads, row.name.clone(), figures);
        }
        for row in tags {
            let names = (row.key.clone(), row.value.clone());
            let figures = TagFigures {
                key: row.key.clone(),
                value: row.value.clone(),
                ..TagFigures::from_recorded(&row.figures)
            };
            add(&mut self.tags, names, figures);
        }
    }

    /// Rows with the most live bytes first; then the most allocated; then by name.
    pub(crate) fn finish(self) -> (Vec<ThreadFigures>, Vec<TagFigures>) {
        let mut threads: Vec<ThreadFigures> = self.threads.into_values().collect();
        threads.sort_by_key(|row| std::cmp::Reverse((row.shallow_bytes, row.allocated)));
        let mut tags: Vec<TagFigures> = self.tags.into_values().collect();
        tags.sort_by_key(|row| std::cmp::Reverse((row.own_bytes.or(row.shallow_bytes), row.allocated)));
        (threads, tags)
    }
}
