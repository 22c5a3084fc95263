//! The names of bridge classes.

/// Whether an internal name is that of a bridge class: `Weighbridge$` and 16 hex digits, in any package.
pub fn is_bridge_name(internal_name: &[u8]) -> bool {
    const PREFIX: &[u8] = b"Weighbridge$";
    let Some(start) = internal_name.len().checked_sub(PREFIX.len() + 16) else {
        return false;
    };
    let (package, simple) = internal_name.split_at(start);
    matches!(package.last(), None | Some(b'/'))
        && simple.strip_prefix(PREFIX).is_some_and(|hex| hex.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

/// What the probes of traces call: a class of the boot loader, which is no bridge.
pub const TRACES: &str = "java/lang/Weighbridge$Traces";

/// What the probes of every event call: a class of the boot loader, too.
pub const EVENTS: &str = "java/lang/Weighbridge$Events";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_is_recognised_by_its_simple_name() {
        assert!(is_bridge_name(b"com/acme/Weighbridge$0123456789abcdef"));
        assert!(is_bridge_name(b"Weighbridge$0123456789abcdef"));
        assert!(!is_bridge_name(b"com/acme/MyWeighbridge$0123456789abcdef"));
        assert!(!is_bridge_name(b"com/acme/Weighbridge$0123456789abcdeg"));
        assert!(!is_bridge_name(b"Weighbridge$0123456789abcde"));
    }
}
