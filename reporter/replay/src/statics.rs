//! Static fields.

use std::collections::HashMap;

use crate::classes::NameFacts;

/// In [`Statics::by_field`]: not looked up yet.
const UNKNOWN: u32 = u32::MAX;
/// The key of a field whose class and offset are not known; the rest is its number.
const BY_FIELD: u64 = 1 << 63;

/// What static fields hold.
#[derive(Debug, Default)]
pub(crate) struct Statics {
    values: Vec<Option<u32>>,
    by_key: HashMap<u64, u32>,
    by_field: Vec<u32>,
}

impl Statics {
    /// Sets a field as code names it. What it held before.
    pub(crate) fn set_field(&mut self, classes: &NameFacts, field: u32, value: Option<u32>) -> Option<u32> {
        let known = self.by_field.get(field as usize).copied().filter(|index| *index != UNKNOWN);
        let index = known.unwrap_or_else(|| {
            let key = match classes.static_field(field) {
                Some((class, offset)) => u64::from(class) << 32 | u64::from(offset),
                None => BY_FIELD | u64::from(field),
            };
            let index = self.index(key);
            if field <= crate::names::MOST_NAMES {
                if self.by_field.len() <= field as usize {
                    self.by_field.resize(field as usize + 1, UNKNOWN);
                }
                self.by_field[field as usize] = index;
            }
            index
        });
        self.set(index, value)
    }

    /// Sets the field at an offset of a class. What it held before.
    pub(crate) fn set_at(&mut self, class: u32, offset: u64, value: Option<u32>) -> Option<u32> {
        let index = self.index(u64::from(class) << 32 | offset.min(u32::MAX.into()));
        self.set(index, value)
    }

    fn set(&mut self, index: u32, value: Option<u32>) -> Option<u32> {
        self.values.get_mut(index as usize).and_then(|held| std::mem::replace(held, value))
    }

    fn index(&mut self, key: u64) -> u32 {
        *self.by_key.entry(key).or_insert_with(|| {
            self.values.push(None);
            self.values.len() as u32 - 1
        })
    }

    /// What they hold.
    pub(crate) fn roots(&self) -> impl Iterator<Item = u32> + '_ {
        self.values.iter().filter_map(|value| *value)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.values.len() as u64 * 40
    }
}
