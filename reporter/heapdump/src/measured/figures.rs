//! The figures: sums over labels. Each object is in exactly one deep label and one own label, so they add up to the byte.

use std::collections::BTreeMap;

use super::holders::RowHolders;
use super::labels::{Belongs, Labels};
use super::sets::Sets;

/// Of the objects of a chosen class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OfRow {
    /// Objects that can be reached.
    pub objects: u64,
    /// Their own bytes, without what they refer to.
    pub shallow_bytes: u64,
    /// What they lead to without passing an object of another row, and no other row does.
    pub own_bytes: u64,
    /// What they and others lead to so.
    pub own_shared_bytes: u64,
    /// What they reach, each object once.
    pub deep_bytes: u64,
    /// How many objects that is.
    pub deep_objects: u64,
    /// What no other row reaches.
    pub exclusive_bytes: u64,
    /// Bytes outside the heap of all they reach.
    pub off_heap_bytes: u64,
}

/// Of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OfComponent {
    /// As of a row.
    pub own_bytes: u64,
    /// As of a row.
    pub own_shared_bytes: u64,
    /// What its rows reach, each object once.
    pub deep_bytes: u64,
    /// What no other component reaches.
    pub exclusive_bytes: u64,
    /// Its part of what several components reach, split evenly.
    pub shared_even_bytes: u64,
    /// Bytes outside the heap.
    pub off_heap_bytes: u64,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChosenFigures {
    /// By row.
    pub rows: Vec<OfRow>,
    /// By component; the last one is that of the rows without.
    pub components: Vec<OfComponent>,
    /// What objects with tags hold, by the combinations that hold it together.
    pub tags: BTreeMap<Vec<u32>, u64>,
    /// Objects that some row reaches.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their bytes outside the heap.
    pub off_heap_bytes: u64,
    /// Bytes that several components reach, each object once.
    pub shared_once_bytes: u64,
    /// What holds the objects of the largest rows, if it was asked for.
    pub holders: Vec<RowHolders>,
}

impl ChosenFigures {
    /// `deep`: objects, bytes and bytes outside the heap by set of rows; `own`: bytes by own label; `of_rows`: objects and
    /// bytes of each row.
    pub(super) fn sum(
        belongs: &Belongs,
        (rows, deep): (&Sets, &[(u64, u64, u64)]),
        (labels, own): (&Labels, &[u64]),
        of_rows: &[(u64, u64)],
    ) -> ChosenFigures {
        let of_row = |(objects, shallow_bytes): &(u64, u64)| OfRow {
            objects: *objects,
            shallow_bytes: *shallow_bytes,
            ..OfRow::default()
        };
        let mut figures = ChosenFigures {
            rows: of_rows.iter().map(of_row).collect(),
            components: vec![OfComponent::default(); belongs.components as usize + 1],
            ..ChosenFigures::default()
        };
        let reached = rows.all().zip(deep).filter(|(_, (objects, ..))| *objects > 0);
        reached.for_each(|(set, sums)| figures.add_deep(belongs, set, *sums));
        let held = labels.sets.all().zip(own).filter(|(_, bytes)| **bytes > 0);
        held.for_each(|(set, bytes)| figures.add_own(labels, set, *bytes));
        figures
    }

    /// The rows with the largest deep size.
    pub(super) fn largest(&self, most: usize) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.rows.len()).filter(|row| self.rows[*row].objects > 0).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(self.rows[*row].deep_bytes));
        rows.truncate(most);
        rows
    }

    fn add_deep(&mut self, belongs: &Belongs, set: &[u32], (objects, bytes, outside): (u64, u64, u64)) {
        self.objects += objects;
        self.bytes += bytes;
        self.off_heap_bytes += outside;
        for row in set {
            let row = &mut self.rows[*row as usize];
            row.deep_objects += objects;
            row.deep_bytes += bytes;
            row.off_heap_bytes += outside;
        }
        if let [row] = set {
            self.rows[*row as usize].exclusive_bytes += bytes;
        }
        let component = |row: &u32| belongs.rows[*row as usize].unwrap_or(belongs.components) as usize;
        let mut reach: Vec<usize> = set.iter().map(component).collect();
        reach.sort_unstable();
        reach.dedup();
        let even = bytes / reach.len() as u64;
        for (at, component) in reach.iter().enumerate() {
            let component = &mut self.components[*component];
            component.deep_bytes += bytes;
            component.off_heap_bytes += outside;
            if reach.len() == 1 {
                component.exclusive_bytes += bytes;
            } else {
                // The first one has what does not divide.
                let rest = if at == 0 { bytes - even * reach.len() as u64 } else { 0 };
                component.shared_even_bytes += even + rest;
            }
        }
        self.shared_once_bytes += if reach.len() > 1 { bytes } else { 0 };
    }

    fn add_own(&mut self, labels: &Labels, set: &[u32], bytes: u64) {
        let many = labels.first_component - 1;
        let is_component = |member: &&u32| (labels.first_component..labels.first_tag).contains(member);
        // With more rows than a label has, none of them is told.
        let rows: Vec<u32> = set.iter().copied().filter(|member| *member < many).collect();
        for row in &rows {
            let row = &mut self.rows[*row as usize];
            *(if rows.len() == 1 { &mut row.own_bytes } else { &mut row.own_shared_bytes }) += bytes;
        }
        let mut components: Vec<u32> = set.iter().filter(is_component).copied().collect();
        // What rows without a component hold with a component is the component's.
        if components.len() > 1 {
            components.retain(|component| *component != labels.no_component);
        }
        for component in &components {
            let component = &mut self.components[(component - labels.first_component) as usize];
            *(if components.len() == 1 { &mut component.own_bytes } else { &mut component.own_shared_bytes }) += bytes;
        }
        let tags: Vec<u32> =
            set.iter().filter(|member| **member >= labels.first_tag).map(|tag| tag - labels.first_tag).collect();
        if !tags.is_empty() {
            *self.tags.entry(tags).or_default() += bytes;
        }
    }
}
