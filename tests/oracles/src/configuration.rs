//! Configuration texts.

use weighbridge_config::{Config, ConfigErrorKind};

/// Any text is a configuration or a one-line error; the same text is the same configuration.
pub fn parsing(text: &str) {
    match Config::parse(text) {
        Ok(config) => {
            let again = Config::parse(text).expect("what was accepted once");
            assert_eq!(config.digest(), again.digest());
            for name in [&b""[..], b"a", b"com/acme/A$B", b"\xFF\xC0\x80/\xED\xA0\x80"] {
                assert_eq!(config.include.matches(name), again.include.matches(name));
            }
        }
        Err(error) => {
            assert!(matches!(error.kind(), ConfigErrorKind::Config | ConfigErrorKind::Pattern), "{error}");
            assert!(!error.to_string().is_empty());
        }
    }
}
