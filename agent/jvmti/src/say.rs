//! Messages on standard error.

/// Prints one line, as the runtime's messages are.
pub(crate) fn print_message(text: &str) {
    eprintln!("weighbridge: {text}");
}
