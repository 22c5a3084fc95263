//! A sheet as data, for a page that draws it itself.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::sheet::{Sheet, SheetCell, SheetTable};

/// What a page's program reads of a [`Sheet`]: its lines, and its tables as those of a report's page.
#[derive(Debug, Serialize)]
pub struct SheetData<'a> {
    title: &'a str,
    lines: &'a [String],
    tables: Vec<TableData<'a>>,
}

#[derive(Debug, Serialize)]
struct TableData<'a> {
    title: &'a str,
    lines: &'a [String],
    /// Replaces a table without rows.
    none: &'a str,
    columns: Vec<Head<'a>>,
    /// A cell is a text, a number, a number with the text that is shown instead, or `null`.
    rows: Vec<Vec<Json>>,
    /// Of a tree: the level of each row.
    levels: &'a [usize],
}

#[derive(Debug, Serialize)]
struct Head<'a> {
    title: &'a str,
    kind: &'static str,
}

impl Sheet {
    /// The sheet as data, with all rows.
    pub fn data(&self) -> SheetData<'_> {
        SheetData { title: self.title, lines: &self.lines, tables: self.tables.iter().map(SheetTable::data).collect() }
    }
}

impl SheetTable {
    fn data(&self) -> TableData<'_> {
        let column = |(at, title): (usize, &&'static str)| Head { title, kind: self.kind(at) };
        TableData {
            title: &self.title,
            lines: &self.lines,
            none: self.none,
            columns: self.head.iter().enumerate().map(column).collect(),
            rows: self.rows.iter().map(|row| row.iter().map(cell).collect()).collect(),
            levels: &self.levels,
        }
    }

    /// What the cells of a column are.
    fn kind(&self, at: usize) -> &'static str {
        let mut cells = self.rows.iter().map(|row| &row[at]).filter(|cell| !matches!(cell, SheetCell::Nothing));
        match cells.next() {
            None | Some(SheetCell::Text(_)) => "name",
            Some(SheetCell::Bytes(_)) => "bytes",
            Some(_) => "count",
        }
    }
}

fn cell(cell: &SheetCell) -> Json {
    match cell {
        SheetCell::Text(text) => text.as_str().into(),
        SheetCell::Count(n) | SheetCell::Bytes(n) => (*n).into(),
        SheetCell::Span(ns) => json!([ns, cell.exact()]),
        SheetCell::MoreObjects(n) | SheetCell::MoreBytes(n) => json!([n, cell.exact()]),
        SheetCell::Share(part, _) => json!([part, cell.exact()]),
        SheetCell::Nothing => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_text_a_number_or_a_number_with_its_text_and_nothing_is_null() {
        let table = SheetTable {
            title: "calls".to_owned(),
            head: vec!["Method", "Calls", "Bytes", "ms", "More"],
            rows: vec![
                vec![
                    SheetCell::text("<b>"),
                    SheetCell::Count(5),
                    SheetCell::Bytes(9),
                    SheetCell::Span(1_500_000),
                    SheetCell::MoreBytes(-3),
                ],
                vec![
                    SheetCell::text("b"),
                    SheetCell::Nothing,
                    SheetCell::Nothing,
                    SheetCell::Nothing,
                    SheetCell::Nothing,
                ],
            ],
            ..SheetTable::default()
        };
        let sheet = Sheet { title: "traces", lines: vec!["a line".to_owned()], tables: vec![table] };
        let data = serde_json::to_value(sheet.data()).expect("JSON");
        let kinds: Vec<&str> = data["tables"][0]["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .filter_map(|column| column["kind"].as_str())
            .collect();
        assert_eq!(kinds, ["name", "count", "bytes", "count", "count"]);
        assert_eq!(
            data["tables"][0]["rows"],
            json!([["<b>", 5, 9, [1_500_000, "1.5"], [-3, "-3"]], ["b", null, null, null, null]])
        );
    }
}
