//! The trace of `tests/fixtures/mark-and-count.json`, event by event.

mod support;

use std::collections::HashMap;

use serde_json::{Value, json};
use support::{births, trace_of};
use weighbridge_replay::{Event, ObjectId, Settings, replay};
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
        Event::Local { slot: self.number(name) as u16, value: target }
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
                Event::Exit { unwound: 0, result: self.value }
            }
            "alloc" => {
                self.objects += 1;
                self.value = Some(ObjectId(self.objects));
                // A class for each size.
                let class = line["bytes"].as_u64().expect("bytes") as u32;
                Event::Made { object: ObjectId(self.objects), class, site: 0 }
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
                Event::Static { field: self.number(name), value: target }
            }
            "store_field" | "null_field" => {
                let target = self.value.filter(|_| op == "store_field");
                let holder = holder(self);
                Event::Field { field: self.number(&line["field"]), holder, value: target }
            }
            _ => panic!("{line}"),
        })
    }
}

#[test]
fn live_bytes_after_every_event_and_the_peak_are_those_of_the_oracle() {
    let text = std::fs::read_to_string(root().join("tests/fixtures/mark-and-count.json")).expect("the oracle");
    let oracle: Value = serde_json::from_str(&text).expect("JSON");
    let (mut names, mut events) = (Names::default(), Vec::new());
    // How many events of ours there are after each of the oracle's.
    let mut taken = Vec::new();
    for line in oracle["events"].as_array().expect("events") {
        events.extend(names.event(line).map(|event| (0, event)));
        taken.push(events.len());
    }
    let sizes = events.iter().filter_map(|(_, event)| match event {
        Event::Made { class, .. } => Some(json!(["class", class, format!("p.C{class}"), 0, class, {}, {}])),
        _ => None,
    });
    let trace = trace_of(&sizes.collect::<Vec<Value>>(), &events);
    let replayed = replay(&trace, &Settings::default(), &mut |_| ()).expect("lives");
    let lives = births(&replayed);
    let live_after =
        |event: u64| lives.iter().filter(|life| life.lives_after(event)).map(|life| life.bytes).sum::<u64>();
    let allocated_after = |event: u64| lives.iter().rfind(|life| life.born <= event).map_or(0, |life| life.allocated);
    let truth = oracle["truth"].as_array().expect("the truth");
    assert_eq!(truth.len(), taken.len());
    for (line, taken) in truth.iter().zip(&taken) {
        let event = *taken as u64 - 1;
        let seen = (live_after(event), allocated_after(event));
        let expected = ["live", "total_alloc"].map(|key| line[key].as_u64().expect("bytes"));
        assert_eq!(seen, (expected[0], expected[1]), "{line}");
        if let Some(utilization) = line["utilization"].as_f64() {
            let ratio = seen.0 as f64 / seen.1 as f64;
            assert!((ratio - utilization).abs() < 0.0001, "{line}: {ratio}");
        }
    }
    let every = &oracle["embodiments"]["1-every-event"];
    let peak = (0..events.len() as u64).map(live_after).max();
    assert_eq!(peak, every["true_peak"].as_u64());
}
