//! An object by its address, or objects by their class.

use weighbridge_config::Pattern;
use weighbridge_heapdump::{Heap, ObjectIndex};

use crate::exit::Failure;

/// The object at an address such as 0x7f00.
pub(super) fn object(heap: &Heap, text: &str) -> Result<ObjectIndex, Failure> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let Some(address) = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) else {
        return Err(Failure::usage(format!("{text}: is no address; they are written 0x and hexadecimal digits")));
    };
    let file = heap.dump().path().display();
    heap.find(address).ok_or_else(|| Failure::input(format!("{file}: there is no object at 0x{address:x}")))
}

/// The object at an address, or the instances of the classes that a name or pattern matches.
pub(super) fn objects(heap: &Heap, text: &str) -> Result<Vec<ObjectIndex>, Failure> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return Ok(vec![object(heap, text)?]);
    }
    // Patterns match no arrays.
    let (element, dimensions) = text.split_at(text.trim_end_matches("[]").len());
    let pattern = Pattern::parse(element).map_err(Failure::usage)?;
    let matches = |name: &str| {
        name.strip_suffix(dimensions)
            .is_some_and(|name| !name.ends_with("[]") && pattern.matches(name.replace('.', "/").as_bytes()))
    };
    let matching: Vec<bool> = heap.classes().iter().map(|(_, class)| matches(&class.name)).collect();
    let of_class = |object: &ObjectIndex| {
        matching[heap.class_of(*object).as_usize()]
            && (heap.class_object(*object).is_none() || text == "java.lang.Class")
    };
    let found: Vec<ObjectIndex> = heap.objects().filter(of_class).collect();
    match found.is_empty() {
        true => {
            let mut names = heap.classes().iter().map(|(_, class)| class.name.as_str());
            let meant = names.find(|name| name.rsplit(['.', '$']).next() == Some(text));
            let meant = meant.map_or(String::new(), |name| format!("; did you mean {name}?"));
            let file = heap.dump().path().display();
            Err(Failure::input(format!("{file}: there is no object of class {text}{meant}")))
        }
        false => Ok(found),
    }
}
