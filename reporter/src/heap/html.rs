//! Pages that need no other file, in the reader's light or dark colours.

use std::io::{self, Write};

use crate::printable::printable;

const STYLE: &str = include_str!("../../web/dist/base.css");

/// A text whose marks mean nothing to a browser.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Levels of a tree from which on rows are set in no further: narrow windows have no room for it.
const DEEPEST: usize = 12;

/// The start of a row that unfolds.
pub(super) fn unfolds(level: usize, open: bool) -> String {
    let flat = if level > DEEPEST { " class=flat" } else { "" };
    format!("<details{flat}{}><summary>", if open { " open" } else { "" })
}

/// A page in the making.
pub(super) struct Page {
    title: String,
    body: String,
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        Page { title: escaped(title), body: String::new() }
    }

    /// Plain lines.
    pub(super) fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.body += &format!("<p>{}</p>\n", escaped(&line));
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.body += &format!("<h2>{}</h2>\n", escaped(text));
    }

    /// Adds marked-up text, whose foreign parts are [`escaped`].
    pub(super) fn raw(&mut self, html: &str) {
        self.body += html;
    }

    /// A table; columns whose cells are all numbers are set to the right. Cells are marked-up text. A head's second line is
    /// its unit.
    pub(super) fn table(&mut self, title: &str, head: &[impl AsRef<str>], rows: Vec<Vec<String>>) {
        let numeric = |column: usize| {
            rows.iter().all(|row| row[column].chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | ' ' | '%')))
        };
        let class = |column: usize| if numeric(column) { " class=n" } else { "" };
        self.heading(title);
        // A table wider than the window scrolls in its own place, also by keys.
        let label = escaped(title);
        self.body += &format!("<div class=scroll tabindex=0 role=group aria-label=\"{label}\"><table><thead><tr>");
        for (column, title) in head.iter().enumerate() {
            self.body += &format!(
                "<th scope=col{}>{}</th>",
                class(column),
                title.as_ref().split('\n').map(escaped).collect::<Vec<_>>().join("<br>")
            );
        }
        self.body += "</tr></thead>\n<tbody>";
        for row in &rows {
            self.body += "<tr>";
            for (column, cell) in row.iter().enumerate() {
                self.body += &format!("<td{}>{cell}</td>", class(column));
            }
            self.body += "</tr>\n";
        }
        self.body += "</tbody></table></div>\n";
    }

    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let Page { title, body } = self;
        writeln!(
            output,
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width, initial-scale=1\">\
             <title>{title}</title>\n<style>{STYLE}</style>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body></html>"
        )
    }
}
