//! `docs/corpus.md`.

use super::fetch::checkout;
use super::list::list;
use super::report::{CorpusReport, ItemReport, KindReport, figures};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

impl CorpusReport {
    /// The summary as Markdown.
    pub fn table(&self) -> String {
        let mut out = String::new();
        // Writing into a String cannot fail.
        let _ = write(self, &mut out);
        out
    }

    /// Writes `docs/corpus.md` from the figures of all items of the list, each from the run that examined it last.
    pub fn publish(mut self) -> Result<Self> {
        (self.items, self.unexamined) = Default::default();
        for item in list()?.items {
            match fs::read_to_string(figures(&item.name)) {
                Ok(text) => self.items.push(serde_json::from_str(&text).context(item.name)?),
                Err(_) => self.unexamined.push(format!("{}: not examined", item.name)),
            }
        }
        fs::write(checkout().join("docs/corpus/about.json"), serde_json::to_string_pretty(&self.about)? + "\n")?;
        fs::write(checkout().join("docs/corpus.md"), self.table()).context("write docs/corpus.md")?;
        Ok(self)
    }
}

fn write(report: &CorpusReport, out: &mut String) -> std::fmt::Result {
    let about = &report.about;
    writeln!(out, "# The corpus run\n")?;
    writeln!(
        out,
        "Real jars, rewritten with every probe kind and held against five oracles. Written by `{}` on {}; raw figures in \
         `docs/corpus/`.\n",
        about.command, about.date
    )?;
    writeln!(
        out,
        "Rewriter {}, JDK {} as the verifier, ASM {}, {}; {}.\n",
        about.rewriter, about.jdk, about.asm, about.structural_verifier, about.machine
    )?;
    writeln!(out, "{}", EXPLANATION)?;
    writeln!(out, "## What was rewritten\n")?;
    writeln!(
        out,
        "| Item | Jars | Classes | MB of classes | Methods with code | Constructors | Structurally sound | Linked before | Commit |"
    )?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|--:|--:|---|")?;
    for item in &report.items {
        let (c, linked) = (&item.census, item.linked_before.as_ref());
        let linked =
            linked.map_or("not loaded".to_owned(), |l| format!("{} of {}", number(l.linked), number(l.classes)));
        writeln!(
            out,
            "| {} | {} | {} | {:.1} | {} | {} | {} | {linked} | {} |",
            item.name,
            number(c.jars),
            number(c.classes),
            c.bytes as f64 / 1e6,
            number(c.methods),
            number(c.constructors),
            number(c.structurally_sound),
            item.commit
        )?;
    }
    totals_of_census(report, out)?;
    writeln!(out, "\n## What the oracles say\n")?;
    let names: Vec<&str> =
        report.items.first().map_or(Vec::new(), |i| i.kinds.iter().map(|k| k.kind.as_str()).collect());
    for kind in names {
        one_kind(report, kind, out)?;
    }
    archives(report, out)?;
    reasons(report, out)?;
    failures(report, out)
}

const EXPLANATION: &str = "\
- **Panics**: the engine ran with overflow checks on; a panic is counted per class.
- **Structure**: classes that `ristretto_classfile`'s verifier accepted before and not after.
- **Linked**: every class on the item's own class path is loaded and linked, none initialised, in a child JVM with its \
verifier on; *lost* counts classes whose outcome differs from the original's in either direction. Classes that do not \
link before are counted by reason below. Classes under `META-INF/versions`, and those that an earlier jar of the class \
path hides, are linked by loaders of their own; `module-info` is not linked.
- **Text**: ASM's `Textifier` prints each class before and after; the injected sequences are taken out first, each only \
where its kind must be (on the right side of labels, lines and frames), and labels are renumbered. Frames, lines, \
local variables, exception tables, type annotations, `max_locals`, and the bytes of unknown attributes are part of the \
text; `max_stack` may exceed the original's by what the sequence needs. As many sequences must be found as the engine \
says that it inserted. Scopes, work and every event are not judged by this one.
- **Archives**: each jar is instrumented as a whole by the product. Where nothing matches it has to come out with the \
same bytes; where everything matches, entries without a rewritten class keep their raw bytes, extra fields, time and order.
- The calls are to a class that does not exist: linking does not resolve it.
- **Commit**: of the checkout that an item was examined with; `cargo xtask corpus --only NAME --publish` repeats one item.
";

fn totals_of_census(report: &CorpusReport, out: &mut String) -> std::fmt::Result {
    let sum = |of: fn(&ItemReport) -> u64| report.items.iter().map(of).sum::<u64>();
    writeln!(
        out,
        "| **total** | {} | {} | {:.1} | {} | {} | {} | {} of {} | |",
        number(sum(|i| i.census.jars)),
        number(sum(|i| i.census.classes)),
        sum(|i| i.census.bytes) as f64 / 1e6,
        number(sum(|i| i.census.methods)),
        number(sum(|i| i.census.constructors)),
        number(sum(|i| i.census.structurally_sound)),
        number(sum(|i| i.linked_before.as_ref().map_or(0, |l| l.linked))),
        number(sum(|i| i.linked_before.as_ref().map_or(0, |l| l.classes))),
    )
}

/// The figures of a row, in the order of the columns.
fn row(kind: &KindReport) -> [u64; 10] {
    let (rewrites, linked) = (&kind.rewrites, kind.linked.as_ref());
    [
        rewrites.rewritten,
        rewrites.insertions,
        rewrites.skipped.values().sum::<u64>() - rewrites.errors.len() as u64,
        rewrites.errors.len() as u64,
        kind.compared.as_ref().map_or(0, |compared| compared.widened),
        linked.map_or(0, |l| l.linked),
        linked.map_or(0, |l| l.lost.len() as u64),
        kind.compared.as_ref().map_or(0, |compared| compared.differences.len() as u64),
        rewrites.complaints.len() as u64,
        rewrites.panics.len() as u64,
    ]
}

fn one_kind(report: &CorpusReport, name: &str, out: &mut String) -> std::fmt::Result {
    writeln!(out, "### {name}\n")?;
    writeln!(
        out,
        "| Item | Rewritten | Insertions | Skipped | Refused | Jumps widened | Linked after | Lost | Text differs | Structure | Panics |"
    )?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    let mut total = [0; 10];
    for item in &report.items {
        let Some(kind) = item.kinds.iter().find(|kind| kind.kind == name) else { continue };
        let figures = row(kind);
        total.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        writeln!(out, "| {} | {} |", item.name, figures.map(number).join(" | "))?;
    }
    writeln!(out, "| **total** | {} |\n", total.map(number).join(" | "))
}

fn archives(report: &CorpusReport, out: &mut String) -> std::fmt::Result {
    writeln!(out, "### Archives\n")?;
    writeln!(
        out,
        "| Item | Same bytes when nothing matches | Entries kept raw when all match | Entries changed | Differences |"
    )?;
    writeln!(out, "|---|--:|--:|--:|--:|")?;
    let mut total = [0; 4];
    for item in &report.items {
        let all = &item.archives;
        let figures = [all.identical, all.kept, all.changed, all.differences.len() as u64];
        total.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        writeln!(out, "| {} | {} |", item.name, figures.map(number).join(" | "))?;
    }
    writeln!(out, "| **total** | {} |\n", total.map(number).join(" | "))
}

fn reasons(report: &CorpusReport, out: &mut String) -> std::fmt::Result {
    writeln!(out, "## Why classes were left alone\n\n| Kind | Reason | Classes |\n|---|---|--:|")?;
    let mut all: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for kind in report.items.iter().flat_map(|item| &item.kinds) {
        for (reason, classes) in &kind.rewrites.skipped {
            *all.entry((&kind.kind, reason)).or_default() += classes;
        }
    }
    for ((kind, reason), classes) in all {
        writeln!(out, "| {kind} | {reason} | {} |", number(classes))?;
    }
    writeln!(out, "\n## Why classes do not link, before as after\n\n| Error of the JVM | Classes |\n|---|--:|")?;
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for (error, classes) in report.items.iter().flat_map(|i| &i.linked_before).flat_map(|linked| &linked.refused) {
        *refused.entry(error).or_default() += classes;
    }
    refused.iter().try_for_each(|(error, classes)| writeln!(out, "| {error} | {} |", number(*classes)))?;
    let refused =
        report.items.iter().flat_map(|i| &i.kinds).flat_map(|k| k.rewrites.errors.iter().map(move |e| (k, e)));
    let refused: Vec<_> = refused.collect();
    if !refused.is_empty() {
        writeln!(out, "\nRefused, and left as they were (the first 40 of {}):\n", refused.len())?;
        for (kind, error) in refused.iter().take(40) {
            writeln!(out, "- {}: {error}", kind.kind)?;
        }
    }
    let kinds = report.items.iter().flat_map(|item| &item.kinds);
    let unjudged: Vec<_> =
        kinds.flat_map(|kind| kind.rewrites.unjudged.iter().map(move |class| (kind, class))).collect();
    if !unjudged.is_empty() {
        writeln!(out, "\nStructure not judged: `ristretto_classfile` fails by an overflow of its own:\n")?;
        unjudged.iter().try_for_each(|(kind, class)| writeln!(out, "- {}: {class}", kind.kind))?;
    }
    let unread: Vec<&String> = report.items.iter().flat_map(|item| &item.unread).collect();
    if !unread.is_empty() {
        writeln!(out, "\nOriginals that ASM cannot read, so their text is not compared:\n")?;
        unread.iter().try_for_each(|class| writeln!(out, "- {class}"))?;
    }
    Ok(())
}

fn failures(report: &CorpusReport, out: &mut String) -> std::fmt::Result {
    let failures: Vec<String> = report.failures().collect();
    writeln!(out, "\n## Failures\n")?;
    if failures.is_empty() {
        return writeln!(out, "None.");
    }
    writeln!(out, "{} in all; the first 40:\n", failures.len())?;
    failures.iter().take(40).try_for_each(|failure| writeln!(out, "- {failure}"))
}

/// Digits in groups of three.
fn number(n: u64) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
    }
}
