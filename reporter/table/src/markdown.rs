//! A sheet as Markdown, as GitHub and GitLab show it.

use std::io::{self, Write};

use weighbridge_outside::printable;

use crate::section::TextOptions;
use crate::sheet::{Sheet, SheetCell, SheetTable};
use crate::units::{ByteUnit, count};

/// A foreign name, set as code. It stays one name, also in a cell of a table.
pub fn code(name: &str) -> String {
    format!("<code>{}</code>", cell(name))
}

/// A text that stays as it is, also in a cell of a table: what means something in Markdown or HTML is escaped.
pub fn cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            // A name after it would be told of the build.
            '@' => escaped += "&#64;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

impl Sheet {
    /// Writes headings, sentences and tables.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn markdown(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        writeln!(output, "## {}\n", cell(self.title))?;
        write_lines(&self.lines, output)?;
        self.tables.iter().try_for_each(|table| table.markdown(options, output))
    }
}

/// Each line is a paragraph.
fn write_lines(lines: &[String], output: &mut impl Write) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(output, "{}\n", cell(line)))
}

impl SheetTable {
    fn markdown(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        if !self.title.is_empty() {
            writeln!(output, "### {}\n", cell(&self.title))?;
        }
        write_lines(&self.lines, output)?;
        let shown = self.top_rows(options);
        if shown.is_empty() {
            return if self.none.is_empty() { Ok(()) } else { writeln!(output, "{}\n", cell(self.none)) };
        }
        let units: Vec<ByteUnit> = self.units(shown);
        let heads = self.heads(shown, |column| units[column].name());
        let heads: Vec<String> = heads.iter().map(|head| cell(&head.replace('\n', ", "))).collect();
        let is_number = |column: usize| shown.iter().all(|row| row[column].is_number());
        let rules: Vec<&str> = (0..heads.len()).map(|column| if is_number(column) { "--:" } else { ":--" }).collect();
        writeln!(output, "| {} |\n| {} |", heads.join(" | "), rules.join(" | "))?;
        for (index, row) in shown.iter().enumerate() {
            let level = self.levels.get(index).copied().unwrap_or_default();
            let text = |(column, value): (usize, &SheetCell)| {
                let text = cell(&value.in_unit(units[column]));
                // Spaces at the start of a cell are dropped.
                if column == 0 { "&emsp;".repeat(level) + &text } else { text }
            };
            let cells: Vec<String> = row.iter().enumerate().map(text).collect();
            writeln!(output, "| {} |", cells.join(" | "))?;
        }
        match self.rows.len() - shown.len() {
            0 => writeln!(output),
            left => writeln!(output, "\n... and {} more (--top)\n", count(left as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_markdown_is_escaped() {
        assert_eq!(code("a.B_c|d<e>"), r"<code>a.B\_c\|d&lt;e&gt;</code>");
        assert_eq!(cell("GET /a?b=*&c=[1]@me `x` ~y~\n# z"), r"GET /a?b=\*&amp;c=\[1\]&#64;me \`x\` \~y\~\\n\# z");
    }

    #[test]
    fn a_sheet_is_headings_sentences_and_tables() {
        let row = |name: &str, bytes| vec![SheetCell::text(name), SheetCell::Bytes(bytes)];
        let table = SheetTable {
            title: "Classes".to_owned(),
            lines: vec!["all of *them*".to_owned()],
            head: vec!["class", "held"],
            rows: vec![row("a.B_c", 5), row("d|e", 12_345), row("f", 1)],
            may_be_cut: true,
            ..SheetTable::default()
        };
        let none = SheetTable { title: "Others".to_owned(), none: "there are none", ..SheetTable::default() };
        let sheet = Sheet { title: "Heap", lines: vec!["2 objects".to_owned()], tables: vec![table, none] };
        let mut bytes = Vec::new();
        sheet.markdown(&TextOptions { top: Some(2), ..TextOptions::default() }, &mut bytes).unwrap();
        let expected = "## Heap\n\n2 objects\n\n### Classes\n\nall of \\*them\\*\n\n| class | held, KiB |\n| :-- | --: |\n\
                        | a.B\\_c | <0.1 |\n| d\\|e | 12.1 |\n\n... and 1 more (--top)\n\n### Others\n\nthere are none\n\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected.replace("<0.1", "&lt;0.1"));
    }
}
