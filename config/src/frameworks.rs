//! The shipped rules of frameworks: which objects of a heap dump belong to which element of the application.

use serde::Deserialize;

use crate::components::Components;
use crate::components::document;
use crate::reader::Reader;
use crate::{Error, Result, position};

/// Built into the program. An object belongs to the first that claims it: libraries before the containers that hold them.
const FILES: [(&str, &str); 8] = [
    ("jdbc", include_str!("../frameworks/jdbc.toml")),
    ("kafka", include_str!("../frameworks/kafka.toml")),
    ("hibernate", include_str!("../frameworks/hibernate.toml")),
    ("caches", include_str!("../frameworks/caches.toml")),
    ("pools", include_str!("../frameworks/pools.toml")),
    ("tomcat", include_str!("../frameworks/tomcat.toml")),
    ("jetty", include_str!("../frameworks/jetty.toml")),
    ("spring", include_str!("../frameworks/spring.toml")),
];

/// The rules of a framework.
#[derive(Clone, Debug)]
pub struct Framework {
    /// The name of its file, without the extension.
    pub name: &'static str,
    /// Dotted names of classes. The rules are used if one of them is in the heap.
    pub classes: Vec<String>,
    /// The versions with which it is tested, as coordinates of Maven, or `JDK`.
    pub tested: Vec<String>,
    /// Its rules.
    pub components: Components,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameworkDocument {
    selected_by: Vec<String>,
    tested: Vec<String>,
    components: document::Components,
}

/// The shipped rules, in the order in which they decide.
///
/// # Errors
/// A shipped file is wrong. A test checks that none is.
pub fn frameworks() -> Result<Vec<Framework>> {
    FILES.iter().map(|(name, text)| read(name, text).map_err(|error: Error| error.in_file(name))).collect()
}

fn read(name: &'static str, text: &str) -> Result<Framework> {
    let document: FrameworkDocument = toml::from_str(text).map_err(|error| position::from_toml(text, &error))?;
    let reader = Reader { text, lines: position::line_starts(text) };
    let components = reader.components(&document.components)?;
    Ok(Framework { name, classes: document.selected_by, tested: document.tested, components })
}

#[cfg(test)]
mod tests {
    use super::{FILES, frameworks};

    #[test]
    fn every_shipped_file_is_valid_and_names_its_classes_and_versions() {
        let all = frameworks().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(all.len(), FILES.len());
        for framework in all {
            assert!(!framework.classes.is_empty() && !framework.tested.is_empty(), "{}", framework.name);
            assert!(!framework.components.names().is_empty(), "{}", framework.name);
        }
    }
}
