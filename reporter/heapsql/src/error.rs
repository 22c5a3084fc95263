//! Why a query has no answer.

use std::fmt::Write as _;

use crate::tables;

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The statement is wrong, or does what is not allowed. The text says where and why.
    #[error("{message}")]
    Sql {
        /// Position, SQLite's words, and what there is instead.
        message: String,
        /// A column that no table has, and the byte offset of its name in the statement.
        unknown_column: Option<(String, usize)>,
    },
    /// The dump cannot be read any more.
    #[error(transparent)]
    Dump(#[from] weighbridge_heapdump::Error),
}

impl Error {
    pub(crate) fn sql(message: impl Into<String>) -> Self {
        Error::Sql { message: message.into(), unknown_column: None }
    }

    /// SQLite's error about a statement.
    pub(crate) fn from_sqlite(error: &rusqlite::Error, statement: &str) -> Self {
        let (words, offset) = match error {
            rusqlite::Error::SqlInputError { msg, offset, .. } => (msg.clone(), usize::try_from(*offset).ok()),
            rusqlite::Error::SqliteFailure(code, text) => (text.clone().unwrap_or_else(|| code.to_string()), None),
            other => (other.to_string(), None),
        };
        let named = |what: &str| words.strip_prefix(what).map(|name| name.trim().to_owned());
        let table = named("no such table: ");
        let column = named("no such column: ").map(|name| {
            // With double quotes SQLite adds a hint.
            name.split(" - should this").next().unwrap_or_default().trim_matches('"').to_owned()
        });
        // SQLite gives no offset of a table.
        let find = |name: &String| statement.find(name.as_str());
        let offset = offset.or_else(|| table.as_ref().and_then(find)).filter(|at| statement.is_char_boundary(*at));
        let mut message = offset.map_or_else(String::new, |offset| position(statement, offset));
        message.push_str(&words);
        if table.is_some() {
            let names: Vec<&str> = tables::all().iter().map(|table| table.name()).collect();
            let _ = write!(message, "; there are {}", names.join(", "));
        }
        if let Some(column) = &column {
            message.push_str(&columns(column, statement));
        }
        if words.starts_with("no such function: ") {
            message.push_str("; --schema lists the functions beside SQLite's own");
        }
        Error::Sql { message, unknown_column: column.zip(offset) }
    }

    /// A column that no table has, and the byte offset of its name.
    pub(crate) fn unknown_column(&self) -> Option<(&str, usize)> {
        match self {
            Error::Sql { unknown_column: Some((name, offset)), .. } => Some((name, *offset)),
            _ => None,
        }
    }
}

/// `line 1, column 8: `
fn position(statement: &str, offset: usize) -> String {
    let before = &statement[..offset];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: ")
}

/// The columns of the tables that a statement names; texts in double quotes are a usual slip.
fn columns(column: &str, statement: &str) -> String {
    let lower = statement.to_lowercase();
    let has = |name: &str| lower.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let mut text = String::new();
    for table in tables::all().iter().filter(|table| has(table.name())) {
        let names: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
        let _ = write!(text, "; {} has {}", table.name(), names.join(", "));
    }
    if statement.contains(&format!("\"{column}\"")) {
        text.push_str("; texts are written in single quotes");
    } else if !column.contains('.') {
        let _ = write!(text, "; a field of an object is field(address, '{column}')");
    }
    text
}
