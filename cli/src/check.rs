//! `weighbridge check`: compares recordings or reports with the budgets of a configuration.

use std::path::PathBuf;

use clap::ValueEnum;
use weighbridge_check::{Outcome as Judged, compared, judge_all, markdown, sarif, verdicts};
use weighbridge_config::{Config, Error};
use weighbridge_ending::{Failure, messages, write_text};
use weighbridge_reporter::ReportSummary;

use crate::bounds::RecordingBounds;
use crate::exit::{BROKEN, DONE, INPUT, Outcome};
use crate::input::InputPathParser;
use crate::output_target::OutputTarget;
use crate::progress::Bar;
use crate::report_options::MARKDOWN_TOP;

/// Check what recordings say against the memory budgets and round trips of a configuration ([[budget]], [[round_trip]];
/// docs/configuration.md).
///
/// The figures of several recordings add up, as in a report. Exit code 1: a budget is broken. 3: a figure that a budget
/// bounds was not measured, or a recording is damaged. A sampled figure breaks a budget only beyond two standard errors.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Recordings or directories of them (*.wbr), or one JSON report.
    #[arg(value_name = "RECORDING", required = true, value_parser = InputPathParser)]
    recordings: Vec<PathBuf>,
    /// The configuration with the budgets.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: PathBuf,
    /// The recording or JSON report that `max_increase` is relative to.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    baseline: Option<PathBuf>,
    /// Only warn of a budget whose component is not defined (docs/configuration.md).
    #[arg(long)]
    lenient: bool,
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = CheckFormat::Text)]
    format: CheckFormat,
    #[command(flatten)]
    target: OutputTarget,
    /// Of markdown: the address of the whole report, for a link.
    #[arg(long, value_name = "ADDRESS")]
    link: Option<String>,
    #[command(flatten)]
    bounds: RecordingBounds,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// A line for each budget that is broken or could not be judged.
    Text,
    /// Every verdict, for programs.
    Json,
    /// JUnit XML, a test case a verdict.
    Junit,
    /// Annotations of a GitHub workflow.
    Github,
    /// For the page of a build, $GITHUB_STEP_SUMMARY: the verdicts, and what the recordings show in short.
    Markdown,
    /// SARIF 2.1.0, for code scanning: a result at the line of each broken budget.
    Sarif,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let files = [&args.config].into_iter().chain(&args.baseline).chain(&args.recordings);
    args.target.check(&files.cloned().collect::<Vec<_>>())?;
    let config = Config::read(&args.config)?;
    let config_path = args.config.display().to_string();
    if config.budgets.is_empty() && config.round_trips.is_empty() {
        return Err(Failure::input(format!(
            "{config_path}: no [[budget]] and no [[round_trip]] in this configuration"
        )));
    }
    tell_unknown(&config_path, config.undefined_components(), args.lenient)?;
    let relative = config.budgets.iter().find(|budget| budget.max_increase.is_some());
    if let (Some(budget), None) = (relative, &args.baseline) {
        return Err(Failure::usage(format!("{config_path}: line {}: `max_increase` needs --baseline", budget.line)));
    }
    if args.link.is_some() && args.format != CheckFormat::Markdown {
        return Err(Failure::usage("--link is for markdown"));
    }
    let measured = compared::read(&args.recordings, args.bounds.limits(), Bar::new)?;
    let baseline = args.baseline.map(|path| compared::read(&[path], args.bounds.limits(), Bar::new)).transpose()?;
    let sides = [Some(&measured), baseline.as_ref()];
    let recorded = sides.into_iter().flatten().flat_map(|side| &side.report.components);
    let unrecorded = config.unrecorded_components(recorded.map(|row| row.component.as_str()));
    tell_unknown(&config_path, unrecorded, args.lenient)?;
    let verdicts = judge_all(&config, &measured.report, baseline.as_ref().map(|side| &side.report));
    let write = |out: &mut dyn std::io::Write| match args.format {
        CheckFormat::Text => write_text(out, false, |out| verdicts::text(&verdicts, &config_path, out)),
        CheckFormat::Json => verdicts::json(&verdicts, &config_path, out),
        CheckFormat::Junit => verdicts::junit(&verdicts, &config_path, out),
        CheckFormat::Github => verdicts::github(&verdicts, &config_path, out),
        CheckFormat::Markdown => markdown::write(
            &verdicts,
            &config_path,
            (measured.aggregate.as_ref(), MARKDOWN_TOP),
            args.link.as_deref(),
            out,
        ),
        CheckFormat::Sarif => sarif::write(&verdicts, &config_path, out),
    };
    args.target.write(write)?;
    let ReportSummary { jvms, jvms_without_rewritten_classes: unloaded, .. } = measured.report.summary;
    let nothing_loaded = jvms > 0 && unloaded == jvms;
    if nothing_loaded {
        messages::warn(format!(
            "{}: no rewritten class was loaded, so no budget was checked; is the class path that of the rewritten jars?",
            measured.name
        ));
    }
    let any = |outcome: Judged| verdicts.iter().any(|verdict| verdict.outcome == outcome);
    let incomplete = measured.incomplete || baseline.is_some_and(|side| side.incomplete);
    Ok(match (any(Judged::Broken), any(Judged::NotMeasured) || incomplete || nothing_loaded) {
        (true, _) => BROKEN,
        (false, true) => INPUT,
        (false, false) => DONE,
    })
}

/// A name of a component that nobody knows is a wrong name; `lenient` takes it for one that is not there yet.
fn tell_unknown(config_path: &str, unknown: Vec<Error>, lenient: bool) -> Result<(), Failure> {
    let mut sentences = unknown.iter().map(|error| format!("{config_path}: {error}"));
    if lenient {
        sentences.for_each(messages::warn);
        return Ok(());
    }
    sentences.next().map_or(Ok(()), |first| Err(Failure::input(first)))
}
