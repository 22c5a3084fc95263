//! Judges round trips: what more is live after an operation was done again and again.

use weighbridge_config::{Figure, RoundTrip, Subject};
use weighbridge_reporter::{Remains, RoundTrip as Measured, SavedReport, units};

use crate::judge::{Outcome, Verdict};

/// The verdicts of a `[[round_trip]]`: one for each class or component that grows by more than is allowed, and one for all
/// that do not, or one that says why nothing is known.
pub(crate) fn judge(allowed: &RoundTrip, report: &SavedReport) -> Vec<Verdict> {
    let named = |trip: &&Measured| trip.name == allowed.name;
    let measured: Vec<&Measured> = report.round_trips.iter().flatten().filter(named).collect();
    if measured.is_empty() {
        return vec![Verdict { outcome: Outcome::NotFound, ..verdict(allowed, None) }];
    }
    measured.into_iter().flat_map(|trip| one(allowed, trip)).collect()
}

fn one(allowed: &RoundTrip, trip: &Measured) -> Vec<Verdict> {
    let unknown = |subject: Option<&Remains>, reason: String| Verdict {
        outcome: Outcome::NotMeasured,
        reason: Some(reason),
        ..verdict(allowed, subject)
    };
    let Some(rounds) = trip.rounds() else {
        return vec![unknown(None, "it was measured only once".to_owned())];
    };
    if !trip.collected {
        return vec![unknown(None, "it was measured without full collections".to_owned())];
    }
    let after = format!("after {}", units::count_with_noun(rounds, "round", "rounds"));
    let rows = rows(allowed, trip);
    if rows.is_empty() && matches!(allowed.subject, Some(Subject::Component(_))) {
        return vec![Verdict { outcome: Outcome::NotFound, ..verdict(allowed, None) }];
    }
    let mut verdicts = Vec::new();
    let mut most = 0.0;
    for row in rows {
        let (before, now, exact) = match allowed.figure {
            Figure::OwnBytes => (row.from_own_bytes, row.to_own_bytes, row.own_exact),
            _ => (row.from_live, row.to_live, row.exact),
        };
        let Some((now, before)) = now.zip(before) else {
            verdicts.push(unknown(Some(row), "it is only counted".to_owned()));
            continue;
        };
        let grown = now as f64 - before as f64;
        if !exact {
            let reason = "it is sampled: a larger measure.budget.references makes it exact";
            verdicts.push(unknown(Some(row), reason.to_owned()));
        } else if grown > allowed.max as f64 {
            let held = row.held_by.as_ref().map_or_else(String::new, |held| format!("; held: {held}"));
            verdicts.push(Verdict {
                outcome: Outcome::Broken,
                value: Some(grown),
                error: Some(0.0),
                detail: Some(format!("more {after}{held}")),
                ..verdict(allowed, Some(row))
            });
        } else {
            most = grown.max(most);
        }
    }
    if verdicts.is_empty() {
        let classes = units::count_with_noun(trip.classes_measured, "class", "classes");
        let detail = Some(format!("more at most {after}, of {classes} that were measured"));
        verdicts.push(Verdict {
            outcome: Outcome::Held,
            value: Some(most),
            error: Some(0.0),
            detail,
            ..verdict(allowed, None)
        });
    }
    verdicts
}

/// The rows that it bounds.
fn rows<'a>(allowed: &RoundTrip, trip: &'a Measured) -> Vec<&'a Remains> {
    match &allowed.subject {
        None => trip.classes.iter().collect(),
        Some(Subject::Class(pattern)) => trip.classes.iter().filter(|row| pattern.matches_class(&row.name)).collect(),
        Some(Subject::Component(name)) => trip.components.iter().filter(|row| row.name == *name).collect(),
        // The configuration has no such round trip.
        Some(Subject::Tag { .. }) => Vec::new(),
    }
}

fn verdict(allowed: &RoundTrip, row: Option<&Remains>) -> Verdict {
    let of = match (row, &allowed.subject) {
        (Some(row), Some(Subject::Component(_))) => format!(": component {}", row.name),
        (Some(row), _) => match &row.component {
            Some(component) => format!(": class {} of component {component}", row.name),
            None => format!(": class {}", row.name),
        },
        (None, None) => String::new(),
        (None, Some(Subject::Class(pattern))) => format!(": class {}", pattern.text()),
        (None, Some(Subject::Component(name))) => format!(": component {name}"),
        (None, Some(Subject::Tag { key, value })) => format!(": tag {key}={value}"),
    };
    Verdict {
        line: allowed.line,
        subject: format!("round trip {}{of}", allowed.name),
        figure: allowed.figure.name(),
        is_bytes: allowed.figure.is_bytes(),
        bound: "rounds",
        outcome: Outcome::NotMeasured,
        value: None,
        error: None,
        lower_bound: false,
        limit: Some(allowed.max as f64),
        baseline: None,
        over: None,
        reason: None,
        detail: None,
    }
}
