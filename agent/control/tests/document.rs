//! The examples of docs/control.md are lines of the protocol.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use weighbridge_control::{Body, Reply, Request};

#[test]
fn every_example_of_the_document_is_a_line_of_the_protocol() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the checkout");
    let text = std::fs::read_to_string(root.join("docs/control.md")).expect("the document");
    let blocks = text.split("```json\n").skip(1).map(|rest| rest.split("```").next().expect("a block"));
    let (mut commands, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for line in blocks.flat_map(str::lines) {
        let keys: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        match keys["do"].as_str() {
            Some("hello") => continue,
            Some(command) => {
                let request = Request::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error:?}"));
                assert_eq!(request.to_line(), line);
                commands.insert(command.to_owned());
            }
            None => {
                let reply = Reply::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(reply.to_line(), line);
                if let Body::Ok(_) = reply.body {
                    answered.insert(reply.id);
                }
            }
        }
    }
    let all = [
        "detach",
        "heap_components",
        "measure",
        "set",
        "shortage",
        "start",
        "status",
        "stop",
        "subscribe",
        "trace_list",
        "trace_show",
        "trace_start",
        "trace_stop",
    ];
    assert_eq!(commands, all.map(str::to_owned).into());
    assert_eq!(answered.len(), 1 + all.len(), "each command has a reply, and hello");
}
