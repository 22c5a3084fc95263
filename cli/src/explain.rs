//! `weighbridge explain`: why a class is rewritten or not, and its code before and after.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use weighbridge_config::Config;
use weighbridge_ending::{messages, output};
use weighbridge_reporter::json::pretty;
use weighbridge_rewriter::explain::{
    Effect, ExplainedCopy, ExplainedMethod, Explanation, MatchedRule, Rewriting, explain,
};
use weighbridge_rewriter::instrument::lossy_path;

use crate::bounds::Bounds;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;

/// Tell why a class of a jar is rewritten or not, and show its code before and after.
///
/// Nothing is written. Ids and bridge are those of `instrument` with this one JAR.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The class by its binary name, such as com.acme.Cache$Node (quote the $ for a shell).
    #[arg(value_name = "CLASS")]
    class: String,
    /// The jar, war, ear or directory of classes before it is rewritten.
    #[arg(value_name = "JAR", value_parser = InputPathParser)]
    jar: PathBuf,
    /// Which classes to measure, and how (docs/configuration.md).
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: PathBuf,
    #[command(flatten)]
    bounds: Bounds,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

/// The JSON form. Its keys are a public interface.
#[derive(Serialize)]
struct ExplainDocument<'a> {
    format: u32,
    /// As far as it is UTF-8.
    config: Cow<'a, str>,
    #[serde(flatten)]
    explanation: &'a Explanation,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let config = Config::read(&args.config)?;
    let explanation = explain(&args.class, &args.jar, &config, args.bounds.limits())?;
    [&args.jar, &args.config].into_iter().filter_map(|path| lossy_path(path)).for_each(messages::warn);
    match args.json {
        true => output::to_stdout(|stdout| {
            pretty(
                &ExplainDocument { format: 1, config: args.config.to_string_lossy(), explanation: &explanation },
                &mut &mut *stdout,
            )
        }),
        false => output::plain(|out| Text { config: args.config.display().to_string() }.write(&explanation, out)),
    }?;
    Ok(DONE)
}

/// The form for people.
struct Text {
    /// The configuration as it was named.
    config: String,
}

impl Text {
    fn write(&self, explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
        for copy in &explanation.copies {
            writeln!(out, "{} ({})", explanation.class, copy.location)?;
            self.selection(copy, out)?;
            self.effect(copy, out)?;
        }
        Ok(())
    }

    fn rule(&self, rule: &MatchedRule) -> String {
        let mut text = format!("{} \"{}\"", rule.key, rule.pattern);
        if let Some(line) = rule.line {
            text += &format!(" ({}:{line})", self.config);
        }
        if !rule.through.is_empty() {
            text += &format!(", through {}", rule.through.join(", "));
        }
        text
    }

    fn selection(&self, copy: &ExplainedCopy, out: &mut dyn Write) -> io::Result<()> {
        let selection = &copy.selection;
        match (&selection.decided_by, selection.selected) {
            (Some(rule), true) => writeln!(out, "  selected by {}", self.rule(rule))?,
            (Some(rule), false) => writeln!(out, "  not selected: excluded by {}", self.rule(rule))?,
            (None, true) => writeln!(out, "  selected")?,
            (None, false) => writeln!(out, "  not selected: no pattern of {} matches it", self.config)?,
        }
        selection.also.iter().try_for_each(|rule| writeln!(out, "  matches also {}", self.rule(rule)))
    }

    fn effect(&self, copy: &ExplainedCopy, out: &mut dyn Write) -> io::Result<()> {
        match &copy.effect {
            Effect::Untouched => writeln!(out, "  stays as it is"),
            Effect::Skipped { reason, constructors } => {
                writeln!(out, "  skipped, stays as it is: {reason}")?;
                constructors.iter().try_for_each(|constructor| method(constructor, out))
            }
            Effect::Rewritten(rewriting) => {
                let Rewriting { bridge, id, track, fields, target, component, methods } = &**rewriting;
                let by = target.as_ref().map_or("the default".to_owned(), |rule| self.rule(rule));
                writeln!(out, "  track {track}, by {by}")?;
                match fields.is_empty() {
                    true => writeln!(out, "  fields: all")?,
                    false => writeln!(out, "  fields: {}", fields.join(", "))?,
                }
                match component {
                    Some(component) => {
                        writeln!(out, "  component {}, by {}", component.name, self.rule(&component.rule))?
                    }
                    None => writeln!(out, "  component: none")?,
                }
                writeln!(out, "  class {id} of the bridge {}", bridge.replace('/', "."))?;
                methods.iter().try_for_each(|rewritten| method(rewritten, out))
            }
        }
    }
}

fn method(method: &ExplainedMethod, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}", method.method)?;
    for probe in &method.probes {
        writeln!(out, "    probe {} at pc {}, as pc {}", probe.placement, probe.old_pc, probe.new_pc)?;
    }
    let texts = [("before", Some(&method.before)), ("after", method.after.as_ref())];
    for (when, text) in texts {
        let Some(text) = text else { continue };
        writeln!(out, "    {when}:")?;
        // The first line repeats the method's name.
        for line in text.lines().skip(1) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}
