//! What holds an object: the shortest path to it, and the field or frame at which to look.

use weighbridge_heapdump::paths::ShortestPaths;
use weighbridge_heapdump::{Error, Graph, ObjectIndex};

use super::super::names::Namer;
use super::super::path::{PathStep, rows};
use super::super::soft::OnlySoftly;

/// Finds holders.
pub(super) struct HolderFinder<'a> {
    pub(super) graph: &'a Graph,
    pub(super) names: Namer<'a>,
    pub(super) only_softly: OnlySoftly,
    pub(super) paths: ShortestPaths,
}

impl HolderFinder<'_> {
    /// The commonest of the shortest paths to some objects, and how many of them it leads to.
    pub(super) fn commonest(&self, objects: &[ObjectIndex]) -> Result<(Vec<PathStep>, u64), Error> {
        let merged = self.paths.merged(self.names.heap, self.graph, objects, 1);
        let ends = merged.branches.last().map_or(0, |branch| branch.ends);
        Ok((rows(self.graph, &self.names, &self.only_softly, &merged.branches)?, ends))
    }

    /// The same path, as far as it leads to at least `percent` of them.
    pub(super) fn path(&self, objects: &[ObjectIndex], percent: u64) -> Result<Vec<PathStep>, Error> {
        let merged = self.paths.merged(self.names.heap, self.graph, objects, 1);
        let mut rows = rows(self.graph, &self.names, &self.only_softly, &merged.branches)?;
        rows.retain(|row| row.objects * 100 >= merged.asked * percent);
        Ok(rows)
    }
}

/// Whether a class is part of a collection: of `java.util`, or an array.
fn is_structural(name: &str) -> bool {
    name.starts_with("java.util.") || name.ends_with("[]")
}

/// The field or frame that leads to the end of a path: of the last object that is no part of a collection. If that is no
/// static field, the last static field before it, too.
pub(super) fn held_by(path: &[PathStep]) -> Option<String> {
    let before_the_end = path.len().checked_sub(1)?;
    let named = |at: usize| {
        let field = path.get(at + 1).and_then(|row| row.via.as_deref()).filter(|link| !link.starts_with('('));
        let row = &path[at];
        match (row.kind, field) {
            ("class", Some(field)) => Some(format!("the static field {} of {}", plain(field), class(&row.name))),
            ("object", Some(field)) => Some(format!("the field {} of {}", plain(field), row.name)),
            ("frame", _) => {
                let thread = path[..at].iter().rev().find(|row| row.kind == "thread");
                let thread = thread.map_or_else(String::new, |thread| format!(" of {}", thread.name));
                Some(format!("{}{thread}", row.name))
            }
            ("thread", _) => Some(row.name.clone()),
            ("root", _) => Some(format!("the virtual machine ({})", row.name)),
            _ => None,
        }
    };
    let is_holder =
        |at: &usize| (path[*at].kind != "object" || !is_structural(&path[*at].name)) && named(*at).is_some();
    let nearest = (0..before_the_end).rev().find(is_holder)?;
    let near = named(nearest)?;
    if path[nearest].kind != "object" {
        return Some(near);
    }
    let above = (0..nearest).rev().find(|at| path[*at].kind != "object" && named(*at).is_some()).and_then(named);
    Some(above.map_or(near.clone(), |above| format!("{near}, below {above}")))
}

fn class(name: &str) -> &str {
    name.strip_prefix("class ").unwrap_or(name)
}

/// A field without the marks of a link.
fn plain(link: &str) -> &str {
    let link = link.strip_prefix('.').unwrap_or(link);
    link.strip_suffix(" (static)").unwrap_or(link)
}
