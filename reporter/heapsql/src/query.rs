//! A statement, prepared and run.

use std::path::Path;
use std::sync::Arc;

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection};
use weighbridge_heapdump::{Graph, Heap};

use crate::columns::SqlColumnKind;
use crate::data::Data;
use crate::error::Error;
use crate::needs::Needs;
use crate::redact::Redactor;
use crate::shared::Shared;
use crate::{functions, guard, tables, vtab};

/// A statement that may run, once.
pub struct Query {
    connection: Connection,
    shared: Arc<Shared>,
    statement: String,
    columns: Vec<Heading>,
}

/// A column of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its name.
    pub name: String,
    /// What its values are, if it is a table's column and no expression.
    pub kind: Option<SqlColumnKind>,
}

/// A value of the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerValue {
    /// `NULL`.
    Null,
    /// An integer.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// Text; what stands for it, if it is redacted.
    Text(String),
}

impl Query {
    /// Checks a statement. What SQLite cannot hold in memory while it sorts goes to files without a name in a folder.
    ///
    /// # Errors
    /// The statement is wrong, has a second one, or does more than read.
    pub fn prepare(statement: &str, temporary: &Path) -> Result<Self, Error> {
        let statement = statement.trim().to_owned();
        if statement.is_empty() {
            return Err(Error::sql("there is no statement"));
        }
        let shared = Arc::new(Shared::default());
        let opened = || -> rusqlite::Result<Connection> {
            let mut connection = Connection::open_in_memory()?;
            guard::bound(&connection, temporary)?;
            for table in tables::all() {
                vtab::register(&connection, table.name(), table, &shared)?;
                if table.name() == "refs" {
                    vtab::register(&connection, tables::REFERENCES, table, &shared)?;
                }
            }
            functions::register(&connection, &shared)?;
            guard::restrict(&mut connection, &shared)?;
            Ok(connection)
        };
        let connection = opened().map_err(|error| Error::from_sqlite(&error, &statement))?;
        let columns = columns(&connection, &statement, &shared)?;
        Ok(Query { connection, shared, statement, columns })
    }

    /// Checks a statement with an expression in which names that are no columns are fields of `address`:
    /// `size > 100` becomes `value(address,'size') > 100`. `build` makes the statement of the expression.
    ///
    /// # Errors
    /// Those of [`Query::prepare`].
    pub fn prepare_with_fields(
        expression: &str,
        build: impl Fn(&str) -> String,
        temporary: &Path,
    ) -> Result<(Self, String), Error> {
        let mut expression = expression.to_owned();
        // Each round replaces a name; an expression has few.
        for _ in 0..64 {
            let error = match Query::prepare(&build(&expression), temporary) {
                Ok(query) => return Ok((query, expression)),
                Err(error) => error,
            };
            let statement = build(&expression);
            let statement = statement.trim_start();
            let Some(start) = statement.find(expression.as_str()) else { return Err(error) };
            let Some((name, offset)) = error.unknown_column() else { return Err(error) };
            let Some(at) = offset.checked_sub(start) else { return Err(error) };
            let rest = expression.get(at..).unwrap_or_default();
            let quoted = format!("\"{name}\"");
            let written = [name, quoted.as_str()].into_iter().find(|written| rest.starts_with(written));
            let Some(written) = written else { return Err(error) };
            let field = format!("value(address,'{}')", name.replace('\'', "''"));
            expression.replace_range(at..at + written.len(), &field);
        }
        Err(Error::sql("the expression names too many fields"))
    }

    /// The columns of the answer.
    pub fn columns(&self) -> &[Heading] {
        &self.columns
    }

    /// What it needs of a dump.
    pub fn needs(&self) -> Needs {
        self.shared.needs()
    }

    /// Runs it on a dump and visits the rows, until the visitor says `false`. Redacted, texts and blobs of the program are
    /// replaced by their length and a mark that equal ones share. Gives the paths of fields that no object has.
    ///
    /// # Errors
    /// The dump cannot be read any more, or a value cannot be computed.
    pub fn run(
        self,
        heap: Heap,
        graph: Graph,
        redacted: bool,
        mut visit: impl FnMut(Vec<AnswerValue>) -> bool,
    ) -> Result<Vec<String>, Error> {
        let needs = self.shared.needs();
        let data = Arc::new(Data::from_heap(heap, graph, needs));
        self.shared.provide(Arc::clone(&data));
        let redactor = (redacted && needs.contents).then(|| Redactor::from_heap(&data.heap)).transpose()?;
        let failed = |error: &rusqlite::Error| match self.shared.take_failure() {
            Some(error) => Error::Dump(error),
            None => Error::from_sqlite(error, &self.statement),
        };
        let mut prepared = self.connection.prepare(&self.statement).map_err(|error| failed(&error))?;
        let kinds: Vec<Option<SqlColumnKind>> = self.columns.iter().map(|column| column.kind).collect();
        let mut rows = prepared.query([]).map_err(|error| failed(&error))?;
        while let Some(row) = rows.next().map_err(|error| failed(&error))? {
            let value = |(at, kind): (usize, &Option<SqlColumnKind>)| -> rusqlite::Result<AnswerValue> {
                Ok(output(row.get_ref(at)?, *kind, redactor.as_ref()))
            };
            let values: rusqlite::Result<Vec<AnswerValue>> = kinds.iter().enumerate().map(value).collect();
            if !visit(values.map_err(|error| failed(&error))?) {
                break;
            }
        }
        Ok(self.shared.paths_to_nothing())
    }
}

/// The columns of a statement, which must be the only one and only read.
fn columns(connection: &Connection, statement: &str, shared: &Shared) -> Result<Vec<Heading>, Error> {
    let failed = |error: &rusqlite::Error| match shared.take_refused() {
        Some(what) => Error::sql(format!("{what} is not allowed: a query may only read")),
        None => Error::from_sqlite(error, statement),
    };
    let mut batch = Batch::new(connection, statement);
    let columns = match batch.next().map_err(|error| failed(&error))? {
        Some(prepared) if prepared.column_count() > 0 && prepared.readonly() => {
            let heading = |column: rusqlite::Column<'_>| Heading {
                name: column.name().to_owned(),
                kind: column.decl_type().and_then(SqlColumnKind::from_declared),
            };
            prepared.columns().map(heading).collect()
        }
        Some(_) => return Err(Error::sql("a query may only read: SELECT, WITH or VALUES")),
        None => return Err(Error::sql("there is no statement")),
    };
    match batch.next() {
        Ok(None) => Ok(columns),
        _ => Err(Error::sql("there is more than one statement")),
    }
}

fn output(value: ValueRef<'_>, kind: Option<SqlColumnKind>, redactor: Option<&Redactor<'_>>) -> AnswerValue {
    match (value, redactor) {
        (ValueRef::Null, _) => AnswerValue::Null,
        (ValueRef::Integer(n), _) => AnswerValue::Integer(n),
        (ValueRef::Real(x), _) => AnswerValue::Real(x),
        (ValueRef::Text(text), redactor) => {
            let text = String::from_utf8_lossy(text);
            // What a table calls a name or an address is none of the program's texts.
            let redactor = redactor.filter(|_| kind.is_none_or(|kind| kind == SqlColumnKind::Content));
            AnswerValue::Text(redactor.and_then(|redactor| redactor.text(&text)).unwrap_or_else(|| text.into_owned()))
        }
        (ValueRef::Blob(bytes), Some(redactor)) => AnswerValue::Text(redactor.mark(bytes, bytes.len(), "byte")),
        (ValueRef::Blob(bytes), None) => AnswerValue::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}
