//! `weighbridge config`: the schema of configurations, and whether one is right.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use weighbridge_config::{Config, SCHEMA};
use weighbridge_ending::{Failure, output};
use weighbridge_reporter::units::count_with_noun;

use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::output_target::OutputTarget;

/// The schema of configurations for editors, and whether a configuration is right (docs/configuration.md).
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: ConfigVerb,
}

#[derive(Subcommand)]
enum ConfigVerb {
    /// Print the JSON Schema of weighbridge.toml.
    ///
    /// An editor that knows Taplo or Even Better TOML completes and checks a configuration whose first line is
    /// `#:schema ./weighbridge.schema.json`, if the schema is in that file.
    Schema {
        #[command(flatten)]
        target: OutputTarget,
    },
    /// Say whether configurations are right: the first wrong one is named with line and column, exit code 3.
    Check {
        /// The configurations.
        #[arg(value_name = "FILE", required = true, value_parser = InputPathParser)]
        files: Vec<PathBuf>,
    },
}

pub(crate) fn execute(args: Args) -> Outcome {
    match args.verb {
        ConfigVerb::Schema { target } => {
            target.check(&[])?;
            target.write(|out| out.write_all(SCHEMA.as_bytes()))?;
        }
        ConfigVerb::Check { files } => {
            let configs: Vec<_> = files.iter().map(|file| Ok((file, read(file)?))).collect::<Result<_, Failure>>()?;
            output::plain(|out| {
                configs.iter().try_for_each(|(file, config)| writeln!(out, "{}: {}", file.display(), summary(config)))
            })?;
        }
    }
    Ok(DONE)
}

/// Reads a configuration that is right.
fn read(file: &Path) -> Result<Config, Failure> {
    let config = Config::read(file)?;
    match config.undefined_components().first() {
        Some(error) => Err(Failure::input(format!("{}: {error}", file.display()))),
        None => Ok(config),
    }
}

/// What a configuration has.
fn summary(config: &Config) -> String {
    let selecting =
        [&config.include, &config.annotated, &config.extends, &config.target_classes].map(|set| set.patterns().len());
    let mut parts = vec![match selecting.iter().sum::<usize>() {
        0 => "selects no class".to_owned(),
        patterns => format!("{} of classes to measure", count_with_noun(patterns as u64, "pattern", "patterns")),
    }];
    let mut of = |count: usize, one: &str, many: &str| {
        if count > 0 {
            parts.push(count_with_noun(count as u64, one, many));
        }
    };
    of(config.components.names().len(), "component", "components");
    of(config.budgets.len(), "budget", "budgets");
    of(config.round_trips.len(), "round trip", "round trips");
    of(config.traces.len(), "trace", "traces");
    of(usize::from(config.shortage.is_some()), "policy for shortages", "policies");
    format!("right; {}", parts.join(", "))
}
