//! An object by its address, or objects by their class.

use weighbridge_ending::Failure;
use weighbridge_heapdump::{Heap, ObjectIndex, address_text, parse_address};

use super::pattern::DumpClassPattern;

/// The object at an address such as 0x7f00.
pub fn object(heap: &Heap, text: &str) -> Result<ObjectIndex, Failure> {
    let Some(address) = parse_address(text) else {
        return Err(Failure::usage(format!("{text}: is no address; they are written 0x and hexadecimal digits")));
    };
    let file = heap.dump().path().display();
    heap.find(address).ok_or_else(|| Failure::input(format!("{file}: there is no object at {}", address_text(address))))
}

/// The object at an address, or the instances of the classes that a name or pattern matches.
pub fn objects(heap: &Heap, text: &str) -> Result<Vec<ObjectIndex>, Failure> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return Ok(vec![object(heap, text)?]);
    }
    let classes = DumpClassPattern::parse(text)?;
    let matching: Vec<bool> = heap.classes().iter().map(|(_, class)| classes.matches(&class.name)).collect();
    let of_class = |object: &ObjectIndex| {
        matching[heap.class_of(*object).as_usize()]
            && (heap.class_object(*object).is_none() || text == "java.lang.Class")
    };
    let found: Vec<ObjectIndex> = heap.objects().filter(of_class).collect();
    if found.is_empty() { Err(classes.nothing(heap)) } else { Ok(found) }
}
