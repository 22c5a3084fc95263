//! Entries: methods at which scopes begin and end, such as the requests of servlets (docs/traces.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ConfigErrorKind, Error, Result, position};

/// Ready-made ones, built into the program.
const FILES: [(&str, &str); 6] = [
    ("servlet", include_str!("../entries/servlet.toml")),
    ("session", include_str!("../entries/session.toml")),
    ("spring", include_str!("../entries/spring.toml")),
    ("kafka", include_str!("../entries/kafka.toml")),
    ("jdbc", include_str!("../entries/jdbc.toml")),
    ("executors", include_str!("../entries/executors.toml")),
];

/// Methods, and the scopes that are open while one of them runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryPoint {
    /// Patterns of methods, `com.acme.Shop.handle`.
    pub methods: Vec<String>,
    /// The argument, from 0, that the scopes are about; `this` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<u8>,
    /// Keys, and templates of values: `{getMethod} {getServletPath}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scopes: BTreeMap<String, String>,
    /// Objects of these classes carry the scopes of the thread that has made them into these methods.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub carries: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntriesDocument {
    entry: Vec<EntryPoint>,
}

impl EntryPoint {
    /// What does not make sense about it.
    pub(crate) fn fault(&self) -> Option<String> {
        let faulty = |template: &String| -> Option<String> {
            let mut rest = template.as_str();
            while let Some((_, after)) = rest.split_once('{') {
                let Some((path, next)) = after.split_once('}') else {
                    return Some(format!("\"{template}\": a brace is not closed"));
                };
                let path = path.strip_suffix('#').unwrap_or(path);
                let is_name = |name: &str| {
                    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte))
                };
                if !path.split('.').all(is_name) {
                    return Some(format!(
                        "\"{template}\": in braces are names of methods or fields, separated by dots"
                    ));
                }
                rest = next;
            }
            template.contains(['\t', '\n']).then(|| format!("\"{template}\": a value is one line"))
        };
        if self.methods.is_empty() {
            return Some("an entry needs methods".to_owned());
        }
        if self.scopes.is_empty() != self.carries {
            return Some("an entry has scopes, or carries those of others".to_owned());
        }
        if let Some(key) = self.scopes.keys().find(|key| key.is_empty() || key.contains(['=', '\t', '\n'])) {
            return Some(format!("\"{key}\": a key has no equals sign"));
        }
        self.scopes.values().find_map(faulty)
    }
}

/// The same with the scopes of entries of the same methods in one.
pub(crate) fn merge_entries(entries: &[EntryPoint]) -> Vec<EntryPoint> {
    let mut all: Vec<EntryPoint> = Vec::new();
    for entry in entries {
        let same = |other: &&mut EntryPoint| {
            (&other.methods, other.argument, other.carries) == (&entry.methods, entry.argument, entry.carries)
        };
        match all.iter_mut().find(same) {
            Some(same) => same.scopes.extend(entry.scopes.clone()),
            None => all.push(entry.clone()),
        }
    }
    all
}

/// The names of the ready-made entries.
pub fn entry_names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The ready-made entries of a name.
pub fn ready_entries(name: &str) -> Option<Vec<EntryPoint>> {
    let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
    // A test reads them all.
    read_entries(text).ok()
}

/// Entries of a file: tables `[[entry]]`.
///
/// # Errors
/// [`ErrorKind::Config`] with line and column, or with the method that cannot be.
pub fn read_entries(text: &str) -> Result<Vec<EntryPoint>> {
    let document: EntriesDocument = toml::from_str(text).map_err(|error| position::from_toml(text, &error))?;
    match document.entry.iter().find_map(EntryPoint::fault) {
        Some(fault) => Err(Error::new(ConfigErrorKind::Config, fault)),
        None => Ok(document.entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MethodPatterns;

    #[test]
    fn the_ready_made_ones_are_in_order() {
        for (name, text) in FILES {
            let entries = read_entries(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(ready_entries(name).as_ref(), Some(&entries));
            entries.iter().for_each(|entry| drop(MethodPatterns::read(&entry.methods).unwrap()));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let fault = |text: &str| read_entries(&format!("[[entry]]\n{text}")).expect_err(text).to_string();
        let methods = "methods = [\"a.B.c\"]\n";
        for (text, words) in [
            (methods.to_owned(), "has scopes, or carries"),
            (format!("{methods}carries = true\nscopes.a = \"b\""), "has scopes, or carries"),
            ("methods = []\ncarries = true".to_owned(), "needs methods"),
            (format!("{methods}scopes.a = \"{{b\""), "not closed"),
            (format!("{methods}scopes.a = \"{{b()}}\""), "names of methods"),
            (format!("{methods}scopes.\"a=b\" = \"c\""), "no equals sign"),
            (format!("{methods}carry = true"), "carries"),
        ] {
            assert!(fault(&text).contains(words), "{text}: {}", fault(&text));
        }
    }
}
