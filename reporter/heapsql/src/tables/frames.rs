//! `frames`: a row for each frame of each thread.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, ThreadPart};

use crate::columns::{Cell, Column, Kind, column, dominated};
use crate::data::Data;
use crate::table::{List, Rows, Table};

pub(crate) struct Frames;

const COLUMNS: [Column; 7] = [
    column("thread", Kind::Number, "its thread: threads.serial"),
    column("depth", Kind::Number, "its place in the stack: 0 at the top"),
    column("class", Kind::Name, "the class of its method"),
    column("method", Kind::Name, "its method"),
    column("source", Kind::Name, "the source file, if the class file names it"),
    column("line", Kind::Number, "the line in it"),
    dominated("retained", Kind::Bytes, "bytes that would be freed with the frame: what its local variables alone hold"),
];

impl Table for Frames {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn about(&self) -> &'static str {
        "the frames of the threads; one without objects retains 0"
    }

    fn columns(&self) -> &'static [Column] {
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
                    Cell::count(thread.serial),
                    Cell::count(depth),
                    Cell::of(frame.class),
                    Cell::of(frame.method),
                    frame.source.map_or(Cell::Null, Cell::of),
                    frame.line.map_or(Cell::Null, Cell::count),
                ];
                rows.push((cells, part.map(|part| part.node)));
            }
        }
        Ok(List::of(data, rows))
    }
}
