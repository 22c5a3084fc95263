//! `threads`: a row for each thread.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, Thread};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column, dominated};
use crate::data::Data;
use crate::table::{Rows, StoredRows, Table};

pub(crate) struct Threads;

const COLUMNS: [SqlColumn; 6] = [
    column("serial", SqlColumnKind::Number, "its number in the dump"),
    column("name", SqlColumnKind::Name, "its name; empty if the dump does not have it"),
    column("java_id", SqlColumnKind::Number, "Thread.getId()"),
    column("address", SqlColumnKind::Address, "its Thread object"),
    column("frames", SqlColumnKind::Count, "the frames of its stack"),
    dominated(
        "retained",
        SqlColumnKind::Bytes,
        "bytes that would be freed with the thread: held by its frames, task and locals alone",
    ),
];

impl Table for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn description(&self) -> &'static str {
        "the threads of the dump, virtual ones too if the JVM dumped them; none with --references mat"
    }

    fn columns(&self) -> &'static [SqlColumn] {
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
                SqlCell::count(thread.serial),
                SqlCell::from_text(name),
                id.map_or(SqlCell::Null, SqlCell::Integer),
                thread.object.map_or(SqlCell::Null, |object| data.address(object)),
                SqlCell::count(data.heap.dump().trace(thread.trace).len()),
            ];
            (cells, Some(thread.node))
        };
        Ok(StoredRows::from_rows(data, data.threads.iter().zip(names).zip(ids).map(row).collect()))
    }
}
