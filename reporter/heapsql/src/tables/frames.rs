//! `frames`: a row for each frame of each thread.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, ThreadPart};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column, dominated};
use crate::data::Data;
use crate::table::{Rows, StoredRows, Table};

pub(crate) struct Frames;

const COLUMNS: [SqlColumn; 7] = [
    column("thread", SqlColumnKind::Number, "its thread: threads.serial"),
    column("depth", SqlColumnKind::Number, "its index in the stack: 0 at the top"),
    column("class", SqlColumnKind::Name, "the class of its method"),
    column("method", SqlColumnKind::Name, "its method"),
    column("source", SqlColumnKind::Name, "the source file, if the class file names it"),
    column("line", SqlColumnKind::Number, "the line in it"),
    dominated(
        "retained",
        SqlColumnKind::Bytes,
        "bytes that would be freed with the frame: what its local variables alone hold",
    ),
];

impl Table for Frames {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn description(&self) -> &'static str {
        "the frames of the threads; one without objects retains 0"
    }

    fn columns(&self) -> &'static [SqlColumn] {
        &COLUMNS
    }

    fn rows_in_all(&self) -> i64 {
        2000
    }

    fn rows(&self, data: &Arc<Data>, _: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let mut rows = Vec::new();
        for thread in &data.threads {
            for (depth, frame) in data.heap.dump().trace(thread.trace).into_iter().enumerate() {
                let part = thread.frames.iter().find(|part| part.part == ThreadPart::Frame(depth as u32));
                let cells = vec![
                    SqlCell::count(thread.serial),
                    SqlCell::count(depth),
                    SqlCell::from_text(frame.class),
                    SqlCell::from_text(frame.method),
                    frame.source.map_or(SqlCell::Null, SqlCell::from_text),
                    frame.line.map_or(SqlCell::Null, SqlCell::count),
                ];
                rows.push((cells, part.map(|part| part.node)));
            }
        }
        Ok(StoredRows::from_rows(data, rows))
    }
}
