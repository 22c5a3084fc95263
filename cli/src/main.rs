//! The `weighbridge` command: flags, exit codes, progress and messages. The other crates do the work. One file per verb.

mod agent;
mod answer;
mod attach;
mod bounds;
mod check;
mod completions;
mod config;
mod console;
mod ctl;
mod demo;
mod diff;
mod doctor;
mod exit;
mod explain;
mod export;
mod flight;
mod format;
mod heap;
mod init;
mod input;
mod instrument;
mod interval;
mod jvms;
mod licenses;
mod man;
mod merge;
mod output_options;
mod output_target;
mod progress;
mod replay;
mod report;
mod report_options;
mod run;
mod screen;
mod trace;
mod trend;
mod verify;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use weighbridge_reporter::printable;

/// Weighs what the objects of a running Java program keep alive, class by class and component by component.
#[derive(Parser)]
#[command(name = "weighbridge", version, after_help = EXAMPLES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Init(init::Args),
    Instrument(instrument::Args),
    Report(report::Args),
    Watch(watch::Args),
    Console(Box<console::Args>),
    Diff(diff::Args),
    Merge(merge::Args),
    Check(check::Args),
    Trend(trend::Args),
    Config(config::Args),
    Export(export::Args),
    Run(run::Args),
    Jvms(jvms::Args),
    Attach(attach::Args),
    Detach(ctl::DetachArgs),
    Ctl(ctl::Args),
    Agent(agent::Args),
    Demo(demo::Args),
    Verify(verify::Args),
    Explain(explain::Args),
    Heap(heap::Args),
    Trace(Box<trace::Args>),
    Replay(replay::Args),
    Doctor(doctor::Args),
    Licenses(licenses::Args),
    Completions(completions::Args),
    // For who packages it.
    #[command(hide = true)]
    Man(man::Args),
}

const EXAMPLES: &str = "\
Examples:
  weighbridge demo
      rewrite a sample program, run it and show its report
  weighbridge init app.jar
      propose weighbridge.toml: the packages of the program, its components
  weighbridge run --config weighbridge.toml -- java -cp app.jar:lib/* com.acme.Main
      run a program as it is, measured, and print the report when it ends
  weighbridge instrument app.jar --config weighbridge.toml -o app-weighed.jar
      rewrite an executable jar; `java -jar app-weighed.jar` then writes weighbridge-PID.wbr
  weighbridge instrument lib/*.jar --config weighbridge.toml --dest weighed
      rewrite many; run them with -javaagent:weighed/weighbridge-runtime.jar
  weighbridge report weighbridge-*.wbr --top 10
      one report of several JVMs
  weighbridge report weighbridge-4242.wbr -o json -f report.json
      the same for programs; csv, folded, openmetrics and pprof are for other tools
  weighbridge watch weighbridge-4242.wbr
      the same in the terminal, while the program runs
  weighbridge console --open
      the same as a local web page, of all JVMs that run here
  weighbridge attach 4242 --include 'com.acme.**'
      measure a JVM that runs already (`weighbridge jvms` lists them), until q or Ctrl-C
  weighbridge attach 4242 --config weighbridge.toml -o shop.wbr
      the same without a terminal; `weighbridge detach 4242` ends it
  weighbridge ctl 4242 measure
      ask the agent for a snapshot now
  weighbridge diff before.wbr after.wbr
      what grew, shrank, appeared and vanished
  weighbridge check weighbridge-4242.wbr --config weighbridge.toml -o junit -f budgets.xml
      fail a build whose memory budgets are broken
  weighbridge trend builds/ -o html -f trend.html
      how the figures change over the recordings of many builds
  weighbridge verify app-weighed.jar --jvm --against app.jar
      check a jar, and that a JVM links the classes that it linked before
  weighbridge explain com.acme.Cache app.jar --config weighbridge.toml
      why a class is rewritten or not, and its code before and after
  weighbridge heap dominators app.hprof
      what would be freed with what, from a heap dump (jcmd PID GC.heap_dump app.hprof)
  weighbridge heap threads 4242
      what each thread of a running JVM holds, by a dump that is read and deleted
  weighbridge trace 4242 time io monitors --for 30s
      where the time of a running JVM goes, by its Flight Recorder
  weighbridge replay app.wbe -o html -f lives.html
      when each object died exactly, from a trace of every event

Exit codes:
  0   done
  1   a memory budget is broken (`check`)
  2   wrong usage, or an output that must not be replaced
  3   an input that cannot be used: file, archive, configuration, recording, JVM; a jar that is not sound;
      a configuration that selects no class (`instrument`; `run` if the program itself ended with 0;
      not with --allow-empty)
  4   the program ended with 0, but its trace of every event could not be written (`run --every-event`)
  70  a defect of weighbridge itself
`run` exits with the program's own code, or 128 + n if signal n ended it.

Configuration: docs/configuration.md. Recordings: docs/recording-format.md. JSON: docs/report-json.md.
Other formats: docs/exports.md. Running JVMs: docs/attach.md.";

/// Ends with what clap says. It prints arguments as they are, and gives no way to change that; so it is asked again, with
/// arguments in which nothing acts. Its own colours stay.
fn end_with(error: clap::Error) -> ! {
    let escaped = std::env::args_os().map(|argument| printable(&argument.to_string_lossy()));
    match Cli::try_parse_from(escaped) {
        Err(of_escaped) if of_escaped.kind() == error.kind() => of_escaped.exit(),
        // The escape made another argument of it: without colours, which could be the argument's.
        _ => {
            let text = error.to_string();
            let _ = weighbridge_ending::output::plain_to_stderr(|out| out.write_all(text.as_bytes()));
            std::process::exit(error.exit_code());
        }
    }
}

fn main() -> ExitCode {
    exit::report_panics_as_defects();
    let verb = match Cli::try_parse() {
        Ok(cli) => cli.verb,
        Err(error) => match input::refusal(&error) {
            Some(refused) => return exit::code(Err(refused)),
            None => end_with(error),
        },
    };
    let outcome = match verb {
        Verb::Init(args) => init::execute(args),
        Verb::Instrument(args) => instrument::execute(args),
        Verb::Report(args) => report::execute(args),
        Verb::Watch(args) => watch::execute(args),
        Verb::Console(args) => console::execute(*args),
        Verb::Diff(args) => diff::execute(args),
        Verb::Merge(args) => merge::execute(args),
        Verb::Check(args) => check::execute(args),
        Verb::Trend(args) => trend::execute(args),
        Verb::Config(args) => config::execute(args),
        Verb::Export(args) => export::execute(args),
        Verb::Run(args) => run::execute(args),
        Verb::Jvms(args) => jvms::execute(args),
        Verb::Attach(args) => attach::execute(args),
        Verb::Detach(args) => ctl::execute_detach(args),
        Verb::Ctl(args) => ctl::execute(args),
        Verb::Agent(args) => agent::execute(args),
        Verb::Demo(args) => demo::execute(args),
        Verb::Verify(args) => verify::execute(args),
        Verb::Explain(args) => explain::execute(args),
        Verb::Heap(args) => heap::execute(args),
        Verb::Trace(args) => trace::execute(*args),
        Verb::Replay(args) => replay::execute(args),
        Verb::Doctor(args) => doctor::execute(args),
        Verb::Licenses(args) => licenses::execute(args),
        Verb::Completions(args) => completions::execute(args, Cli::command()),
        Verb::Man(args) => man::execute(args, Cli::command()),
    };
    exit::code(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments that name an output, or a folder: what they name is looked at by `output::check_kind` and
    /// `output::check_free`, or only files in it are opened.
    const NO_INPUTS: [&str; 13] = [
        "dest",
        "file",
        "folded",
        "jacoco",
        "java",
        "keep",
        "lcov",
        "output",
        "parquet",
        "recording",
        "every_event",
        "help",
        "version",
    ];

    /// The arguments that take any path.
    fn collect_unchecked(command: &clap::Command, found: &mut Vec<String>) {
        for argument in command.get_arguments() {
            // clap tells of its own parser of paths, and of others nothing.
            let takes_any_path = format!("{:?}", argument.get_value_parser()) == "ValueParser::path_buf";
            if takes_any_path && !NO_INPUTS.contains(&argument.get_id().as_str()) {
                found.push(format!("{} {}", command.get_name(), argument.get_id()));
            }
        }
        command.get_subcommands().for_each(|inner| collect_unchecked(inner, found));
    }

    #[test]
    fn every_argument_that_is_an_input_refuses_fifos_and_sockets() {
        let mut found = Vec::new();
        collect_unchecked(&Cli::command(), &mut found);
        assert!(found.is_empty(), "needs `value_parser = InputPathParser`: {found:?}");
        // If clap names its parser otherwise, the test above sees nothing.
        let any_path =
            clap::Command::new("x").arg(clap::Arg::new("any").value_parser(clap::value_parser!(std::path::PathBuf)));
        collect_unchecked(&any_path, &mut found);
        assert_eq!(found, ["x any"]);
    }
}
