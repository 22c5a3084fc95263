//! Pages that need no other file, in the reader's light or dark colours.

use std::io::{self, Write};

use crate::printable::printable;

const STYLE: &str = include_str!("../web/dist/base.css");

/// A text without characters that have a meaning in HTML.
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

/// Rows of a tree below this level are not indented further: narrow windows have no room.
const DEEPEST: usize = 12;

/// The start of a row that unfolds.
pub(crate) fn unfolds(level: usize, open: bool) -> String {
    let flat = if level > DEEPEST { " class=flat" } else { "" };
    format!("<details{flat}{}><summary>", if open { " open" } else { "" })
}

/// A page that is being written.
pub(crate) struct Page {
    title: String,
    body: String,
}

impl Page {
    pub(crate) fn new(title: &str) -> Self {
        Page { title: escaped(title), body: String::new() }
    }

    /// Plain lines.
    pub(crate) fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.body += &format!("<p>{}</p>\n", escaped(&line));
        }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.body += &format!("<h2>{}</h2>\n", escaped(text));
    }

    /// Adds HTML. Names in it must be [`escaped`].
    pub(crate) fn raw(&mut self, html: &str) {
        self.body += html;
    }

    /// A table. Columns whose cells are all numbers are aligned right. Cells are HTML. The second line of a head is its unit.
    pub(crate) fn table(&mut self, title: &str, head: &[impl AsRef<str>], rows: Vec<Vec<String>>) {
        let numeric = |column: usize| {
            rows.iter().all(|row| row[column].chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | ' ' | '%')))
        };
        let class = |column: usize| if numeric(column) { " class=n" } else { "" };
        self.heading(title);
        // A table wider than the window scrolls in its own box, also by keys.
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

    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let Page { title, body } = self;
        writeln!(
            output,
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width, initial-scale=1\">\
             <title>{title}</title>\n<style>{STYLE}</style>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body></html>"
        )
    }
}
