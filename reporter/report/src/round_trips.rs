//! Round trips: what more is live after an operation was done again and again, measured after forced collections.
//!
//! A program measures with the label `round-trip NAME ROUNDS`: before the first round, after some rounds that warm up, and
//! after the last (`Weighbridge.roundTrip`). What grows from the last but one measurement to the last is what remains.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use weighbridge_recording::{ClassHolders, ClassLine, Snapshot};

use crate::holders;

/// Round trips of a JVM that are kept.
const MOST: usize = 1_000;

/// How a label begins.
const LABEL: &str = "round-trip ";

/// The measurements of one operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundTrip {
    /// Index of its JVM in the report.
    pub jvm: usize,
    /// Its name.
    pub name: String,
    /// Rounds before the first of the two measurements that are compared: they warmed up.
    pub from_rounds: Option<u64>,
    /// Rounds before the second.
    pub to_rounds: u64,
    /// Whether both were taken right after a forced full collection.
    pub collected: bool,
    /// Classes that were measured in the second.
    pub classes_measured: u64,
    /// Classes whose live objects or own bytes changed, or are not known exactly, by name.
    pub classes: Vec<Remains>,
    /// The same of all components.
    pub components: Vec<Remains>,
}

/// A class or component before and after the rounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remains {
    /// The class; of a component, its name.
    pub name: String,
    /// The component of a class.
    pub component: Option<String>,
    /// Whether both counts of live objects are exact.
    pub exact: bool,
    /// Whether own bytes are exact in both: every object is tracked.
    pub own_exact: bool,
    /// Live objects before.
    pub from_live: Option<u64>,
    /// Live objects after.
    pub to_live: Option<u64>,
    /// Own bytes before.
    pub from_own_bytes: Option<u64>,
    /// Own bytes after.
    pub to_own_bytes: Option<u64>,
    /// What holds most of its objects after the rounds, and the share of those asked; of the largest classes.
    pub held_by: Option<String>,
}

/// A measurement between rounds.
#[derive(Debug, Clone)]
struct Measured {
    rounds: u64,
    collected: bool,
    classes: BTreeMap<u64, MeasuredFigures>,
    components: BTreeMap<String, MeasuredFigures>,
}

#[derive(Debug, Clone, Default)]
struct MeasuredFigures {
    live: Option<u64>,
    own_bytes: Option<u64>,
    exact: bool,
    own_exact: bool,
    holders: Option<ClassHolders>,
}

/// The round trips of a JVM so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeasuredTrips {
    trips: Vec<Trip>,
}

#[derive(Debug, Clone)]
struct Trip {
    name: String,
    before: Option<Measured>,
    last: Measured,
}

/// Name and rounds of a label.
fn of_label(label: &str) -> Option<(&str, u64)> {
    let (name, rounds) = label.strip_prefix(LABEL)?.rsplit_once(' ')?;
    Some((name, rounds.parse().ok()?))
}

impl MeasuredTrips {
    /// Adds a snapshot, if it is one of a round trip.
    pub(crate) fn add(&mut self, snapshot: &Snapshot) {
        let Some((name, rounds)) = snapshot.label.as_deref().and_then(of_label) else { return };
        let measured = Measured {
            rounds,
            collected: snapshot.collected == Some(true),
            classes: snapshot
                .classes
                .iter()
                .map(|row| {
                    let (exact, own_exact) = (row.objects_error() == Some(0.0), row.exact == Some(true));
                    let holders = holders::merge_chains(row.holders.as_ref());
                    (
                        row.id,
                        MeasuredFigures { live: row.objects(), own_bytes: row.own_bytes, exact, own_exact, holders },
                    )
                })
                .collect(),
            components: snapshot
                .components
                .iter()
                .map(|row| {
                    let (exact, own_exact) = (row.objects_error() == Some(0.0), row.exact == Some(true));
                    let figures = MeasuredFigures {
                        live: row.objects(),
                        own_bytes: row.own_bytes,
                        exact,
                        own_exact,
                        holders: None,
                    };
                    (row.name.clone(), figures)
                })
                .collect(),
        };
        // Fewer rounds than before begin anew: the operation is tested twice.
        let goes_on = |trip: &&mut Trip| trip.name == name && trip.last.rounds < rounds;
        let room = self.trips.len() < MOST;
        match self.trips.iter_mut().rev().find(goes_on) {
            Some(trip) => trip.before = Some(std::mem::replace(&mut trip.last, measured)),
            None if room => {
                self.trips.push(Trip { name: name.to_owned(), before: None, last: measured });
            }
            None => {}
        }
    }

    /// The round trips of the JVM, in their order.
    pub(crate) fn finish(self, jvm: usize, lines: &BTreeMap<u64, ClassLine>) -> impl Iterator<Item = RoundTrip> {
        self.trips.into_iter().map(move |trip| {
            let of_class = |(id, after): (&u64, &MeasuredFigures)| {
                let line = lines.get(id)?;
                let before = trip.before.as_ref()?.classes.get(id);
                let remains = remains(&line.class, line.component.as_deref(), before, after);
                (!remains.exact || !remains.own_exact || remains.changes()).then_some(remains)
            };
            let of_component = |(name, after): (&String, &MeasuredFigures)| {
                Some(remains(name, None, trip.before.as_ref()?.components.get(name), after))
            };
            let mut classes: Vec<Remains> = trip.last.classes.iter().filter_map(of_class).collect();
            classes.sort_by(|a, b| a.name.cmp(&b.name));
            RoundTrip {
                jvm,
                from_rounds: trip.before.as_ref().map(|before| before.rounds),
                to_rounds: trip.last.rounds,
                collected: trip.last.collected && trip.before.as_ref().is_some_and(|before| before.collected),
                classes_measured: trip.last.classes.len() as u64,
                classes,
                components: trip.last.components.iter().filter_map(of_component).collect(),
                name: trip.name,
            }
        })
    }
}

fn remains(name: &str, component: Option<&str>, before: Option<&MeasuredFigures>, after: &MeasuredFigures) -> Remains {
    // A class without a row had constructed nothing.
    let nothing = MeasuredFigures { live: Some(0), own_bytes: Some(0), exact: true, own_exact: true, holders: None };
    let before = before.unwrap_or(&nothing);
    Remains {
        name: name.to_owned(),
        component: component.map(str::to_owned),
        exact: before.exact && after.exact,
        own_exact: before.own_exact && after.own_exact,
        from_live: before.live,
        to_live: after.live,
        from_own_bytes: before.own_bytes,
        to_own_bytes: after.own_bytes,
        held_by: after
            .holders
            .as_ref()
            .and_then(holders::most_frequent)
            .map(|(share, chain)| format!("{share} of those asked by {chain}")),
    }
}

impl Remains {
    fn changes(&self) -> bool {
        self.from_live != self.to_live || self.from_own_bytes != self.to_own_bytes
    }
}

impl RoundTrip {
    /// How many rounds are between the two measurements that are compared.
    pub fn rounds(&self) -> Option<u64> {
        self.to_rounds.checked_sub(self.from_rounds?)
    }
}

#[cfg(test)]
mod tests {
    use super::of_label;

    #[test]
    fn a_label_has_a_name_and_the_rounds_so_far() {
        assert_eq!(of_label("round-trip log in 20"), Some(("log in", 20)));
        assert_eq!(of_label("round-trip login"), None);
        assert_eq!(of_label("round-trip login x"), None);
        assert_eq!(of_label("login 20"), None);
    }
}
