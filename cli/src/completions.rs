//! `weighbridge completions`: what a shell needs to complete verbs and flags.

use weighbridge_ending::output;

use crate::exit::{DONE, Outcome};

/// Print the completions of a shell.
///
/// Packages install them. For the shell that runs: `source <(weighbridge completions bash)`.
/// docs/install.md says where each shell looks for them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

pub(crate) fn execute(args: Args, mut command: clap::Command) -> Outcome {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    output::to_stdout(|out| out.write_all(&script))?;
    Ok(DONE)
}
