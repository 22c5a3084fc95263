//! Lines on standard error.

use std::io::{self, Write};

use weighbridge_outside::printable;

/// Prints one line on standard error: `weighbridge: LEVEL: TEXT`.
pub fn print_message(level: &str, text: &str) {
    // If standard error is closed, the line cannot be printed anywhere.
    let _ = writeln!(io::stderr(), "weighbridge: {level}: {}", printable(text));
}

/// Prints one warning on standard error.
pub fn warn(text: impl std::fmt::Display) {
    print_message("warning", &text.to_string());
}
