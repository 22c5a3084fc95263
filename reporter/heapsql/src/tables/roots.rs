//! `roots`: a row for each reason why the virtual machine holds an object.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, GcRoot, address_text};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column};
use crate::data::Data;
use crate::table::{Rows, Table};

pub(crate) struct Roots;

const COLUMNS: [SqlColumn; 4] = [
    column("address", SqlColumnKind::Address, "the object"),
    column(
        "kind",
        SqlColumnKind::Name,
        "java frame, jni local, jni global, native stack, sticky class, thread block, monitor, vm internal, thread, unknown",
    ),
    column("thread", SqlColumnKind::Number, "the thread that holds it: threads.serial"),
    column("depth", SqlColumnKind::Number, "the frame that holds it: frames.depth"),
];

impl Table for Roots {
    fn name(&self) -> &'static str {
        "roots"
    }

    fn description(&self) -> &'static str {
        "why the JVM holds objects, as the dump says; an object has a row for each reason"
    }

    fn columns(&self) -> &'static [SqlColumn] {
        &COLUMNS
    }

    fn rows_in_all(&self) -> i64 {
        5000
    }

    fn rows(&self, data: &Arc<Data>, _: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        Ok(Box::new(RootRows { data: Arc::clone(data), next: 0 }))
    }
}

struct RootRows {
    data: Arc<Data>,
    /// After the row's.
    next: usize,
}

impl Rows for RootRows {
    fn next(&mut self) -> Result<bool, Error> {
        self.next += 1;
        Ok(self.next <= self.data.heap.roots().len())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        let (address, kind, thread, depth) = match self.data.heap.roots()[self.next - 1] {
            GcRoot::Unknown(object) => (object, "unknown", None, None),
            GcRoot::JniGlobal(object) => (object, "jni global", None, None),
            GcRoot::JniLocal(object, thread, depth) => (object, "jni local", Some(thread), Some(depth)),
            GcRoot::JavaFrame(object, thread, depth) => (object, "java frame", Some(thread), Some(depth)),
            GcRoot::NativeStack(object, thread) => (object, "native stack", Some(thread), None),
            GcRoot::StickyClass(object) => (object, "sticky class", None, None),
            GcRoot::ThreadBlock(object, thread) => (object, "thread block", Some(thread), None),
            GcRoot::Monitor(object) => (object, "monitor", None, None),
            GcRoot::VmInternal(object) => (object, "vm internal", None, None),
            GcRoot::Thread(object, thread, _) => (object, "thread", Some(thread), None),
        };
        Ok(match column {
            0 => SqlCell::from_text(address_text(address)),
            1 => kind.into(),
            2 => thread.map_or(SqlCell::Null, SqlCell::count),
            // Native code outside any frame.
            _ => depth.filter(|depth| *depth != u32::MAX).map_or(SqlCell::Null, SqlCell::count),
        })
    }
}
