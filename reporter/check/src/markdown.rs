//! Verdicts for the page of a build.

use std::io::{self, Write};

use weighbridge_reporter::markdown::{self, cell, code};
use weighbridge_reporter::{Aggregate, units};

use crate::judge::{Outcome, Verdict};
use crate::verdicts::{amount, sentence};

/// In the order in which they matter.
const ORDER: [Outcome; 5] =
    [Outcome::Broken, Outcome::NotMeasured, Outcome::WithinError, Outcome::NotFound, Outcome::Held];

/// Writes a table of the verdicts, what is broken first, and the short report of the recordings, with `top` rows a table.
pub fn write(
    verdicts: &[Verdict],
    config_path: &str,
    (aggregate, top): (Option<&Aggregate>, usize),
    link: Option<&str>,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let of = |outcome: Outcome| verdicts.iter().filter(move |verdict| verdict.outcome == outcome);
    let counts: Vec<String> = ORDER
        .into_iter()
        .map(|outcome| (of(outcome).count() as u64, outcome.word()))
        .filter(|(some, _)| *some > 0)
        .map(|(some, word)| format!("{} {word}", units::count(some)))
        .collect();
    writeln!(out, "### Memory budgets: {}\n", counts.join(", "))?;
    let told: Vec<&Verdict> = ORDER[..4].iter().flat_map(|outcome| of(*outcome)).collect();
    if !told.is_empty() {
        writeln!(out, "| | What | Figure | Value | Limit | Line |\n|:--|:--|:--|--:|--:|--:|")?;
        told.iter().try_for_each(|verdict| row(verdict, out))?;
        writeln!(out)?;
        for verdict in told {
            writeln!(out, "- {}", cell(&sentence(verdict)))?;
        }
        writeln!(out)?;
    }
    if of(Outcome::Held).next().is_some() {
        writeln!(
            out,
            "<details><summary>Held</summary>\n\n| | What | Figure | Value | Limit | Line |\n|:--|:--|:--|--:|--:|--:|"
        )?;
        of(Outcome::Held).try_for_each(|verdict| row(verdict, out))?;
        writeln!(out, "\n</details>\n")?;
    }
    writeln!(out, "<sub>Budgets of {}</sub>\n", code(config_path))?;
    match aggregate {
        Some(aggregate) => markdown::write(aggregate, top, link, &mut out),
        None => Ok(()),
    }
}

fn row(verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let word = match verdict.outcome {
        Outcome::Broken => "\u{274c} **broken**".to_owned(),
        Outcome::Held => "\u{2705} held".to_owned(),
        other => format!("\u{26a0}\u{fe0f} {}", other.word()),
    };
    let value = verdict.value.map_or_else(|| "-".to_owned(), |value| amount(verdict, value));
    let least = if verdict.lower_bound { "\u{2265}" } else { "" };
    let error = verdict.error.filter(|error| *error > 0.0);
    let error = error.map_or_else(String::new, |error| format!(" \u{b1} {}", amount(verdict, 2.0 * error)));
    let limit = verdict.limit.map_or_else(|| "-".to_owned(), |limit| amount(verdict, limit));
    let Verdict { subject, figure, line, .. } = verdict;
    writeln!(out, "| {word} | {} | {} | {least}{value}{error} | {limit} | {line} |", code(subject), code(figure))
}
