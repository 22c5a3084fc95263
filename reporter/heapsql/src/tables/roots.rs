//! `roots`: a row for each reason why the virtual machine holds an object.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, Root, address_text};

use crate::columns::{Cell, Column, Kind, column};
use crate::data::Data;
use crate::table::{Rows, Table};

pub(crate) struct Roots;

const COLUMNS: [Column; 4] = [
    column("address", Kind::Address, "the object"),
    column(
        "kind",
        Kind::Name,
        "java frame, jni local, jni global, native stack, sticky class, thread block, monitor, vm internal, thread, unknown",
    ),
    column("thread", Kind::Number, "the thread that holds it: threads.serial"),
    column("depth", Kind::Number, "the frame that holds it: frames.depth"),
];

impl Table for Roots {
    fn name(&self) -> &'static str {
        "roots"
    }

    fn about(&self) -> &'static str {
        "why the JVM holds objects, as the dump says; an object has a row for each reason"
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn rows_in_all(&self) -> i64 {
        5000
    }

    fn rows(&self, data: &Arc<Data>, _: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        Ok(Box::new(Each { data: Arc::clone(data), next: 0 }))
    }
}

struct Each {
    data: Arc<Data>,
    /// After the row's.
    next: usize,
}

impl Rows for Each {
    fn next(&mut self) -> Result<bool, Error> {
        self.next += 1;
        Ok(self.next <= self.data.heap.roots().len())
    }

    fn cell(&self, column: usize) -> Result<Cell<'_>, Error> {
        let (address, kind, thread, depth) = match self.data.heap.roots()[self.next - 1] {
            Root::Unknown(object) => (object, "unknown", None, None),
            Root::JniGlobal(object) => (object, "jni global", None, None),
            Root::JniLocal(object, thread, depth) => (object, "jni local", Some(thread), Some(depth)),
            Root::JavaFrame(object, thread, depth) => (object, "java frame", Some(thread), Some(depth)),
            Root::NativeStack(object, thread) => (object, "native stack", Some(thread), None),
            Root::StickyClass(object) => (object, "sticky class", None, None),
            Root::ThreadBlock(object, thread) => (object, "thread block", Some(thread), None),
            Root::Monitor(object) => (object, "monitor", None, None),
            Root::VmInternal(object) => (object, "vm internal", None, None),
            Root::Thread(object, thread, _) => (object, "thread", Some(thread), None),
        };
        Ok(match column {
            0 => Cell::of(address_text(address)),
            1 => kind.into(),
            2 => thread.map_or(Cell::Null, Cell::count),
            // Native code outside any frame.
            _ => depth.filter(|depth| *depth != u32::MAX).map_or(Cell::Null, Cell::count),
        })
    }
}
