//! One table of a sheet as comma-separated values.

use std::io::{self, Write};

use crate::cells::{Cells, CsvWriter};
use crate::sheet::{Sheet, SheetCell, SheetTable};

/// Writes a table with a header line: numbers without separators, bytes as bytes, times as milliseconds, to the nanosecond.
/// What is not known is an empty cell. Rows of a tree begin with their level.
///
/// # Errors
/// Those of `output`.
pub fn write(table: &SheetTable, cells: Cells, output: &mut impl Write) -> io::Result<()> {
    let mut writer = CsvWriter::new(cells, output);
    let is_tree = !table.levels.is_empty();
    let keys = table.column_keys();
    let shown: Vec<usize> = (0..keys.len()).filter(|column| !keys[*column].is_empty()).collect();
    let level = is_tree.then(|| "level".to_owned());
    writer.record(level.into_iter().chain(shown.iter().map(|column| keys[*column].clone())))?;
    for (index, row) in table.rows.iter().enumerate() {
        let level = is_tree.then(|| table.levels.get(index).copied().unwrap_or_default().to_string());
        writer.record(level.into_iter().chain(shown.iter().map(|column| row[*column].plain())))?;
    }
    writer.finish()
}

impl Sheet {
    /// The table with this name, or the first; an error names those that there are.
    ///
    /// # Errors
    /// A sentence.
    pub fn table(&self, name: Option<&str>) -> Result<&SheetTable, String> {
        let found = match name {
            Some(name) => self.tables.iter().find(|table| table.name() == name),
            None => self.tables.first(),
        };
        found.ok_or_else(|| {
            let names: Vec<String> = self.tables.iter().map(SheetTable::name).collect();
            match names.is_empty() {
                true => "this report has no table".to_owned(),
                false => format!("this report has the tables {}", names.join(", ")),
            }
        })
    }
}

impl SheetTable {
    /// By what it is asked for: its key, or else its title in lower case with dashes.
    pub fn name(&self) -> String {
        match self.key {
            "" => join_words(&self.title, '-'),
            key => key.to_owned(),
        }
    }

    /// The keys of the columns; one that is empty is for people only. Without keys they are the titles, in lower case.
    pub(crate) fn column_keys(&self) -> Vec<String> {
        match self.keys.is_empty() {
            true => self.head.iter().map(|title| join_words(title, '_')).collect(),
            false => self.keys.iter().map(|key| (*key).to_owned()).collect(),
        }
    }
}

impl SheetCell {
    fn plain(&self) -> String {
        match self {
            SheetCell::Text(text) => text.clone(),
            SheetCell::Count(n) | SheetCell::Bytes(n) => n.to_string(),
            SheetCell::Span(ns) => exact_milliseconds(*ns),
            SheetCell::MoreObjects(n) | SheetCell::MoreBytes(n) => n.to_string(),
            SheetCell::Share(part, whole) if *whole > 0 => format!("{:.4}", *part as f64 / *whole as f64),
            SheetCell::Share(..) | SheetCell::Nothing => String::new(),
        }
    }
}

fn exact_milliseconds(ns: u64) -> String {
    let (whole, rest) = (ns / 1_000_000, ns % 1_000_000);
    let rest = format!("{rest:06}");
    match rest.trim_end_matches('0') {
        "" => whole.to_string(),
        rest => format!("{whole}.{rest}"),
    }
}

/// The words of a title in lower case, with something between them.
fn join_words(title: &str, between: char) -> String {
    let words = title.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(&between.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &SheetTable) -> String {
        let mut bytes = Vec::new();
        write(table, Cells::Defused, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn numbers_are_plain_and_nothing_is_empty() {
        let row = |text: &str, bytes, span| vec![SheetCell::text(text), SheetCell::Count(1_234_567), bytes, span];
        let table = SheetTable {
            title: "Equal strings".to_owned(),
            head: vec!["content", "copies", "saved", "longest"],
            rows: vec![
                row("=a,b", SheetCell::Nothing, SheetCell::Span(1_500_000)),
                row("b", SheetCell::Bytes(1 << 30), SheetCell::Nothing),
            ],
            ..SheetTable::default()
        };
        let expected = "content,copies,saved,longest\n\"'=a,b\",1234567,,1.5\nb,1234567,1073741824,\n";
        assert_eq!((written(&table).as_str(), table.name().as_str()), (expected, "equal-strings"));
    }

    #[test]
    fn milliseconds_lose_nothing() {
        let written = [0, 1, 1_000_000, 1_500_000, u64::MAX].map(exact_milliseconds);
        assert_eq!(written, ["0", "0.000001", "1", "1.5", "18446744073709.551615"]);
    }

    #[test]
    fn a_tree_has_levels_and_what_is_for_people_is_left_out() {
        let table = SheetTable {
            key: "paths",
            head: vec!["class", "share"],
            keys: vec!["class", ""],
            rows: vec![
                vec![SheetCell::text("a"), SheetCell::text("5 %")],
                vec![SheetCell::text("b"), SheetCell::Nothing],
            ],
            levels: vec![0, 1],
            ..SheetTable::default()
        };
        assert_eq!((written(&table).as_str(), table.name().as_str()), ("level,class\n0,a\n1,b\n", "paths"));
    }

    #[test]
    fn a_table_that_is_not_there_is_an_error_that_names_those_that_are() {
        let table = |key| SheetTable { key, ..SheetTable::default() };
        let sheet = Sheet { tables: vec![table("a"), table("b")], ..Sheet::default() };
        assert_eq!(sheet.table(None).unwrap().key, "a");
        assert_eq!(sheet.table(Some("b")).unwrap().key, "b");
        assert_eq!(sheet.table(Some("c")).unwrap_err(), "this report has the tables a, b");
        assert_eq!(Sheet::default().table(None).unwrap_err(), "this report has no table");
    }
}
