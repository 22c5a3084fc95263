//! A short report for the page of a build: what stands out, and the largest components and classes, as GitHub reads Markdown
//! (<https://github.github.com/gfm/>).

use std::io::{self, Write};

use weighbridge_outside::printable;
pub use weighbridge_table::markdown::{cell, code};

use crate::aggregate::Aggregate;
use crate::figures::{ClassFigures, ComponentFigures};
use crate::findings;
use crate::row::ReportRow;
use crate::trust::TrustMarks;
use weighbridge_table::units::{bytes, count, count_with_noun};

/// Writes the summary, the suspects first, and tables of at most `top` components and classes. `link` is the address of the
/// whole report. The same input gives the same bytes.
pub fn write(aggregate: &Aggregate, top: usize, link: Option<&str>, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "### Memory\n")?;
    for sentence in findings::statements(aggregate) {
        writeln!(output, "- {}", sentence_of(&sentence))?;
    }
    table("Component", &aggregate.components, |row: &ComponentFigures| &row.component, aggregate, top, output)?;
    table("Class", &aggregate.classes, |row: &ClassFigures| &row.class, aggregate, top, output)?;
    if let Some(link) = link {
        writeln!(output, "\n[The whole report](<{}>)", address(link))?;
    }
    writeln!(output, "\n{MARKS}")
}

/// What the signs of figures mean.
const MARKS: &str = "<sub>Figures are exact but for those with a sign: ~ about, \u{2265} at least, \u{b1} half of the 95 % \
                     interval of a sample, - not measured. Own: held without passing an object of another row, and by no \
                     other row so. Deep: everything reached; rows overlap.</sub>";

fn table<R: ReportRow>(
    title: &str,
    all: &[R],
    name: impl Fn(&R) -> &str,
    aggregate: &Aggregate,
    top: usize,
    output: &mut impl Write,
) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let blur = aggregate.blur();
    writeln!(output, "\n| {title} | Live | Own | Deep |\n|:--|--:|--:|--:|")?;
    for row in all.iter().take(top) {
        let cell = |key: &str, text: fn(u64) -> String| {
            cell(&row.trust(key, &blur).marked(row.value(key).count(), text, &TrustMarks::TEXT))
        };
        let figures = [cell("live", count), cell("own_bytes", bytes), cell("deep_bytes", bytes)];
        writeln!(output, "| {} | {} |", code(name(row)), figures.join(" | "))?;
    }
    match all.len().saturating_sub(top) {
        0 => Ok(()),
        more => writeln!(output, "\n{} more.", count_with_noun(more as u64, "row", "rows")),
    }
}

/// A sentence, whose names are between backticks.
fn sentence_of(sentence: &str) -> String {
    let parts: Vec<&str> = sentence.split('`').collect();
    match parts.len() % 2 {
        1 => parts.iter().enumerate().map(|(i, part)| if i % 2 == 1 { code(part) } else { cell(part) }).collect(),
        // A name has a backtick of its own.
        _ => cell(sentence),
    }
}

/// What may not be in an address between angle brackets.
fn address(link: &str) -> String {
    printable(link).replace('<', "%3C").replace('>', "%3E").replace('\\', "%5C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_sentence_are_set_as_code() {
        assert_eq!(sentence_of("`a_b` holds 2 MiB."), r"<code>a\_b</code> holds 2 MiB.");
        assert_eq!(sentence_of("`a`b` holds"), r"\`a\`b\` holds");
    }

    #[test]
    fn an_address_does_not_end_early() {
        assert_eq!(address("https://a.example/x>(y)"), "https://a.example/x%3E(y)");
    }
}
