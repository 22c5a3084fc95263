//! Objects by a pattern of their classes and a condition, and fields by a path, in the words of SQL.

use std::collections::BTreeSet;
use std::path::Path;

use weighbridge_ending::Failure;
use weighbridge_heapdump::Heap;
use weighbridge_heapsql::Query;
use weighbridge_live::dumps::DumpClassPattern;

/// Which objects are asked for.
#[derive(clap::Args)]
pub(super) struct Selected {
    /// The name of the classes, or a pattern as in configurations: com.acme.** (docs/configuration.md).
    #[arg(value_name = "CLASS")]
    class: String,
    /// Only objects for which this holds: an expression of SQL (docs/heap-sql.md).
    #[arg(long = "where", value_name = "EXPRESSION")]
    condition: Option<String>,
}

impl Selected {
    pub(super) fn classes(&self) -> Result<DumpClassPattern, Failure> {
        DumpClassPattern::parse(&self.class)
    }

    /// The condition with its fields in the words of SQL; it may use the columns of the answer. A wrong one is told before
    /// the dump is read.
    pub(super) fn condition(&self, columns: &[String], temporary: &Path) -> Result<String, Failure> {
        let columns: String = columns.iter().map(|column| format!(", {column}")).collect();
        let condition = self.condition.as_deref().unwrap_or("1");
        let within = |expression: &str| format!("select address{columns} from objects where ({expression}\n)");
        let (_, condition) = Query::prepare_with_fields(condition, within, temporary)?;
        // Without parentheses around it, one that closes them and opens others is no expression.
        Query::prepare(&format!("select address{columns} from objects where {condition}"), temporary)?;
        Ok(condition)
    }
}

/// The classes of a dump that match.
pub(super) struct MatchedClasses {
    /// Their names as texts of SQL, separated by commas.
    pub(super) list: String,
    /// What has to be told of them.
    pub(super) notes: Vec<String>,
    /// Whether their objects have a text.
    pub(super) texts: bool,
}

/// The classes of a dump that match.
///
/// # Errors
/// There are none.
pub(super) fn find_in_heap(pattern: &DumpClassPattern, heap: &Heap) -> Result<MatchedClasses, Failure> {
    let names: BTreeSet<&str> =
        heap.classes().iter().map(|(_, class)| class.name.as_str()).filter(|name| pattern.matches(name)).collect();
    if names.is_empty() {
        return Err(pattern.nothing(heap));
    }
    let quoted: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let texts = names.iter().all(|name| matches!(*name, "java.lang.String" | "char[]" | "byte[]"));
    let notes = (names.len() > 1).then(|| format!("{} matches {} classes", pattern.text(), names.len()));
    Ok(MatchedClasses { list: quoted.join(","), notes: notes.into_iter().collect(), texts })
}

/// The text of SQL, and the name of the column, of each path of fields.
pub(super) fn paths(fields: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let path = |field: &String| {
        let field = field.trim();
        if field.is_empty() {
            return Err(Failure::usage("a field without a name"));
        }
        Ok((quoted(field), format!("\"{}\"", field.replace('"', "\"\""))))
    };
    fields.iter().map(path).collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
