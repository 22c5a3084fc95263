//! Text of other processes, made fit for a message.

/// One line without control characters: what a JVM says can neither break a message nor steer a terminal.
pub(super) fn one_line(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn lines_and_escapes_become_spaces() {
        assert_eq!(one_line(b"a.so was not loaded.\n\x1b[31ma.so: \xff\n"), "a.so was not loaded. [31ma.so: \u{fffd}");
    }
}
