//! Classes of a dump by a name or pattern.

use weighbridge_config::Pattern;
use weighbridge_ending::Failure;
use weighbridge_heapdump::Heap;

/// A name or pattern of classes.
pub struct DumpClassPattern {
    text: String,
    element: Pattern,
    /// `[]` for each dimension: patterns match no arrays.
    dimensions: String,
}

impl DumpClassPattern {
    /// Reads it: a name, or a pattern as in configurations, with `[]` for each dimension.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let (element, dimensions) = text.split_at(text.trim_end_matches("[]").len());
        let pattern = Pattern::parse(element).map_err(Failure::usage)?;
        Ok(DumpClassPattern { text: text.to_owned(), element: pattern, dimensions: dimensions.to_owned() })
    }

    /// Whether a dotted class name matches.
    pub fn matches(&self, name: &str) -> bool {
        name.strip_suffix(self.dimensions.as_str())
            .is_some_and(|name| !name.ends_with("[]") && self.element.matches_class(name))
    }

    /// The error that no object is of such a class.
    pub fn nothing(&self, heap: &Heap) -> Failure {
        let text = &self.text;
        let mut names = heap.classes().iter().map(|(_, class)| class.name.as_str());
        let meant = names.find(|name| name.rsplit(['.', '$']).next() == Some(text));
        let meant = meant.map_or(String::new(), |name| format!("; did you mean {name}?"));
        Failure::input(format!("{}: there is no object of class {text}{meant}", heap.dump().path().display()))
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}
