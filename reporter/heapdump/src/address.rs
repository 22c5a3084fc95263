//! Addresses of objects as texts: `0x7f00`.

/// An address as reports print it, and as arguments name it.
pub fn address_text(address: u64) -> String {
    format!("0x{address:x}")
}

/// The address that a text is; `None` if it is written otherwise.
pub fn parse_address(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    // `from_str_radix` would take a sign.
    digits.chars().all(|c| c.is_ascii_hexdigit()).then(|| u64::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::{address_text, parse_address};

    #[test]
    fn an_address_is_hexadecimal_digits_after_0x_and_nothing_else() {
        for address in [0, 0x7f00, u64::MAX] {
            assert_eq!(parse_address(&address_text(address)), Some(address));
        }
        assert_eq!(parse_address("0XFf"), Some(255));
        for wrong in ["", "7f00", "0x", "0x+5", "0xg", "0x10000000000000000"] {
            assert_eq!(parse_address(wrong), None, "{wrong}");
        }
    }
}
