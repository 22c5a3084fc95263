//! Placeholder.
#[derive(clap::Args)]
pub(crate) struct Args {}
pub(crate) fn execute(_: Args) -> crate::exit::Outcome {
    Ok(0)
}
