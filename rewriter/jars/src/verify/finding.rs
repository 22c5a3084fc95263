//! The result of checking a jar.

use std::collections::HashSet;

use serde::Serialize;

/// The findings about an archive or folder, with all archives in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Archives, the outermost included. Exact, as all figures here.
    pub archives: u64,
    /// Entries of all archives.
    pub entries: u64,
    /// Class files, bridges included; each duplicate and each Multi-Release version counts.
    pub classes: u64,
    /// Class files whose code calls a bridge.
    pub rewritten: u64,
    /// Bridge classes.
    pub bridges: u64,
    /// True if the archive contains the runtime.
    pub carries_runtime: bool,
    /// What is wrong, in the order of the archive.
    pub problems: Vec<Finding>,
    /// What could not be checked, or is unusual but not wrong.
    pub notes: Vec<Finding>,
}

impl Verification {
    /// Drops the problems that the original has at the same location: rewriting did not cause them.
    ///
    /// Ignores offsets, because probes change them. Returns how many were dropped.
    pub fn discount(&mut self, original: &Verification) -> usize {
        let known: HashSet<(&str, String)> = original.problems.iter().map(Finding::key).collect();
        let before = self.problems.len();
        self.problems.retain(|problem| !known.contains(&problem.key()));
        before - self.problems.len()
    }
}

/// One thing that was found, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// `outer.jar!/inner.jar!/com/acme/Foo.class`, from the name of the file on.
    #[serde(rename = "place")]
    pub location: String,
    /// The finding, as a sentence without its full stop.
    pub reason: String,
}

impl Finding {
    /// The location below the outermost file, and the reason without its numbers.
    fn key(&self) -> (&str, String) {
        let location = self.location.split_once("!/").map_or("", |(_, below)| below);
        (location, self.reason.chars().filter(|character| !character.is_ascii_digit()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_of_the_original_do_not_count_even_at_other_offsets() {
        let found = |problems: &[(&str, &str)]| Verification {
            problems: problems
                .iter()
                .map(|&(location, reason)| Finding { location: location.into(), reason: reason.into() })
                .collect(),
            ..Verification::default()
        };
        let original = found(&[("app.jar!/a/A.class", "is odd (at offset 7)"), ("app.jar!/a/B.class", "is odd")]);
        let mut rewritten = found(&[
            ("out.jar!/a/A.class", "is odd (at offset 31)"),
            ("out.jar!/a/A.class", "is wrong"),
            ("out.jar!/a/C.class", "is odd"),
        ]);
        assert_eq!(rewritten.discount(&original), 1);
        let left: Vec<&str> = rewritten.problems.iter().map(|problem| &*problem.location).collect();
        assert_eq!(left, ["out.jar!/a/A.class", "out.jar!/a/C.class"]);
    }
}
