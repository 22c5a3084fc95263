//! The worked example of S0 (tests/fixtures/worked-example.md) as a real heap dump.

use serde_json::Value;

use crate::heap_dump::{BYTE, Form, OBJECT, Writer};

const EXAMPLE: &str = include_str!("../fixtures/worked-example.json");

/// The example with the expected results.
pub fn example() -> Value {
    serde_json::from_str(EXAMPLE).expect("JSON")
}

/// A text of an object.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("a text")
}

/// A list of texts.
pub fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

/// A dump of its objects as instances, each of its own class, with fields of as many bytes as in the example: references,
/// then bytes. Also returns the names of the threads, in order.
pub fn dump(example: &Value, form: Form) -> (Vec<u8>, Vec<String>) {
    let objects = example["objects"].as_array().expect("objects");
    let address = |id: &str| {
        let at = objects.iter().position(|object| text(object, "id") == id).expect("a known object");
        0x10_0000 + 0x100 * at as u64
    };
    let mut writer = Writer::new(form);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x108, "java/lang/Thread", 0x100, &[], &[]);
    [0x100, 0x108].into_iter().for_each(|class| writer.root(0x05, class, &[]));
    for (at, object) in objects.iter().enumerate() {
        let references: Vec<u64> = strings(&object["refs"]).into_iter().map(address).collect();
        let size = object["size"].as_u64().expect("a size") as usize;
        let rest = size.checked_sub(references.len() * form.id).expect("room for the references");
        let fields = vec![("reference", OBJECT); references.len()].into_iter().chain(vec![("payload", BYTE); rest]);
        let class = 0x1000 + 8 * at as u64;
        let name = text(object, "class").replace('.', "/").replace("[]", "Array");
        writer.class(class, &name, 0x100, &[], &fields.collect::<Vec<_>>());
        writer.root(0x05, class, &[]);
        writer.instance(address(text(object, "id")), class, &references, &vec![0; rest]);
    }
    let frames = example["frames"].as_array().expect("frames");
    let mut threads: Vec<String> = Vec::new();
    for frame in frames {
        if !threads.iter().any(|thread| thread == text(frame, "thread")) {
            threads.push(text(frame, "thread").to_owned());
        }
    }
    for (at, thread) in threads.iter().enumerate() {
        let (serial, object) = (at as u32 + 1, 0x8000 + 8 * at as u64);
        let own: Vec<&Value> = frames.iter().filter(|frame| text(frame, "thread") == thread).collect();
        writer.trace(serial, &own.iter().map(|frame| text(frame, "method")).collect::<Vec<_>>());
        writer.instance(object, 0x108, &[], &[]);
        writer.root(0x08, object, &[serial, serial]);
        for (depth, frame) in own.into_iter().enumerate() {
            // HotSpot lists an object once for each slot that holds it.
            for object in strings(&frame["refs"]).into_iter().flat_map(|object| [object, object]) {
                writer.root(0x03, address(object), &[serial, depth as u32]);
            }
        }
    }
    (writer.finish(), threads)
}
