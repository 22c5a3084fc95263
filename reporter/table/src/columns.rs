//! Columns that are defined once: for people, for JSON and CSV, and for the documents.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::sheet::{SheetCell, SheetTable};

/// A column of rows of one type.
#[derive(Debug)]
pub struct Column<R> {
    /// Its key in JSON and CSV.
    pub key: &'static str,
    /// Its heading for people.
    pub title: &'static str,
    /// What it has, in Markdown, for the documents; empty if its key says it.
    pub meaning: &'static str,
    /// The cell of a row.
    pub value: fn(&R) -> SheetCell,
    /// If a terminal has no room, columns with the highest rank are left out first; rank 0 is always shown.
    pub rank: u8,
    /// Whether only people see it: it can be computed from the others.
    pub for_people: bool,
}

impl<R> Column<R> {
    /// A column that is always shown.
    pub const fn new(key: &'static str, title: &'static str, value: fn(&R) -> SheetCell) -> Self {
        Column { key, title, meaning: "", value, rank: 0, for_people: false }
    }

    /// With documentation.
    pub const fn with_meaning(self, meaning: &'static str) -> Self {
        Column { meaning, ..self }
    }

    /// Left out where there is no room.
    pub const fn with_rank(self, rank: u8) -> Self {
        Column { rank, ..self }
    }

    /// Neither in JSON nor in CSV.
    pub const fn only_for_people(self) -> Self {
        Column { for_people: true, ..self }
    }
}

/// A row of a table.
pub trait TableRow: Sized + 'static {
    /// Its columns, in the order of JSON.
    const COLUMNS: &'static [Column<Self>];
}

/// Rows, whose JSON is an array of objects with the keys of the columns.
#[derive(Debug, Clone)]
pub struct Rows<R>(pub Vec<R>);

/// A row as a JSON object.
struct RowObject<'a, R>(&'a R);

impl<R: TableRow> Serialize for RowObject<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for column in R::COLUMNS.iter().filter(|column| !column.for_people) {
            map.serialize_entry(column.key, &(column.value)(self.0))?;
        }
        map.end()
    }
}

impl<R: TableRow> Serialize for Rows<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.len()))?;
        for row in &self.0 {
            rows.serialize_element(&RowObject(row))?;
        }
        rows.end()
    }
}

impl<R: TableRow> Rows<R> {
    /// As a table that `--top` cuts.
    pub fn table(&self, key: &'static str, title: &str) -> SheetTable {
        let columns = R::COLUMNS;
        SheetTable {
            key,
            title: title.to_owned(),
            head: columns.iter().map(|column| column.title).collect(),
            keys: columns.iter().map(|column| if column.for_people { "" } else { column.key }).collect(),
            ranks: columns.iter().map(|column| column.rank).collect(),
            rows: self.0.iter().map(|row| columns.iter().map(|column| (column.value)(row)).collect()).collect(),
            may_be_cut: true,
            ..SheetTable::default()
        }
    }
}

/// The keys of a row and what they have, as a table of a document.
pub fn keys_table<R: TableRow>() -> String {
    let mut table = "| Key | Holds |\n|---|---|\n".to_owned();
    for column in R::COLUMNS.iter().filter(|column| !column.for_people) {
        let meaning = if column.meaning.is_empty() { column.title } else { column.meaning };
        table += &format!("| `{}` | {meaning} |\n", column.key);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pair {
        name: String,
        bytes: u64,
    }

    impl TableRow for Pair {
        const COLUMNS: &'static [Column<Self>] = &[
            Column::new("name", "what", |row| SheetCell::text(row.name.as_str())),
            Column::new("held_bytes", "held", |row: &Self| SheetCell::Bytes(row.bytes))
                .with_meaning("what it holds")
                .with_rank(2),
            Column::new("share", "share", |_| SheetCell::text("50.0 %")).only_for_people(),
        ];
    }

    #[test]
    fn a_column_is_the_key_of_json_the_head_of_a_table_and_a_line_of_the_document() {
        let rows = Rows(vec![Pair { name: "a".to_owned(), bytes: 5 }]);
        assert_eq!(serde_json::to_string(&rows).unwrap(), r#"[{"name":"a","held_bytes":5}]"#);
        let table = rows.table("pairs", "Pairs");
        assert_eq!(
            (table.head, table.keys, table.ranks),
            (vec!["what", "held", "share"], vec!["name", "held_bytes", ""], vec![0, 2, 0])
        );
        assert_eq!(
            keys_table::<Pair>(),
            "| Key | Holds |\n|---|---|\n| `name` | what |\n| `held_bytes` | what it holds |\n"
        );
    }
}
