//! Pages that need no other file, in the reader's light or dark colours.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use weighbridge_outside::printable;

/// The program and the style of all pages, bundled from `reporter/web` and committed
/// (docs/decisions/0019-charts-of-the-page.md).
pub const PROGRAM: &str = include_str!("../../web/dist/report.js");
/// Beside the program: the style.
pub const STYLE: &str = include_str!("../../web/dist/report.css");

/// The policy of a page: it allows exactly the program and the style, and loads nothing.
pub fn policy() -> String {
    let (style, program) = (digest(STYLE), digest(PROGRAM));
    format!("default-src 'none'; style-src '{style}'; script-src '{program}'; base-uri 'none'; form-action 'none'")
}

/// A source expression of the policy (Content Security Policy Level 3, section 2.3.1).
pub fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// JSON that is embedded in a page. `<` occurs only in strings; escaped, it ends no element and opens no comment.
pub fn embedded(data: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(data)?.replace('<', "\\u003c"))
}

/// A text without characters that have a meaning in HTML.
pub fn escaped(text: &str) -> String {
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
pub fn unfolds(level: usize, open: bool) -> String {
    let flat = if level > DEEPEST { " class=flat" } else { "" };
    format!("<details{flat}{}><summary>", if open { " open" } else { "" })
}

/// A page that is being written.
pub struct Page {
    title: String,
    body: String,
    /// The upper part of a tree, for the areas.
    areas: Option<Areas>,
}

/// Retained bytes that the page's program draws as areas.
#[derive(Serialize)]
pub struct Areas {
    /// What a group is.
    pub by: &'static str,
    /// The largest first.
    pub groups: Vec<Area>,
    /// Bytes in no group.
    pub rest: u64,
}

/// A group, or an area in it.
#[derive(Serialize)]
pub struct Area {
    /// What it is called.
    pub name: String,
    /// Retained bytes.
    pub bytes: u64,
    /// The areas in it.
    pub children: Vec<Area>,
}

impl Page {
    /// An empty page.
    pub fn new(title: &str) -> Self {
        Page { title: escaped(title), body: String::new(), areas: None }
    }

    /// Areas below the first heading.
    pub fn areas(&mut self, areas: Areas) {
        self.areas = Some(areas);
    }

    /// Plain lines.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.body += &format!("<p>{}</p>\n", escaped(&line));
        }
    }

    /// A heading.
    pub fn heading(&mut self, text: &str) {
        self.body += &format!("<h2>{}</h2>\n", escaped(text));
    }

    /// Adds HTML. Names in it must be [`escaped`].
    pub fn raw(&mut self, html: &str) {
        self.body += html;
    }

    /// A table. Columns whose cells are all numbers are aligned right. Cells are HTML. The second line of a head is its unit.
    pub fn table(&mut self, title: &str, head: &[impl AsRef<str>], rows: Vec<Vec<String>>) {
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

    /// Writes the page.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let Page { title, body, areas } = self;
        let areas = match areas {
            Some(areas) => format!("<script type=\"application/json\" id=\"areas\">{}</script>\n", embedded(areas)?),
            None => String::new(),
        };
        let policy = policy();
        writeln!(
            output,
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width, initial-scale=1\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
             <title>{title}</title>\n<style>{STYLE}</style>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n\
             {areas}<script>{PROGRAM}</script>\n</body></html>"
        )
    }
}
