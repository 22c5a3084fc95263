//! The trace of `tests/oracles/mark-and-count.json`, event by event.

use std::collections::HashMap;

use serde_json::Value;
use weighbridge_replay::{Curve, Event, Holder, Merlin, ObjectId, Timed};
use weighbridge_tests::root;

/// Turns the names of the oracle into numbers.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, u32>,
    objects: u64,
    /// The value on the operand stack.
    value: Option<ObjectId>,
    /// The variables of each frame, and static fields.
    frames: Vec<HashMap<String, ObjectId>>,
    statics: HashMap<String, ObjectId>,
}

impl Names {
    fn number(&mut self, name: &Value) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(name.as_str().expect("a name").to_owned()).or_insert(next)
    }

    fn local(&self, name: &Value) -> Option<ObjectId> {
        self.frames.last()?.get(name.as_str()?).copied()
    }

    fn set(&mut self, name: &Value, target: Option<ObjectId>) -> Event {
        let variables = self.frames.last_mut().expect("a frame");
        let name_of = name.as_str().expect("a name").to_owned();
        match target {
            Some(target) => variables.insert(name_of, target),
            None => variables.remove(&name_of),
        };
        Event::Local { slot: self.number(name), target }
    }

    /// The event of a line; a collection is none.
    fn event(&mut self, line: &Value) -> Option<Event> {
        let op = line["op"].as_str().expect("an operation");
        let holder = |names: &Names| match line.get("base_static") {
            Some(name) => names.statics[name.as_str().expect("a name")],
            None => names.local(&line["base"]).expect("a variable"),
        };
        Some(match op {
            "gc" => return None,
            "call" => {
                self.frames.push(HashMap::new());
                Event::Enter { method: self.number(&line["method"]) }
            }
            "return" => {
                self.value = line.get("var").and_then(|name| self.local(name));
                self.frames.pop();
                Event::Exit { result: self.value }
            }
            "alloc" => {
                self.objects += 1;
                self.value = Some(ObjectId(self.objects));
                let bytes = line["bytes"].as_u64().expect("bytes");
                Event::Allocate { object: ObjectId(self.objects), bytes, class: 0, site: 0 }
            }
            "store_local" => self.set(&line["var"], self.value),
            "null_local" => self.set(&line["var"], None),
            "block_exit" => {
                let names = line["vars"].as_array().expect("variables");
                assert_eq!(names.len(), 1, "one event for each variable");
                self.set(&names[0], None)
            }
            "store_static" | "null_static" => {
                let name = &line["name"];
                let target = self.value.filter(|_| op == "store_static");
                let known = name.as_str().expect("a name").to_owned();
                match target {
                    Some(target) => self.statics.insert(known, target),
                    None => self.statics.remove(&known),
                };
                Event::Store { holder: Holder::Static, slot: self.number(name).into(), target }
            }
            "store_field" | "null_field" => {
                let target = self.value.filter(|_| op == "store_field");
                let holder = Holder::Object(holder(self));
                Event::Store { holder, slot: self.number(&line["field"]).into(), target }
            }
            _ => panic!("{line}"),
        })
    }
}

#[test]
fn live_bytes_after_every_event_and_the_peak_are_those_of_the_oracle() {
    let text = std::fs::read_to_string(root().join("tests/oracles/mark-and-count.json")).expect("the oracle");
    let oracle: Value = serde_json::from_str(&text).expect("JSON");
    let (mut names, mut merlin) = (Names::default(), Merlin::default());
    // The number of our event for each of the oracle's.
    let (mut numbers, mut taken) = (Vec::new(), 0);
    for line in oracle["events"].as_array().expect("events") {
        if let Some(event) = names.event(line) {
            merlin.take(&Timed { thread: 0, event }).expect("known objects");
            taken += 1;
        }
        numbers.push(taken);
    }
    let lives = merlin.finish();
    let curve = Curve::of(&lives);
    let truth = oracle["truth"].as_array().expect("the truth");
    assert_eq!(truth.len(), numbers.len());
    for (line, taken) in truth.iter().zip(&numbers) {
        let after = curve.at(taken - 1);
        let seen = (after.live, after.allocated);
        let expected = ["live", "total_alloc"].map(|key| line[key].as_u64().expect("bytes"));
        assert_eq!(seen, (expected[0], expected[1]), "{line}");
        if let Some(utilization) = line["utilization"].as_f64() {
            let ratio = after.live as f64 / after.allocated as f64;
            assert!((ratio - utilization).abs() < 0.0001, "{line}: {ratio}");
        }
    }
    let every = &oracle["embodiments"]["1-every-event"];
    assert_eq!(curve.peak().map(|peak| peak.live), every["true_peak"].as_u64());
}
