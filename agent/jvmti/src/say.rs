//! Messages on standard error.

/// Prints one line, as the runtime's messages are.
pub(crate) fn say(text: &str) {
    eprintln!("weighbridge: {text}");
}
