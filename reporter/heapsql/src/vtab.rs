//! SQLite's virtual tables: one implementation, which asks a [`Table`] for its columns and rows.
#![expect(
    unsafe_code,
    reason = "rusqlite's traits of virtual tables are unsafe: the first field must be SQLite's struct"
)]

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexFlags, IndexInfo, Module, VTab, VTabConfig, VTabConnection, VTabCursor,
    sqlite3_vtab, sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error, Result};

use crate::shared::Shared;
use crate::table::{Rows, Table};

/// What every table gets when it is connected.
struct TableSource {
    shared: Arc<Shared>,
    table: &'static dyn Table,
}

const MODULE: &Module<'static, Connected> = &Module::eponymous_only_module();

/// Makes a table known by a name.
pub(crate) fn register(
    connection: &Connection,
    name: &str,
    table: &'static dyn Table,
    shared: &Arc<Shared>,
) -> Result<()> {
    connection.create_module(name, MODULE, Some(TableSource { shared: Arc::clone(shared), table }))
}

// The first field must be SQLite's.
#[repr(C)]
struct Connected {
    base: sqlite3_vtab,
    shared: Arc<Shared>,
    table: &'static dyn Table,
}

// The first field must be SQLite's.
#[repr(C)]
struct TableCursor {
    base: sqlite3_vtab_cursor,
    shared: Arc<Shared>,
    table: &'static dyn Table,
    rows: Option<Box<dyn Rows>>,
    row: i64,
}

// SAFETY: `repr(C)`, and the first field is `sqlite3_vtab`, as the trait asks.
unsafe impl VTab<'_> for Connected {
    type Aux = TableSource;
    type Cursor = TableCursor;

    fn connect(
        connection: &mut VTabConnection,
        source: Option<&TableSource>,
        _module: &[u8],
        _database: &[u8],
        _table: &[u8],
        _arguments: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        connection.config(VTabConfig::Innocuous)?;
        let Some(TableSource { shared, table }) = source else { return Err(Error::ModuleError("no table".to_owned())) };
        let columns: Vec<String> =
            table.columns().iter().map(|column| format!("\"{}\" {}", column.name, column.kind.declared())).collect();
        let declared = CString::new(format!("CREATE TABLE x({})", columns.join(", ")))?;
        let connected = Connected { base: sqlite3_vtab::default(), shared: Arc::clone(shared), table: *table };
        Ok((Cow::Owned(declared), connected))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let used = info.col_used();
        // The last bit is for all columns from the 64th on, and no table has so many.
        let uses = |at: usize| used >> at & 1 == 1;
        let columns = self.table.columns();
        self.shared.need(|needs| {
            self.table.needs(needs);
            needs.dominators |= columns.iter().enumerate().any(|(at, column)| column.dominators && uses(at));
        });
        let mut best = None;
        for (at, constraint) in info.constraints().enumerate() {
            let key = self.table.keys().iter().find(|key| key.column as c_int == constraint.column());
            if let Some(key) = key
                && constraint.is_usable()
                && constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ
                && info.collation(at)? == "BINARY"
                && best.is_none_or(|(_, rows, _)| key.rows < rows)
            {
                best = Some((at, key.rows, key.column));
            }
        }
        let Some((at, rows, column)) = best else {
            info.set_idx_num(0);
            info.set_estimated_cost(self.table.rows_in_all() as f64 * 2.0);
            info.set_estimated_rows(self.table.rows_in_all());
            let mut order = info.order_bys();
            let by_class = order
                .next()
                .is_some_and(|by| Some(by.column() as usize) == self.table.sorted_by() && !by.is_order_by_desc())
                && order.next().is_none();
            info.set_order_by_consumed(by_class);
            return Ok(true);
        };
        let mut usage = info.constraint_usage(at);
        usage.set_argv_index(1);
        // Addresses are compared as numbers: 0x10, '0x10' and '0X0010' are one.
        usage.set_omit(columns[column].kind == crate::SqlColumnKind::Address);
        info.set_idx_num(column as c_int + 1);
        info.set_estimated_cost(rows as f64 + 1.0);
        info.set_estimated_rows(rows);
        if rows == 1 {
            info.set_idx_flags(IndexFlags::SQLITE_INDEX_SCAN_UNIQUE);
        }
        Ok(true)
    }

    fn open(&mut self) -> Result<TableCursor> {
        let base = sqlite3_vtab_cursor::default();
        Ok(TableCursor { base, shared: Arc::clone(&self.shared), table: self.table, rows: None, row: 0 })
    }
}

// SAFETY: `repr(C)`, and the first field is `sqlite3_vtab_cursor`, as the trait asks.
unsafe impl VTabCursor for TableCursor {
    fn filter(&mut self, index: c_int, _: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        let data = self.shared.data()?;
        let lookup = match usize::try_from(index - 1) {
            Ok(column) => Some((column, arguments.get::<Value>(0)?)),
            Err(_) => None,
        };
        (self.rows, self.row) = (None, 0);
        self.rows = Some(self.table.rows(data, lookup).map_err(|error| self.shared.failed(error))?);
        self.next()
    }

    fn next(&mut self) -> Result<()> {
        self.row += 1;
        if let Some(rows) = &mut self.rows
            && !rows.next().map_err(|error| self.shared.failed(error))?
        {
            self.rows = None;
        }
        Ok(())
    }

    fn eof(&self) -> bool {
        self.rows.is_none()
    }

    fn column(&self, context: &mut Context, column: c_int) -> Result<()> {
        let Some(rows) = &self.rows else { return Ok(()) };
        let cell = rows.cell(column as usize).map_err(|error| self.shared.failed(error))?;
        context.set_result(cell)
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.row)
    }
}
