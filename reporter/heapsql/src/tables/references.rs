//! `refs`: a row for each reference that keeps its target alive.

use std::cell::RefCell;
use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, Graph, NodeIndex, ObjectIndex, ObjectLink};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column};
use crate::data::Data;
use crate::needs::Needs;
use crate::table::{LookupKey, Rows, StoredRows, Table, object};

pub(crate) struct References;

const SOURCE: usize = 0;
const TARGET: usize = 1;

const COLUMNS: [SqlColumn; 3] = [
    column("source", SqlColumnKind::Address, "the object that has the reference"),
    column("target", SqlColumnKind::Address, "the object to which it leads"),
    column(
        "field",
        SqlColumnKind::Name,
        "the field or [element], read from the file; (class), (loader) for what the JVM keeps",
    ),
];

impl Table for References {
    fn name(&self) -> &'static str {
        "refs"
    }

    fn description(&self) -> &'static str {
        "the references of reachable objects that keep their targets alive (as --soft and --references say), one row each; \
         also named \"references\", in double quotes"
    }

    fn columns(&self) -> &'static [SqlColumn] {
        &COLUMNS
    }

    fn keys(&self) -> &'static [LookupKey] {
        &[LookupKey { column: SOURCE, rows: 4 }, LookupKey { column: TARGET, rows: 5 }]
    }

    fn rows_in_all(&self) -> i64 {
        4_000_000
    }

    fn needs(&self, needs: &mut Needs) {
        needs.references = true;
    }

    fn rows(&self, data: &Arc<Data>, lookup: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let Some(graph) = data.graph() else { return Ok(StoredRows::empty(data)) };
        let sources: Box<dyn Iterator<Item = NodeIndex>> = match lookup {
            Some((TARGET, address)) => {
                let target = object(data, &address).filter(|target| data.reachable().has(*target));
                return Ok(Box::new(To { data: Arc::clone(data), target, number: 0, at: None }));
            }
            Some((_, address)) => Box::new(object(data, &address).map(NodeIndex::from).into_iter()),
            None => Box::new(graph.nodes().take(graph.objects())),
        };
        Ok(Box::new(From {
            data: Arc::clone(data),
            graph,
            sources,
            source: None,
            targets: Vec::new(),
            next: 0,
            links: RefCell::new(None),
        }))
    }
}

/// The references of some sources.
struct From {
    data: Arc<Data>,
    graph: Arc<Graph>,
    sources: Box<dyn Iterator<Item = NodeIndex>>,
    source: Option<ObjectIndex>,
    targets: Vec<ObjectIndex>,
    /// The index in `targets` after the row's.
    next: usize,
    /// Of the source, if a field was asked for.
    links: RefCell<Option<Vec<(ObjectLink, ObjectIndex)>>>,
}

impl Rows for From {
    fn next(&mut self) -> Result<bool, Error> {
        self.next += 1;
        while self.next > self.targets.len() {
            let Some(source) = self.sources.next() else { return Ok(false) };
            if self.data.reachable().contains(source) {
                self.source = self.graph.object(source);
                self.targets.clear();
                self.targets.extend(self.graph.references(source).filter_map(|target| self.graph.object(target)));
                *self.links.borrow_mut() = None;
                self.next = 1;
            }
        }
        Ok(true)
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        let (Some(source), Some(target)) = (self.source, self.targets.get(self.next - 1)) else {
            return Ok(SqlCell::Null);
        };
        Ok(match column {
            SOURCE => self.data.address(source),
            TARGET => self.data.address(*target),
            _ => {
                let before = self.targets[..self.next - 1].iter().filter(|other| *other == target).count();
                let mut links = self.links.borrow_mut();
                if links.is_none() {
                    *links = Some(self.data.records()?.links(&self.data.heap, source)?);
                }
                field(links.as_deref().unwrap_or_default(), *target, before)
            }
        })
    }
}

/// The references to an object.
struct To {
    data: Arc<Data>,
    target: Option<ObjectIndex>,
    number: usize,
    at: Option<ObjectIndex>,
}

impl Rows for To {
    fn next(&mut self) -> Result<bool, Error> {
        self.at = match (self.target, self.data.referrers()) {
            (Some(target), Some(referrers)) if self.number < referrers.count(target) => {
                Some(referrers.source(target, self.number))
            }
            _ => None,
        };
        self.number += 1;
        Ok(self.at.is_some())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        let (Some(source), Some(target)) = (self.at, self.target) else { return Ok(SqlCell::Null) };
        Ok(match column {
            SOURCE => self.data.address(source),
            TARGET => self.data.address(target),
            _ => {
                // The references of one source to the target are next to each other.
                let referrers = self.data.referrers();
                let same = |number: &usize| referrers.is_some_and(|all| all.source(target, *number) == source);
                let before = (0..self.number - 1).rev().take_while(same).count();
                field(&self.data.records()?.links(&self.data.heap, source)?, target, before)
            }
        })
    }
}

/// The field of a reference: the link to the target that comes after so many others to it.
fn field(links: &[(ObjectLink, ObjectIndex)], target: ObjectIndex, before: usize) -> SqlCell<'static> {
    let mut of_target = links.iter().filter(|(_, to)| *to == target).map(|(link, _)| link);
    let first = of_target.clone().next();
    of_target.nth(before).or(first).map_or(SqlCell::Null, |link| {
        SqlCell::from_text(match link {
            ObjectLink::Field(name) | ObjectLink::Static(name) => name.clone(),
            other => other.to_string(),
        })
    })
}
