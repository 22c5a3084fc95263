//! The worked example of S0 (tests/oracles/worked-example.md) as a real heap dump.

use std::collections::HashMap;

use crate::support::{BYTE, FORMS, Form, OBJECT, Writer, file};
use serde_json::Value;
use weighbridge_heapdump::{Dominators, Heap, Node, Options, SizeModel};

const EXAMPLE: &str = include_str!("../../../tests/oracles/worked-example.json");

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("a text")
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

/// Its objects as instances whose fields have as many bytes as the example says: references, then bytes. Objects whose
/// references need more than that get a class of their own size all the same.
fn dump(example: &Value, form: Form) -> (Vec<u8>, Vec<String>) {
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

#[test]
fn a_thread_retains_its_proprietary_bytes_and_all_threads_what_they_share() {
    let example: Value = serde_json::from_str(EXAMPLE).expect("JSON");
    let proprietary = HashMap::from([("#1", 180), ("#2", 120), ("#3", 56), ("#n", 96)]);
    for form in FORMS {
        let (bytes, threads) = dump(&example, form);
        let file = file(&bytes);
        let options = Options { sizes: SizeModel::Raw, threads: 2, ..Options::default() };
        let (heap, graph) = Heap::open(file.path(), &options).expect("a dump");
        assert_eq!(graph.threads().len(), threads.len());
        let tree = Dominators::of(graph);
        let retained = tree.retained(|node| heap.node_bytes(node));
        for (name, thread) in threads.iter().zip(tree.threads()) {
            let place = tree.place(thread.node).expect("a live thread");
            assert_eq!(retained[place.as_usize()], proprietary[name.as_str()], "{name} in {form:?}");
            let methods: Vec<String> = heap.dump().trace(thread.trace).into_iter().map(|frame| frame.method).collect();
            let frames = example["frames"].as_array().expect("frames").iter();
            let expected = frames.filter(|frame| text(frame, "thread") == name).map(|frame| text(frame, "method"));
            assert!(methods.iter().map(String::as_str).eq(expected), "{methods:?}");
        }
        let all = tree.places().find(|place| tree.node(*place) == Node::AllThreads).expect("threads");
        // #T1, #T2 and #F2, which two threads or more reach: 72 + 120 + 12.
        assert_eq!(retained[all.as_usize()] - proprietary.values().sum::<u64>(), 204, "{form:?}");
    }
}
