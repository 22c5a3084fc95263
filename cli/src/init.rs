//! `weighbridge init`: proposes a configuration for a program.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use weighbridge_check::compared;
use weighbridge_config::{Config, Pattern, PatternSet, SCHEMA};
use weighbridge_ending::{Failure, output, shell};
use weighbridge_proposal::{Program, Proposal, budgets, process, written};
use weighbridge_reporter::printable;
use weighbridge_reporter::units::{count, count_with_noun};

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::progress::Bar;

/// Propose a configuration for a program: its own packages, its components, and budgets from a first run.
///
/// The classes of the program are told from those of its libraries by where they are (nested archives, the class path), by
/// the main class, and by the Maven coordinates in the archive. The file has comments; change what does not fit.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A jar or war, a directory of classes or jars, a project that is built, or the process id of a JVM.
    #[arg(value_name = "SRC", default_value = ".", value_parser = InputPathParser)]
    source: PathBuf,
    /// Propose budgets from this recording or JSON report of a run.
    #[arg(long, value_name = "RECORDING", value_parser = InputPathParser)]
    from: Option<PathBuf>,
    /// How much more than in that run the budgets allow, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    margin: u32,
    /// The file to write; - for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "weighbridge.toml")]
    file: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    /// Ask nothing. Without a terminal nothing is asked either.
    #[arg(short, long)]
    yes: bool,
    /// Write the JSON Schema beside the file, and the line that tells editors of it.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    bounds: RecordingBounds,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let printed = args.file.as_os_str() == "-";
    if printed && args.schema {
        return Err(Failure::usage("--schema writes beside a file, not to standard output"));
    }
    if !printed {
        output::check_free(&args.file, args.force)?;
    }
    let program = program(&args.source)?;
    let mut proposal = Proposal::from_program(&program)?;
    if !printed && !args.yes && io::stdin().is_terminal() && io::stderr().is_terminal() {
        ask_for_patterns(&program, &mut proposal)?;
    }
    let budgets = match &args.from {
        None => None,
        Some(path) => {
            let measured = compared::read(std::slice::from_ref(path), args.bounds.limits(), Bar::new)?;
            Some(budgets::propose(&measured, &proposal, args.margin)?)
        }
    };
    let text = written::text(args.schema, &program, &proposal, budgets.as_ref());
    // What is proposed is right, or nothing is written.
    let config = Config::parse(&text)
        .map_err(|error| Failure::Defect(anyhow::anyhow!("the proposed configuration is wrong: {error}")))?;
    if printed {
        output::to_stdout(|out| out.write_all(text.as_bytes()))?;
        return Ok(DONE);
    }
    if args.schema {
        let schema = output::folder_of(&args.file).join(written::SCHEMA_FILE);
        // A schema of another version may be replaced: nobody edits it.
        output::to_file(&schema, true, |out| out.write_all(SCHEMA.as_bytes()))?;
    }
    output::to_file(&args.file, args.force, |out| out.write_all(text.as_bytes()))?;
    output::plain(|out| write_summary(&args, &program, &proposal, &config, out))?;
    Ok(DONE)
}

/// What the source is.
fn program(source: &Path) -> Result<Program, Failure> {
    let pid = source.to_str().and_then(|text| text.parse::<u32>().ok());
    match pid {
        Some(pid) if !source.exists() => process::program(pid),
        _ => Program::read(source),
    }
}

/// Shows which packages were chosen, and takes others.
fn ask_for_patterns(program: &Program, proposal: &mut Proposal) -> Result<(), Failure> {
    let mut terminal = io::stderr().lock();
    let shown = |error: io::Error| Failure::input(format!("the terminal: {error}"));
    let (name, include) = (printable(&program.name), printable(&proposal.include.join(" ")));
    writeln!(terminal, "{name}: {} of {} classes are measured by", proposal.selected, program.all()).map_err(shown)?;
    writeln!(terminal, "  {include}").map_err(shown)?;
    write!(terminal, "Enter to take these, or other patterns, such as com.acme.**: ").map_err(shown)?;
    terminal.flush().map_err(shown)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("the terminal")?;
    let patterns: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    if patterns.is_empty() {
        return Ok(());
    }
    let parsed = patterns.iter().map(|text| Pattern::parse(text)).collect::<Result<Vec<_>, _>>()?;
    proposal.take(program, patterns, &PatternSet::new(parsed))
}

/// Says what was proposed. Names of files and packages come from outside: none of them begins a line.
fn write_summary(
    args: &Args,
    program: &Program,
    proposal: &Proposal,
    config: &Config,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "{}: {} of {} classes of {} are measured, in {}{}",
        printable(&args.file.display().to_string()),
        count(proposal.selected as u64),
        count(program.all() as u64),
        printable(&program.name),
        count_with_noun(config.components.names().len() as u64, "component", "components"),
        match config.budgets.len() {
            0 => String::new(),
            budgets => format!(", with {}", count_with_noun(budgets as u64, "budget", "budgets")),
        },
    )?;
    for note in &proposal.notes {
        writeln!(out, "note: {}", printable(note))?;
    }
    let config = printable(&shell::quoted(&args.file));
    let command = program.command.as_deref().map_or_else(|| "java ...".to_owned(), printable);
    writeln!(out, "next: weighbridge run --config {config} --recording run.wbr -- {command}")
}
