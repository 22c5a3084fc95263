//! `weighbridge jvms`: the JVMs of this machine.

use clap::ValueEnum;
use weighbridge_ending::output;
use weighbridge_jvms::Jvm;
use weighbridge_live::jvms;
use weighbridge_reporter::json::pretty;
use weighbridge_reporter::printable;

use crate::exit::{DONE, Outcome};

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
    let rows = jvms::rows()?;
    match args.output {
        Form::Json => {
            output::to_stdout(|mut out| pretty(&jvms::rows_in_json(&rows), &mut out))?;
        }
        Form::Text if rows.is_empty() => {
            output::to_stdout(|out| writeln!(out, "no JVM runs here that this user can see"))?
        }
        Form::Text => output::to_stdout(|out| out.write_all(in_text(&rows).as_bytes()))?,
    }
    Ok(DONE)
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
