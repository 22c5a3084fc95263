//! The commands that tell more about a suspect.

use super::super::Facts;

/// Makes commands for a dump.
pub(super) struct Commands {
    dump: String,
    /// Whether the dump stays, so that addresses can be asked for.
    stays: bool,
}

impl Commands {
    pub(super) fn of(facts: &Facts) -> Self {
        match &facts.process {
            Some(process) if facts.file.starts_with("process ") => {
                Commands { dump: process.pid.to_string(), stays: false }
            }
            _ => Commands { dump: quoted(&facts.file), stays: true },
        }
    }

    /// A verb about an object, or about its class if the dump does not stay.
    pub(super) fn about(&self, verb: &str, object: Option<&str>, class: &str) -> Option<String> {
        match object.filter(|_| self.stays) {
            Some(object) => Some(format!("weighbridge heap {verb} {} {object}", self.dump)),
            None if verb == "object" => None,
            None => Some(format!("weighbridge heap {verb} {} {}", self.dump, quoted(class))),
        }
    }

    /// A verb about the whole dump.
    pub(super) fn whole(&self, verb: &str) -> String {
        format!("weighbridge heap {verb} {}", self.dump)
    }
}

/// A word of a shell's command line (POSIX.1-2017, XCU 2.2.2).
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        let words = ["app.hprof", "a b", "com.acme.A$B", "it's", ""].map(quoted);
        assert_eq!(words, ["app.hprof", "'a b'", "'com.acme.A$B'", r"'it'\''s'", "''"]);
    }
}
