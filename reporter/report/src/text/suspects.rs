//! The classes that may leak, with the reasons.

use weighbridge_outside::printable;

use crate::aggregate::Aggregate;
use crate::suspects::{Confidence, Suspect};
use weighbridge_table::section::{Section, TextOptions, ink};
use weighbridge_table::units::count;

/// Suspects shown without `--top`.
const SUSPECTS: usize = 5;

/// JVMs listed as not judged.
const NOT_JUDGED: usize = 3;

/// Bold colours of ECMA-48, section 8.3.117: readable on black and on white.
const RED: &str = "1;31";
const YELLOW: &str = "1;33";

pub(super) fn section(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let all = &aggregate.suspects;
    let shown = &all[..all.len().min(options.top.unwrap_or(SUSPECTS))];
    let several = aggregate.jvms.len() > 1;
    let of = |(index, suspect)| format_suspect(index + 1, suspect, several, options);
    let mut lines: Vec<String> = shown.iter().enumerate().flat_map(of).collect();
    lines.extend(not_judged(aggregate).into_iter().map(|line| format!("  {line}")));
    let more = (all.len() - shown.len()) as u64;
    if more > 0 {
        lines.push(format!("  ... and {} more (--top)", count(more)));
    }
    if aggregate.suspects_left_out > 0 {
        lines.push(format!(
            "  ... and {} more that no report lists: less speaks for them",
            count(aggregate.suspects_left_out)
        ));
    }
    Section { hang: Some(2), ..Section::new("Leak suspects", lines.join("\n")) }
}

/// Why there are no suspects, or none of some JVMs. A run that was not judged may have a leak.
fn not_judged(aggregate: &Aggregate) -> Vec<String> {
    let (all, missing) = (&aggregate.jvms, &aggregate.not_judged);
    let mut lines: Vec<String> = match all.len() {
        1 => missing.iter().map(|one| format!("not judged: {}", one.reason)).collect(),
        _ => missing
            .iter()
            .take(NOT_JUDGED)
            .map(|one| format!("JVM {} not judged: {}", one.jvm + 1, one.reason))
            .collect(),
    };
    if missing.len() > lines.len() {
        lines.push(format!("... and {} more JVMs not judged", count((missing.len() - lines.len()) as u64)));
    }
    if aggregate.suspects.is_empty() && missing.len() < all.len() {
        let bounds = "; between full markings of the heap only upper bounds are known, so what grows more slowly than garbage \
                      comes does not show";
        let bounds = if aggregate.judged_by_bounds > 0 { bounds } else { "" };
        lines.insert(0, format!("none: no class grows to the end of the run{bounds}"));
    }
    lines
}

fn format_suspect(rank: usize, suspect: &Suspect, several: bool, options: &TextOptions) -> Vec<String> {
    let growth = &suspect.growth;
    let component = growth.component.as_ref().map_or_else(String::new, |component| format!(" of {component}"));
    let jvm = if several { format!(", JVM {}", growth.jvm + 1) } else { String::new() };
    let (confidence, code) = match suspect.confidence {
        Confidence::Strong => ("strong", RED),
        Confidence::Likely => ("likely", YELLOW),
        Confidence::Possible => ("possible", YELLOW),
    };
    let name = ink(&printable(&growth.class), code, options);
    let title = format!("  {rank}. {name}{} ({confidence}{jvm})", printable(&component));
    let reasons = suspect.reasons.iter().map(|reason| format!("     {}", printable(&reason.replace('`', ""))));
    std::iter::once(title).chain(reasons).collect()
}
