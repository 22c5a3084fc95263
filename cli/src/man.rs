//! `weighbridge man`: the help of all verbs as manual pages.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap_mangen::Man;
use weighbridge_ending::{Failure, output};

use crate::exit::{DONE, Outcome};

/// Write the manual pages of all verbs into a folder: weighbridge.1, weighbridge-heap-path.1 and so on.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder.
    #[arg(long, value_name = "DIR", default_value = ".")]
    dest: PathBuf,
    /// Replace pages that are there.
    #[arg(long)]
    force: bool,
}

pub(crate) fn execute(args: Args, command: clap::Command) -> Outcome {
    output::check_kind(&args.dest)?;
    let mut command = command.disable_help_subcommand(true);
    // It gives verbs of verbs their full names.
    command.build();
    write(command, &args.dest, args.force)?;
    Ok(DONE)
}

fn write(command: clap::Command, dest: &Path, force: bool) -> Result<(), Failure> {
    let (verbs, name) = (command.get_subcommands().cloned().collect::<Vec<_>>(), command.get_name().to_owned());
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page).with_context(|| format!("the manual page of {name}"))?;
    output::to_file(&dest.join(man.get_filename()), force, |out| out.write_all(&page))?;
    verbs.into_iter().filter(|verb| !verb.is_hide_set()).try_for_each(|verb| write(verb, dest, force))
}
