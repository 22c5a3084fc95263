//! `weighbridge heap sql`: SQL over a dump.

use std::io::{self, Read, Write};

use anyhow::Context;
use weighbridge_ending::output;
use weighbridge_heapsql::{FUNCTIONS, Query, schema};

use super::answer::{self, AnswerOptions, Told};
use super::input::Input;
use crate::exit::{DONE, Outcome};

/// Ask a dump in SQL: tables of objects, classes, references, strings, threads, frames, roots and dominators.
///
/// One statement that reads, in the SQL of SQLite; nothing of the dump is copied into a database. Dominators are computed
/// only if the statement asks for them, texts read only if it asks for those. docs/heap-sql.md has examples.
/// Which HashMaps have more than 10,000 entries:
/// select address, field(address,'size') n, retained from objects where class='java.util.HashMap' and n > 10000
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The statement; - reads it from standard input.
    #[arg(value_name = "SELECT", required_unless_present = "schema")]
    statement: Option<String>,
    /// Tell the tables, their columns and units, and the functions, and read no dump.
    #[arg(long, conflicts_with = "statement")]
    schema: bool,
    #[command(flatten)]
    options: AnswerOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let statement = match args.statement.as_deref() {
        None | Some(".schema") => {
            output::plain(describe)?;
            return Ok(DONE);
        }
        Some("-") => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).context("standard input")?;
            text
        }
        Some(statement) => statement.to_owned(),
    };
    // A wrong statement is told before the dump is read.
    let query = Query::prepare(&statement, &answer::temporary(args.input.dump()))?;
    args.input.once(&args.options.target, |source| {
        let (heap, graph, facts) = answer::open(source)?;
        let told = Told { title: "Heap query", notes: Vec::new(), statement: statement.trim().to_owned() };
        args.options.run_query(query, heap, graph, facts, told)
    })
}

/// The tables and functions.
fn describe(out: &mut dyn Write) -> io::Result<()> {
    for table in schema() {
        writeln!(out, "{}: {}", table.name, table.about)?;
        for column in table.columns {
            let cost = if column.dominators { " [computes dominators]" } else { "" };
            writeln!(out, "  {:<14} {:<15} {}{cost}", column.name, column.kind.declared(), column.about)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Functions beside those of SQLite. Of NULL, and of an address without an object, they give NULL.")?;
    FUNCTIONS.iter().try_for_each(|function| writeln!(out, "  {}\n      {}", function.call, function.about))
}
