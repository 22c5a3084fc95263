//! Pages that need no other file, in the reader's light or dark colours.

use std::io::{self, Write};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:14px/1.5 system-ui,sans-serif;margin:2em;max-width:80em}\
table{border-collapse:collapse}\
th,td{text-align:left;padding:.15em .9em .15em 0;border-bottom:1px solid color-mix(in srgb,currentColor 15%,transparent)}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\
details details,details p{margin-left:1.4em}\
summary{cursor:pointer}\
summary b{font-weight:600}\
.n{font-variant-numeric:tabular-nums}\
.q{opacity:.65}\
p{margin:.1em 0}";

/// A text whose marks mean nothing to a browser.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
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

    /// A table; columns whose cells are all numbers are set to the right. Cells are marked-up text.
    pub(super) fn table(&mut self, title: &str, head: &[&str], rows: Vec<Vec<String>>) {
        let numeric = |column: usize| {
            rows.iter().all(|row| row[column].chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | ' ' | '%')))
        };
        let class = |column: usize| if numeric(column) { " class=n" } else { "" };
        self.heading(title);
        self.body += "<table><tr>";
        for (column, title) in head.iter().enumerate() {
            self.body += &format!("<th{}>{}</th>", class(column), escaped(title));
        }
        self.body += "</tr>\n";
        for row in &rows {
            self.body += "<tr>";
            for (column, cell) in row.iter().enumerate() {
                self.body += &format!("<td{}>{cell}</td>", class(column));
            }
            self.body += "</tr>\n";
        }
        self.body += "</table>\n";
    }

    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let Page { title, body } = self;
        writeln!(
            output,
            "<!doctype html>\n<html lang=en><meta charset=utf-8><title>{title}</title>\n<style>{STYLE}</style>\n\
             <h1>{title}</h1>\n{body}</html>"
        )
    }
}
