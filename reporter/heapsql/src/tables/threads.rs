//! `threads`: a row for each thread.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, Thread};

use crate::columns::{Cell, Column, Kind, column, dominated};
use crate::data::Data;
use crate::table::{List, Rows, Table};

pub(crate) struct Threads;

const COLUMNS: [Column; 6] = [
    column("serial", Kind::Number, "its number in the dump"),
    column("name", Kind::Name, "its name; empty if the dump does not have it"),
    column("java_id", Kind::Number, "Thread.getId()"),
    column("address", Kind::Address, "its Thread object"),
    column("frames", Kind::Count, "the frames of its stack"),
    dominated(
        "retained",
        Kind::Bytes,
        "bytes that would be freed with the thread: held by its frames, task and locals alone",
    ),
];

impl Table for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn about(&self) -> &'static str {
        "the threads of the dump, virtual ones too if the JVM dumped them; none with --references mat"
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn rows_in_all(&self) -> i64 {
        100
    }

    fn rows(&self, data: &Arc<Data>, _: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let names = data.heap.thread_names(&data.threads)?;
        let ids = data.heap.thread_java_ids(&data.threads)?;
        let row = |((thread, name), id): ((&Thread, String), Option<i64>)| {
            let cells = vec![
                Cell::count(thread.serial),
                Cell::of(name),
                id.map_or(Cell::Null, Cell::Integer),
                thread.object.map_or(Cell::Null, |object| data.address(object)),
                Cell::count(data.heap.dump().trace(thread.trace).len()),
            ];
            (cells, Some(thread.node))
        };
        Ok(List::of(data, data.threads.iter().zip(names).zip(ids).map(row).collect()))
    }
}
