//! `weighbridge jvms`: the JVMs of this machine.

use clap::ValueEnum;
use serde_json::json;
use weighbridge_jvms::{AttachTarget, Jvm};
use weighbridge_reporter::json::pretty;
use weighbridge_reporter::printable;

use crate::ctl::Agent;
use crate::exit::{DONE, Failure, Outcome};
use crate::output;

/// List the JVMs of this machine: what they run, on which Java, whose they are, and whether Weighbridge is in them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The form of the list.
    #[arg(short, long, value_enum, default_value_t = Form::Text)]
    output: Form,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    Text,
    Json,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let rows = rows()?;
    match args.output {
        Form::Json => {
            output::to_stdout(|mut out| pretty(&rows_in_json(&rows), &mut out))?;
        }
        Form::Text if rows.is_empty() => {
            output::to_stdout(|out| writeln!(out, "no JVM runs here that this user can see"))?
        }
        Form::Text => output::to_stdout(|out| out.write_all(in_text(&rows).as_bytes()))?,
    }
    Ok(DONE)
}

/// The list as JSON.
pub(crate) fn list_in_json() -> Result<serde_json::Value, Failure> {
    Ok(rows_in_json(&rows()?))
}

fn rows() -> Result<Vec<(Jvm, &'static str)>, Failure> {
    Ok(weighbridge_jvms::list()?.into_iter().map(|jvm| (jvm.clone(), state(&jvm))).collect())
}

fn rows_in_json(rows: &[(Jvm, &str)]) -> serde_json::Value {
    rows.iter().map(|(jvm, state)| in_json(jvm, state)).collect()
}

/// How a JVM stands with Weighbridge.
fn state(jvm: &Jvm) -> &'static str {
    let measured = AttachTarget::find(jvm.pid).ok().and_then(|target| Agent::find(&target).ok().flatten()).is_some();
    match (measured, &jvm.weighbridge) {
        (true, _) => "measuring",
        (false, Some(_)) => "idle",
        (false, None) => "-",
    }
}

fn in_json(jvm: &Jvm, state: &str) -> serde_json::Value {
    json!({
        "pid": jvm.pid, "inner_pid": jvm.inner_pid, "user": jvm.user, "main": jvm.main, "version": jvm.version,
        "vm": jvm.vm.map(|vm| vm.to_string()), "obstacle": jvm.obstacle.map(|obstacle| obstacle.to_string()),
        "weighbridge": if state == "-" { None } else { Some(state) },
    })
}

fn in_text(rows: &[(Jvm, &str)]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::TableStyle::new());
    table.set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    table.set_header(["PID", "User", "Java", "Weighbridge", "Attach", "Main"]);
    for (jvm, state) in rows {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let obstacle = jvm.obstacle.map_or_else(|| "yes".to_owned(), |obstacle| obstacle.to_string());
        let cells = [
            jvm.pid.to_string(),
            jvm.user.clone(),
            or_dash(&jvm.version),
            (*state).to_owned(),
            obstacle,
            or_dash(&jvm.main),
        ];
        table.add_row(cells.map(|cell| printable(&cell)));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
