//! The commands that tell more about a suspect.

use super::super::Facts;

/// Makes commands for a dump.
pub(super) struct Commands {
    dump: String,
    /// Whether the dump stays, so that addresses can be asked for.
    stays: bool,
}

impl Commands {
    pub(super) fn from_facts(facts: &Facts) -> Self {
        match &facts.process {
            Some(process) if facts.file.starts_with("process ") => {
                Commands { dump: process.pid.to_string(), stays: false }
            }
            _ => Commands { dump: quoted(&facts.file), stays: true },
        }
    }

    /// A verb about an object, or about its class if the dump does not stay.
    pub(super) fn object_command(&self, verb: &str, object: Option<&str>, class: &str) -> Option<String> {
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

/// A word of a shell's command line. A name with a NUL has none, and stays.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        let words = ["app.hprof", "a b", "com.acme.A$B", "it's", ""];
        assert_eq!(words.map(quoted)[..3], ["app.hprof", "'a b'", "'com.acme.A$B'"]);
        for word in words {
            assert_eq!(shlex::split(&quoted(word)), Some(vec![word.to_owned()]));
        }
    }
}
