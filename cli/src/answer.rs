//! Prints what an agent answers.

use serde_json::Value;
use weighbridge_ending::output;
use weighbridge_reporter::json::pretty;

use crate::exit::{DONE, Outcome};

/// Prints it as it came.
pub(crate) fn print_answer(answer: &Value) -> Outcome {
    output::to_stdout(|mut out| pretty(answer, &mut out))?;
    Ok(DONE)
}
