//! `weighbridge agent`: the native agent as a file.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use weighbridge_ending::output;
use weighbridge_library::{AGENT_LIBRARY, FILE_NAME};

use crate::exit::{DONE, Outcome};

/// Write the native agent into a folder, for -agentpath, and print its path.
///
/// `attach` and `run` bring the agent themselves. A file is for servers that load it at their start: idle, so that a later
/// `attach` costs little, or with a configuration (docs/attach.md).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder.
    #[arg(long, value_name = "DIR", default_value = ".")]
    dest: PathBuf,
    /// Replace a file of another version. JVMs that have loaded it keep it.
    #[arg(long)]
    force: bool,
}

pub(crate) fn execute(args: Args) -> Outcome {
    output::check_kind(&args.dest)?;
    let file = args.dest.join(FILE_NAME);
    // Before it is read: to open a FIFO waits, perhaps for ever.
    output::check_kind(&file)?;
    let is_there = fs::read(&file).is_ok_and(|bytes| bytes == AGENT_LIBRARY);
    if !is_there {
        output::to_file(&file, args.force, |out| out.write_all(AGENT_LIBRARY))?;
    }
    let file = file.canonicalize().with_context(|| file.display().to_string())?;
    output::plain(|out| writeln!(out, "{}", file.display()))?;
    Ok(DONE)
}
