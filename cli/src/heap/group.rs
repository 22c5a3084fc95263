//! `weighbridge heap group`: the objects of a class by the value of a field.

use weighbridge_heapsql::Query;

use super::answer::{self, AnswerOptions, Told};
use super::input::Input;
use super::matching::{Selected, find_in_heap, paths};
use crate::exit::Outcome;

/// Group the objects of a class by the value of a field: by text, number, or the class of the object referred to.
///
/// `retained` is what the objects of a group retain, each for itself, nested ones counted once: freed with the group for
/// certain. What only several of them hold together is not in it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    selected: Selected,
    /// The field, or several by commas: user, address.city, items[0]; `class` is that of the object itself.
    #[arg(long, value_name = "FIELD", value_delimiter = ',', required = true)]
    by: Vec<String>,
    #[command(flatten)]
    options: AnswerOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let temporary = answer::temporary(args.input.dump());
    let pattern = args.selected.classes()?;
    let keys = paths(&args.by)?;
    let columns: Vec<String> = keys
        .iter()
        .map(|(path, name)| match path.as_str() {
            "'class'" => format!("class as {name}"),
            path => format!("value(address, {path}) as {name}"),
        })
        .collect();
    // The number of a group is no field of its objects.
    let known: Vec<String> = columns.iter().cloned().chain(["count(*) as objects".to_owned()]).collect();
    let condition = args.selected.condition(&known, &temporary)?;
    let numbers: Vec<String> = (1..=keys.len()).map(|number| number.to_string()).collect();
    let statement = |classes: &str| {
        format!(
            "select {}, count(*) as objects, sum(shallow) as shallow, retained_once(address) as retained from objects \
             where class in ({classes}) and ({condition}\n) group by {} order by retained desc, objects desc, {}",
            columns.join(", "),
            numbers.join(", "),
            numbers.join(", ")
        )
    };
    args.input.once(&args.options.target, |source| {
        let (heap, graph, facts) = answer::open(source)?;
        let found = find_in_heap(&pattern, &heap)?;
        let query = Query::prepare(&statement(&found.list), &temporary)?;
        let mut notes = found.notes;
        notes.push(
            "retained: nested objects of a group once; what only several of them hold together is not in it".to_owned(),
        );
        let told = Told { title: "Objects by value", notes, statement: statement("...") };
        args.options.run_query(query, heap, graph, facts, told)
    })
}
