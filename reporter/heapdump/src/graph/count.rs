//! Counts the references of the graph without storing any. One more pass, for limited memory.

use std::collections::HashSet;

use super::modes::Modes;
use crate::class::{ClassIndex, Classes, UNKNOWN};
use crate::error::Error;
use crate::hprof::{Dump, FieldType, IdSize, Record};
use crate::waste;

/// What the lists of references will hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ReferenceCounts {
    /// References, including those to addresses without an object.
    pub(crate) references: u64,
    /// Objects that have references.
    pub(crate) lists: u64,
    /// Objects that a search for waste lists one by one.
    pub(crate) listed: u64,
}

/// The references of an instance of a class.
struct CountPlan {
    fields: Vec<u32>,
    /// Names of static fields that are not followed.
    left_out: Vec<u64>,
    /// 1 if it keeps its class alive.
    class: u64,
    listed: bool,
}

#[derive(Default)]
struct Counter {
    counted: ReferenceCounts,
    /// The last class looked up: neighbours are often of one class.
    last: Option<(u64, ClassIndex)>,
}

/// Counts the references that [`super::read`] would store.
pub(crate) fn count(
    dump: &Dump,
    classes: &Classes,
    modes: Modes,
    sticky: &HashSet<u64>,
    threads: usize,
) -> Result<ReferenceCounts, Error> {
    let plans = modes.plans(dump, classes);
    let plan =
        |((class, described), followed): ((ClassIndex, &crate::class::Class), super::modes::Followed)| CountPlan {
            fields: [followed.fields, followed.of_thread].concat(),
            left_out: followed.left_out,
            class: u64::from(class != UNKNOWN && !sticky.contains(&described.address)),
            listed: waste::is_listed(classes, class),
        };
    let plans: Vec<CountPlan> = classes.iter().zip(plans).map(plan).collect();
    let ids = dump.ids();
    let visit = |counter: &mut Counter, _, record: Record<'_, '_>| match record {
        Record::Instance { class, fields, .. } => {
            let plan = &plans[counter.class(classes, class).as_usize()];
            let inside = plan.fields.iter().filter(|at| fields.len() >= (**at + ids.bytes()) as usize);
            let followed = inside.filter(|at| ids.read(fields, **at as usize) != 0).count();
            counter.counted.listed += u64::from(plan.listed);
            counter.add(plan.class + followed as u64);
        }
        Record::Objects { class, mut elements, .. } => {
            let mut found = plans[counter.class(classes, class).as_usize()].class;
            while let Some(piece) = elements.next_piece() {
                found += match ids {
                    IdSize::Eight => piece.chunks_exact(8).filter(|value| **value != [0; 8]).count(),
                    IdSize::Four => piece.chunks_exact(4).filter(|value| **value != [0; 4]).count(),
                } as u64;
            }
            counter.add(found);
        }
        Record::Class(record) => {
            let left_out = &plans[classes.find_by_address(record.address).unwrap_or(UNKNOWN).as_usize()].left_out;
            let statics = record.statics.iter().filter(|field| field.kind == FieldType::Object && field.value != 0);
            let statics = statics.filter(|field| !left_out.contains(&field.name));
            let held = [record.superclass, record.loader, record.signers, record.protection_domain];
            counter.add((statics.count() + held.iter().filter(|address| **address != 0).count()) as u64);
        }
        Record::Primitives { .. } | Record::Root(_) => {}
    };
    let counters = dump.fold(threads, Counter::default, visit)?;
    Ok(counters.into_iter().fold(ReferenceCounts::default(), |all, Counter { counted, .. }| ReferenceCounts {
        references: all.references + counted.references,
        lists: all.lists + counted.lists,
        listed: all.listed + counted.listed,
    }))
}

impl Counter {
    #[inline]
    fn class(&mut self, classes: &Classes, address: u64) -> ClassIndex {
        match self.last {
            Some((last, class)) if last == address => class,
            _ => {
                let class = classes.find_by_address(address).unwrap_or(UNKNOWN);
                self.last = Some((address, class));
                class
            }
        }
    }

    #[inline]
    fn add(&mut self, references: u64) {
        self.counted.references += references;
        self.counted.lists += u64::from(references > 0);
    }
}
