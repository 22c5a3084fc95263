//! The classes that may leak, with the reasons.

use super::{Options, Section, ink, printable};
use crate::aggregate::Aggregate;
use crate::suspects::{Confidence, Suspect};
use crate::units::count;

/// Suspects shown when `--top` does not say.
const SUSPECTS: usize = 5;

/// Bold colours of ECMA-48, section 8.3.117: readable on black and on white.
const RED: &str = "1;31";
const YELLOW: &str = "1;33";

pub(super) fn section(aggregate: &Aggregate, options: &Options) -> Section {
    let all = &aggregate.suspects;
    let shown = &all[..all.len().min(options.top.unwrap_or(SUSPECTS))];
    let several = aggregate.jvms.len() > 1;
    let of = |(index, suspect)| of(index + 1, suspect, several, options);
    let mut lines: Vec<String> = shown.iter().enumerate().flat_map(of).collect();
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

fn of(rank: usize, suspect: &Suspect, several: bool, options: &Options) -> Vec<String> {
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
