//! `weighbridge heap list`: the objects of a class with their values.

use weighbridge_heapsql::Query;

use super::answer::{self, AnswerOptions, Told};
use super::input::Input;
use super::matching::{Classes, paths};
use crate::exit::Outcome;

/// List the objects of a class with their bytes and values, those that retain most first.
///
/// --where is an expression of SQL; names that are no columns of `objects` are fields:
/// weighbridge heap list app.hprof com.acme.Session --fields user,visits --where "visits > 100 and user like 'a%'"
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The name of the classes, or a pattern as in configurations: com.acme.** (docs/configuration.md).
    #[arg(value_name = "CLASS")]
    class: String,
    /// Fields to show, by commas: user,address.city,items[0]. Of a reference the text of a String, the value of a boxed
    /// number, or the class.
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    fields: Vec<String>,
    /// Only objects for which this holds: an expression of SQL (docs/heap-sql.md).
    #[arg(long = "where", value_name = "EXPRESSION")]
    condition: Option<String>,
    #[command(flatten)]
    options: AnswerOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let temporary = answer::temporary(args.input.dump());
    let pattern = Classes::parse(&args.class)?;
    let fields = paths(&args.fields)?;
    let columns = |fields: &[(String, String)]| -> String {
        fields.iter().map(|(path, name)| format!(", value(address, {path}) as {name}")).collect()
    };
    let statement = |classes: &str, condition: &str, strings: bool| {
        let text = if strings { ", text(address) as text" } else { "" };
        format!(
            "select address, class, shallow, retained{text}{} from objects where class in ({classes}) and ({condition}\n) \
             order by retained desc, address",
            columns(&fields)
        )
    };
    // A wrong expression is told before the dump is read.
    let condition = args.condition.as_deref().unwrap_or("1");
    let (_, condition) =
        Query::prepare_with_fields(condition, |expression| statement("''", expression, false), &temporary)?;
    // Without parentheses around it, one that closes them and opens others is no expression.
    Query::prepare(&format!("select address{} from objects where {condition}", columns(&fields)), &temporary)?;
    args.input.once(&args.options.target, |source| {
        let (heap, graph, facts) = answer::open(source)?;
        let found = pattern.of(&heap)?;
        let shown = statement("...", &condition, found.texts);
        let query = Query::prepare(&statement(&found.list, &condition, found.texts), &temporary)?;
        let told = Told { title: "Objects", notes: found.notes, statement: shown };
        args.options.answer(query, heap, graph, facts, told)
    })
}
