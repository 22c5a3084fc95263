//! What a statement may do: read the tables, and call functions that read nothing else.

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

use crate::shared::Shared;
use crate::tables;

/// Bytes of a value, and of a row.
const LONGEST_VALUE: i32 = 64 << 20;
/// Bytes of a statement.
const LONGEST_STATEMENT: i32 = 1 << 20;
/// KiB of pages and of a sort, before they go to a file without a name.
const CACHE: i64 = 32 << 10;
/// Bytes that SQLite may take in all.
const MEMORY: i64 = 256 << 20;

/// Functions of SQLite that reach beyond the query. None of them works in this build, or it does nothing useful.
const REFUSED: [&str; 3] = ["load_extension", "fts3_tokenizer", "sqlite_rename_table"];

/// Functions that tell texts and values.
const TELLING: [&str; 3] = ["field", "text", "value"];

/// Functions that need dominators.
const RETAINING: [&str; 2] = ["retained", "retained_once"];

/// Tables of SQLite that read nothing but the query.
const READABLE: [&str; 4] = ["json_each", "json_tree", "sqlite_schema", "sqlite_master"];

/// Whether a table is one of ours, or harmless. SQLite has others, such as pragmas as tables.
fn is_readable(table: &str) -> bool {
    table == tables::REFERENCES || READABLE.contains(&table) || tables::all().iter().any(|own| own.name() == table)
}

/// Bounds what a statement may use. Temporary files go to a folder.
pub(crate) fn bound(connection: &Connection, temporary: &Path) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
    let set = |name: &str, value: &dyn rusqlite::ToSql| connection.pragma_update(None, name, value);
    set("temp_store", &"file")?;
    set("cache_size", &-CACHE)?;
    if let Some(folder) = temporary.to_str() {
        set("temp_store_directory", &folder)?;
    }
    // This pragma answers with a row.
    connection.pragma_update_and_check(None, "hard_heap_limit", MEMORY, |_| Ok(()))
}

/// From now on statements may only read.
pub(crate) fn restrict(connection: &mut Connection, shared: &Arc<Shared>) -> rusqlite::Result<()> {
    let shared = Arc::clone(shared);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        let what = match context.action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Read { table_name, column_name } => {
                // Without a column, a name may be that of a subquery. Nothing is read by that.
                if column_name.is_empty() || is_readable(table_name) {
                    if table_name == "strings" && column_name == "text" {
                        shared.need(|needs| needs.contents = true);
                    }
                    return Authorization::Allow;
                }
                format!("the table {table_name}")
            }
            AuthAction::Function { function_name } => {
                let is = |names: &[&str]| names.iter().any(|name| function_name.eq_ignore_ascii_case(name));
                if !is(&REFUSED) {
                    shared.need(|needs| {
                        needs.contents |= is(&TELLING);
                        needs.dominators |= is(&RETAINING);
                    });
                    return Authorization::Allow;
                }
                format!("{function_name}()")
            }
            AuthAction::Pragma { pragma_name, .. } => format!("PRAGMA {pragma_name}"),
            AuthAction::Attach { .. } => "ATTACH".to_owned(),
            AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => "a transaction".to_owned(),
            _ => "a statement that changes something".to_owned(),
        };
        shared.refuse(what);
        Authorization::Deny
    }))
}
