//! The proposed configuration as a text with comments.

use std::fmt::Write;

use toml::{Table, Value};
use weighbridge_reporter::printable;
use weighbridge_reporter::units::{count, count_with_noun};

use crate::budgets::Budgets;
use crate::program::Program;
use crate::proposal::Proposal;

/// The name of the schema beside a configuration.
pub const SCHEMA_FILE: &str = "weighbridge.schema.json";

/// The file; `schema` for the line that tells editors of the schema. Names of classes and components come from outside; they are written as TOML's strings.
pub fn text(schema: bool, program: &Program, proposal: &Proposal, budgets: Option<&Budgets>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(schema, program, proposal, budgets, &mut text);
    text
}

fn write(
    schema: bool,
    program: &Program,
    proposal: &Proposal,
    budgets: Option<&Budgets>,
    out: &mut String,
) -> std::fmt::Result {
    if schema {
        writeln!(out, "#:schema ./{SCHEMA_FILE}")?;
    }
    let name = printable(&program.name);
    writeln!(out, "# What Weighbridge measures of {name}. Proposed by `weighbridge init`: change what does not fit.")?;
    writeln!(out, "# All keys with their defaults: docs/configuration.md.")?;
    if !schema {
        writeln!(out, "# `weighbridge init --schema` adds what an editor needs to complete and check the keys.")?;
    }
    writeln!(out, "version = 1\n\n[instrument]")?;
    let (selected, all) = (count(proposal.selected as u64), count(program.all() as u64));
    writeln!(
        out,
        "# {selected} of {all} classes; interfaces among them have no objects. `*` stays within a package, `**` crosses."
    )?;
    writeln!(out, "include = [")?;
    proposal.include.iter().try_for_each(|pattern| writeln!(out, "  {},", quoted(pattern)))?;
    writeln!(out, "]")?;
    writeln!(
        out,
        "# Wins over include: classes that are not worth a figure.\n# exclude = [\"com.acme.generated.**\"]"
    )?;
    writeln!(out, "\n[measure]\n# At the end, and while it runs, so that the report can tell what grows.")?;
    writeln!(out, "at = [\"exit\", \"every 10s\"]")?;
    writeln!(out, "\n# The parts of the program. The first with a matching pattern owns a class.\n[components]")?;
    for component in &proposal.components {
        let classes = count_with_noun(component.classes as u64, "class", "classes");
        let patterns = Value::from(vec![component.pattern.as_str()]);
        writeln!(out, "{}  # {classes}", line(&component.name, patterns))?;
    }
    if !proposal.frameworks.is_empty() {
        let names = proposal.frameworks.join(", ");
        writeln!(out, "# Heap dumps are also read by the shipped rules for {names}: docs/frameworks.md.")?;
    }
    match budgets {
        None => {
            writeln!(out, "\n# Limits for `weighbridge check`. After a run, this proposes them:")?;
            writeln!(out, "#   weighbridge init ... --from run.wbr --force")
        }
        Some(budgets) => {
            let (from, margin) = (printable(&budgets.from), budgets.margin);
            writeln!(out, "\n# Limits for `weighbridge check`: what {from} has, and {margin} % more.")?;
            for budget in &budgets.budgets {
                writeln!(out, "\n[[budget]]  # {}", budget.comment)?;
                writeln!(out, "{} = {}", budget.key, quoted(&budget.name))?;
                writeln!(out, "figure = \"{}\"\nmax = {}", budget.figure, budget.max)?;
            }
            Ok(())
        }
    }
}

/// A text as TOML's string.
fn quoted(text: &str) -> Value {
    Value::from(text)
}

/// A line with a key, in quotes where it needs them.
fn line(key: &str, value: Value) -> String {
    let table = Table::from_iter([(key.to_owned(), value)]);
    // Without the end of the line.
    table.to_string().trim_end().to_owned()
}
