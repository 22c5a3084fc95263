//! `weighbridge licenses`: the licenses of the binary, and the notices of what it contains.

use weighbridge_ending::output;

use crate::exit::{DONE, Outcome};

/// Print the licenses of Weighbridge and of everything that is in this binary.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Made by `cargo run -p xtask licenses`. A test checks it against `Cargo.lock`.
const THIRD_PARTY: &str = include_str!("../third-party.txt");

pub(crate) fn execute(Args {}: Args) -> Outcome {
    output::to_stdout(|out| {
        writeln!(out, "Weighbridge is licensed under either of these, at your option.\n")?;
        writeln!(out, "{}", include_str!("../../LICENSE-MIT"))?;
        writeln!(out, "{}", include_str!("../../LICENSE-APACHE"))?;
        out.write_all(THIRD_PARTY.as_bytes())
    })?;
    Ok(DONE)
}
