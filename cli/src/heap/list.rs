//! `weighbridge heap list`: the objects of a class with their values.

use weighbridge_heapsql::Query;

use super::answer::{self, AnswerOptions, Told};
use super::input::Input;
use super::matching::{Selected, find_in_heap, paths};
use crate::exit::Outcome;

/// List the objects of a class with their bytes and values, those that retain most first.
///
/// --where is an expression of SQL; names that are no columns of `objects` are fields:
/// weighbridge heap list app.hprof com.acme.Session --fields user,visits --where "visits > 100 and user like 'a%'"
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    selected: Selected,
    /// Fields to show, by commas: user,address.city,items[0]. Of a reference the text of a String, the value of a boxed
    /// number, or the class.
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    fields: Vec<String>,
    #[command(flatten)]
    options: AnswerOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let temporary = answer::temporary(args.input.dump());
    let pattern = args.selected.classes()?;
    let columns: Vec<String> =
        paths(&args.fields)?.iter().map(|(path, name)| format!("value(address, {path}) as {name}")).collect();
    let condition = args.selected.condition(&columns, &temporary)?;
    let columns: String = columns.iter().map(|column| format!(", {column}")).collect();
    let statement = |classes: &str, strings: bool| {
        let text = if strings { ", text(address) as text" } else { "" };
        format!(
            "select address, class, shallow, retained{text}{columns} from objects where class in ({classes}) and \
             ({condition}\n) order by retained desc, address"
        )
    };
    args.input.once(&args.options.target, |source| {
        let (heap, graph, facts) = answer::open(source)?;
        let found = find_in_heap(&pattern, &heap)?;
        let shown = statement("...", found.texts);
        let query = Query::prepare(&statement(&found.list, found.texts), &temporary)?;
        let told = Told { title: "Objects", notes: found.notes, statement: shown };
        args.options.run_query(query, heap, graph, facts, told)
    })
}
