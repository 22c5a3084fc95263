//! `dominators`: a row for each object, with the node above it in the dominator tree.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, GraphNode, ObjectIndex, Preorder};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column, dominated};
use crate::data::Data;
use crate::table::{LookupKey, Rows, Table, object};

pub(crate) struct ByDominator;

const ADDRESS: usize = 0;
const DOMINATOR: usize = 1;

const COLUMNS: [SqlColumn; 7] = [
    dominated("address", SqlColumnKind::Address, "an object"),
    dominated(
        "dominator",
        SqlColumnKind::Address,
        "the object that alone holds it: its immediate dominator; NULL if that is none",
    ),
    dominated("held_by", SqlColumnKind::Name, "what the dominator is: object, frame, thread, threads (several), root"),
    dominated("thread", SqlColumnKind::Number, "the thread of a frame or thread that holds it: threads.serial"),
    column("class", SqlColumnKind::Name, "the name of the object's class"),
    column("shallow", SqlColumnKind::Bytes, "bytes of the object itself"),
    dominated("retained", SqlColumnKind::Bytes, "bytes that would be freed with it: exact"),
];

impl Table for ByDominator {
    fn name(&self) -> &'static str {
        "dominators"
    }

    fn description(&self) -> &'static str {
        "the dominator tree: each reachable object with what alone holds it"
    }

    fn columns(&self) -> &'static [SqlColumn] {
        &COLUMNS
    }

    fn keys(&self) -> &'static [LookupKey] {
        &[LookupKey { column: ADDRESS, rows: 1 }, LookupKey { column: DOMINATOR, rows: 5 }]
    }

    fn rows_in_all(&self) -> i64 {
        1_000_000
    }

    fn needs(&self, needs: &mut crate::needs::Needs) {
        needs.dominators = true;
    }

    fn rows(&self, data: &Arc<Data>, lookup: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let tree = &data.tree().dominators;
        let number = |address: &Value| object(data, address).and_then(|object| tree.number_of(object.into()));
        let next = match lookup {
            Some((ADDRESS, address)) => Next::One(number(&address)),
            Some((_, address)) => match number(&address) {
                Some(above) => Next::Below(above, data.dominated_nodes().first(above)),
                None => Next::One(None),
            },
            None => Next::All(Box::new(tree.numbers())),
        };
        Ok(Box::new(DominatorRows { data: Arc::clone(data), next, at: None }))
    }
}

enum Next {
    One(Option<Preorder>),
    /// The dominator, and the index of the next node below it.
    Below(Preorder, Option<usize>),
    All(Box<dyn Iterator<Item = Preorder>>),
}

struct DominatorRows {
    data: Arc<Data>,
    next: Next,
    at: Option<(Preorder, ObjectIndex)>,
}

impl DominatorRows {
    fn step(&mut self) -> Option<Preorder> {
        match &mut self.next {
            Next::One(one) => one.take(),
            Next::Below(above, next) => {
                let index = (*next)?;
                let below = self.data.dominated_nodes();
                *next = below.sibling(*above, index);
                Some(below.node_at(index))
            }
            Next::All(all) => all.next(),
        }
    }
}

impl Rows for DominatorRows {
    fn next(&mut self) -> Result<bool, Error> {
        self.at = None;
        while let Some(preorder) = self.step() {
            if let GraphNode::Object(object) = self.data.tree().dominators.node(preorder) {
                self.at = Some((preorder, object));
                break;
            }
        }
        Ok(self.at.is_some())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        let Some((preorder, object)) = self.at else { return Ok(SqlCell::Null) };
        let tree = self.data.tree();
        let above = || tree.dominators.node(tree.dominators.immediate(preorder));
        Ok(match column {
            ADDRESS => self.data.address(object),
            DOMINATOR => match above() {
                GraphNode::Object(above) => self.data.address(above),
                _ => SqlCell::Null,
            },
            2 => SqlCell::from(match above() {
                GraphNode::Object(_) => "object",
                GraphNode::Frame(..) => "frame",
                GraphNode::Thread(_) => "thread",
                GraphNode::AllThreads => "threads",
                GraphNode::Root | GraphNode::Added(_) => "root",
            }),
            3 => match above() {
                GraphNode::Thread(thread) | GraphNode::Frame(thread, _) => {
                    SqlCell::count(self.data.threads[thread].serial)
                }
                _ => SqlCell::Null,
            },
            4 => self.data.class_name(object).into(),
            5 => SqlCell::count(self.data.heap.bytes(object)),
            _ => SqlCell::count(tree.retained[preorder.as_usize()]),
        })
    }
}
