//! The tables: one file each.

mod classes;
mod dominators;
mod frames;
mod objects;
mod references;
mod roots;
mod strings;
mod threads;

use crate::columns::SqlColumn;
use crate::table::Table;

/// All tables, in the order in which they are described.
pub(crate) fn all() -> [&'static dyn Table; 9] {
    [
        &objects::OBJECTS,
        &classes::ClassesTable,
        &references::References,
        &strings::Strings,
        &dominators::ByDominator,
        &threads::Threads,
        &frames::Frames,
        &roots::Roots,
        &objects::UNREACHABLE,
    ]
}

/// The other name of a table, which SQL reserves.
pub(crate) const REFERENCES: &str = "references";

/// A table, described.
#[derive(Debug, Clone, Copy)]
pub struct TableInfo {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// Its columns.
    pub columns: &'static [SqlColumn],
}

/// The tables and their columns.
pub fn schema() -> Vec<TableInfo> {
    let described = |table: &&'static dyn Table| TableInfo {
        name: table.name(),
        about: table.description(),
        columns: table.columns(),
    };
    all().iter().map(described).collect()
}
