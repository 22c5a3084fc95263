//! Paths of fields: `table`, `a.b`, `elements[3].name`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use weighbridge_heapdump::{Error, FieldValue, ObjectIndex};

use crate::data::Data;

/// A step of a path.
#[derive(Debug, PartialEq)]
enum FieldStep {
    Field(String),
    Element(u32),
}

/// A path, and whether any object has it.
#[derive(Debug)]
pub(crate) struct Path {
    steps: Vec<FieldStep>,
    found: Arc<AtomicBool>,
}

impl Path {
    pub(crate) fn parse(text: &str, found: Arc<AtomicBool>) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no path of fields, such as 'name', 'a.b' or 'elements[3].name'");
        let mut steps = Vec::new();
        for part in text.split('.') {
            let (name, mut elements) = part.split_at(part.find('[').unwrap_or(part.len()));
            if !name.is_empty() {
                steps.push(FieldStep::Field(name.to_owned()));
            } else if elements.is_empty() || !steps.is_empty() {
                return Err(wrong());
            }
            while let Some(rest) = elements.strip_prefix('[') {
                let (number, after) = rest.split_once(']').ok_or_else(wrong)?;
                steps.push(FieldStep::Element(number.parse().map_err(|_| wrong())?));
                elements = after;
            }
            if !elements.is_empty() {
                return Err(wrong());
            }
        }
        Ok(Path { steps, found })
    }

    /// Follows the path from an object. `None` if an object on it has no such field or element.
    pub(crate) fn follow(&self, data: &Data, object: ObjectIndex) -> Result<Option<FieldValue>, Error> {
        let records = data.records()?;
        let mut at = Some(object);
        let mut value = FieldValue::Null;
        for step in &self.steps {
            let Some(object) = at else {
                // A null reference has all fields, as null; a number has none.
                let null = matches!(value, FieldValue::Null | FieldValue::Reference(_));
                self.found.fetch_or(null, Ordering::Relaxed);
                return Ok(null.then_some(FieldValue::Null));
            };
            let next = match step {
                FieldStep::Field(name) => records.field(&data.heap, object, name)?,
                FieldStep::Element(number) => records.element(&data.heap, object, *number)?,
            };
            let Some(next) = next else { return Ok(None) };
            value = next;
            at = match value {
                FieldValue::Reference(address) => data.heap.find(address),
                _ => None,
            };
        }
        self.found.store(true, Ordering::Relaxed);
        Ok(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldStep, Path};

    #[test]
    fn a_path_is_fields_and_elements() {
        let steps = |text| Path::parse(text, Default::default()).map(|path| path.steps);
        let field = |name: &str| FieldStep::Field(name.to_owned());
        assert_eq!(steps("a"), Ok(vec![field("a")]));
        assert_eq!(
            steps("a.b[3][0].c"),
            Ok(vec![field("a"), field("b"), FieldStep::Element(3), FieldStep::Element(0), field("c")])
        );
        assert_eq!(steps("[7].x"), Ok(vec![FieldStep::Element(7), field("x")]));
        for wrong in ["", ".", "a.", "a..b", "a[", "a[x]", "a[1", "a[1]b", "a.[1]", "a[-1]"] {
            assert!(steps(wrong).is_err(), "{wrong}");
        }
    }
}
