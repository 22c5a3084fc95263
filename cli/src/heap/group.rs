//! `weighbridge heap group`: the objects of a class by the value of a field.

use weighbridge_heapsql::Query;

use super::answer::{self, AnswerOptions, Told};
use super::input::Input;
use super::matching::{Classes, paths};
use crate::exit::Outcome;

/// Group the objects of a class by the value of a field: by text, number, or the class of the object referred to.
///
/// `retained` is what the objects of a group retain, each for itself, nested ones counted once: freed with the group for
/// certain. What only several of them hold together is not in it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The name of the classes, or a pattern as in configurations: com.acme.** (docs/configuration.md).
    #[arg(value_name = "CLASS")]
    class: String,
    /// The field, or several by commas: user, address.city, items[0]; `class` is that of the object itself.
    #[arg(long, value_name = "FIELD", value_delimiter = ',', required = true)]
    by: Vec<String>,
    /// Only objects for which this holds: an expression of SQL (docs/heap-sql.md).
    #[arg(long = "where", value_name = "EXPRESSION")]
    condition: Option<String>,
    #[command(flatten)]
    options: AnswerOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let temporary = answer::temporary(args.input.dump());
    let pattern = Classes::parse(&args.class)?;
    let keys = paths(&args.by)?;
    let columns: Vec<String> = keys
        .iter()
        .map(|(path, name)| match path.as_str() {
            "'class'" => format!("class as {name}"),
            path => format!("value(address, {path}) as {name}"),
        })
        .collect();
    let numbers: Vec<String> = (1..=keys.len()).map(|number| number.to_string()).collect();
    let statement = |classes: &str, condition: &str| {
        format!(
            "select {}, count(*) as objects, sum(shallow) as shallow, retained_once(address) as retained from objects \
             where class in ({classes}) and ({condition}\n) group by {} order by retained desc, objects desc, {}",
            columns.join(", "),
            numbers.join(", "),
            numbers.join(", ")
        )
    };
    let condition = args.condition.as_deref().unwrap_or("1");
    let (_, condition) = Query::prepare_with_fields(condition, |expression| statement("''", expression), &temporary)?;
    args.input.once(&args.options.target, |source| {
        let (heap, graph, facts) = answer::open(source)?;
        let found = pattern.of(&heap)?;
        let query = Query::prepare(&statement(&found.list, &condition), &temporary)?;
        let mut notes = found.notes;
        notes.push(
            "retained: nested objects of a group once; what only several of them hold together is not in it".to_owned(),
        );
        let told = Told { title: "Objects by value", notes, statement: statement("...", &condition) };
        args.options.answer(query, heap, graph, facts, told)
    })
}
