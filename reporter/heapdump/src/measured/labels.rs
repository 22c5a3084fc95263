//! What belongs to whom, and which own labels enter an object.

use super::sets::{EMPTY, Sets};

/// Rows in one own label. What more of them hold counts for no row.
const MOST_ROWS: usize = 64;

/// To whom the objects of a class belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassMembership {
    /// The row of the nearest chosen class.
    pub row: Option<u32>,
    /// Of a chosen class, which may be one that is only counted and has no row: labels of other rows and of tags do not enter.
    pub is_chosen: bool,
    /// Labels of other components do not enter.
    pub component: Option<u32>,
    /// No own label enters.
    pub is_hub: bool,
    /// Neither counted nor entered.
    pub is_skipped: bool,
}

/// Rows, components and tags by number.
#[derive(Debug, Clone, Default)]
pub struct Belongs {
    /// For each row the component of its class.
    pub rows: Vec<Option<u32>>,
    /// Components.
    pub components: u32,
    /// Combinations of tags.
    pub tags: u32,
}

/// Own labels: the numbers of rows, then one for more rows than fit, then components, then one for objects of rows without
/// a component, then tags.
pub(super) struct Labels {
    pub(super) sets: Sets,
    pub(super) first_component: u32,
    /// Objects of rows that belong to no component.
    pub(super) no_component: u32,
    pub(super) first_tag: u32,
}

impl Labels {
    pub(super) fn new(belongs: &Belongs) -> Labels {
        let rows = belongs.rows.len() as u32;
        let first_component = rows + 1;
        let no_component = first_component + belongs.components;
        Labels { sets: Sets::limited(MOST_ROWS, rows), first_component, no_component, first_tag: no_component + 1 }
    }

    /// The label of an object before anything refers to it.
    pub(super) fn make_initial_label(&mut self, kind: ClassMembership, tag: Option<u32>) -> u32 {
        let component = match (kind.component, kind.is_chosen) {
            (Some(component), _) => Some(self.first_component + component),
            (None, true) => Some(self.no_component),
            (None, false) => None,
        };
        let tag = tag.map(|tag| self.first_tag + tag);
        self.sets.intern(kind.row.into_iter().chain(component).chain(tag).collect())
    }

    /// The label of an object after one with another label was found to refer to it.
    pub(super) fn entered(&mut self, kind: ClassMembership, label: u32, incoming: u32) -> u32 {
        if incoming == EMPTY || incoming == label || kind.is_hub {
            return label;
        }
        let components = self.first_component..self.first_tag;
        let entering = match (kind.is_chosen, kind.component.is_some()) {
            (false, false) => incoming,
            (true, false) => self.sets.filter(incoming, |member| components.contains(&member)),
            (false, true) => self.sets.filter(incoming, |member| !components.contains(&member)),
            (true, true) => EMPTY,
        };
        self.sets.union(label, entering)
    }
}
