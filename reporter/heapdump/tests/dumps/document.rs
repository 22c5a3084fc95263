//! Compares the document's own tables with the worked example and its counterexamples.

use serde_json::Value;
use std::collections::HashMap;
use weighbridge_heapdump::threads::Shared;

use super::patent::{self, Frame, Kind, References, Tables};

struct Example {
    names: Vec<String>,
    bytes: Vec<u64>,
    refers: Vec<Vec<u32>>,
    frames: Vec<Frame>,
    threads: Vec<String>,
}

impl References for Example {
    fn objects(&self) -> usize {
        self.bytes.len()
    }

    fn bytes(&self, object: u32) -> u64 {
        self.bytes[object as usize]
    }

    fn each_reference(&self, object: u32, visit: &mut dyn FnMut(u32)) {
        self.refers[object as usize].iter().for_each(|&held| visit(held));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

impl Example {
    fn new(value: &Value) -> Example {
        let objects = list(&value["objects"]);
        let names: Vec<String> = objects.iter().map(|object| text(&object["id"])).collect();
        let index_of: HashMap<&str, u32> = names.iter().zip(0..).map(|(name, index)| (name.as_str(), index)).collect();
        let all =
            |value: &Value| -> Vec<u32> { list(value).iter().map(|name| index_of[text(name).as_str()]).collect() };
        let mut threads: Vec<String> = Vec::new();
        let frames = list(&value["frames"])
            .iter()
            .map(|frame| {
                let name = text(&frame["thread"]);
                let thread = threads.iter().position(|known| *known == name).unwrap_or_else(|| {
                    threads.push(name);
                    threads.len() - 1
                });
                Frame { thread: thread as u32, roots: all(&frame["refs"]) }
            })
            .collect();
        let refers = objects.iter().map(|object| all(&object["refs"])).collect();
        let bytes = objects.iter().map(|object| number(&object["size"])).collect();
        drop(index_of);
        Example { names, bytes, refers, frames, threads }
    }

    fn tables(&self) -> Tables {
        patent::tables(self, &self.frames, &|_| false)
    }

    fn set(&self, names: &str) -> Vec<u32> {
        let index = |name: &str| self.threads.iter().position(|known| known == name).expect("a thread") as u32;
        names.split(',').map(index).collect()
    }
}

fn file() -> Value {
    serde_json::from_str(include_str!("../../../../tests/fixtures/worked-example.json")).expect("JSON")
}

fn ids(letter: char, numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(|number| format!("#{letter}{}", number + 1)).collect()
}

fn referred(value: &Value) -> (Vec<String>, Vec<String>) {
    (list(&value["refF"]).iter().map(text).collect(), list(&value["refT"]).iter().map(text).collect())
}

fn refers(shared: &Shared) -> (Vec<String>, Vec<String>) {
    (ids('F', &shared.frame), ids('T', &shared.thread))
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Unanalyzed => "Unanalyzed",
        Kind::Necessary => "Necessary",
        Kind::FrameSharing => "Frame Sharing",
        Kind::ThreadSharing => "Thread Sharing",
    }
}

#[test]
fn every_table_of_the_worked_example_is_as_printed() {
    let file = file();
    let example = Example::new(&file);
    let tables = example.tables();
    let expected = &file["expected"];
    for (index, id) in example.names.iter().enumerate() {
        assert_eq!(name(tables.kinds[index]), text(&expected["object_types"][id]["type"]), "{id}");
    }
    assert_eq!(tables.rows.len(), list(&expected["frame_proprietary"]).len());
    for (row, printed) in tables.rows.iter().zip(list(&expected["frame_proprietary"])) {
        assert_eq!(row.bytes, number(&printed["usage"]), "{printed}");
        assert_eq!(refers(&row.refers), referred(printed), "{printed}");
    }
    for (entries, table) in [(&tables.frame_shared, "frame_shared"), (&tables.thread_shared, "thread_shared")] {
        assert_eq!(entries.len(), list(&expected[table]).len(), "{table}");
        for (entry, printed) in entries.iter().zip(list(&expected[table])) {
            assert_eq!(example.names[entry.root as usize], text(&printed["root"]), "{printed}");
            assert_eq!(entry.bytes, number(&printed["usage"]), "{printed}");
            assert_eq!(refers(&entry.refers), referred(printed), "{printed}");
        }
    }
    for thread in &example.threads {
        let (usage, printed) = (tables.usage(&example.set(thread)), &expected["per_thread"][thread]);
        assert_eq!(usage.proprietary, number(&printed["proprietary"]), "{thread}");
        assert_eq!(usage.shared, number(&printed["shared"]), "{thread}");
        assert_eq!(usage.total(), number(&printed["total"]), "{thread}");
    }
    for printed in list(&expected["release"]) {
        let names: Vec<String> = list(&printed["threads"]).iter().map(text).collect();
        let release = tables.release(&example.set(&names.join(",")));
        assert_eq!(release.proprietary, number(&printed["proprietary"]), "{printed}");
        assert_eq!(release.shared, number(&printed["shared"]), "{printed}");
    }
    for (names, bytes) in expected["usage_of_several"].as_object().expect("a table") {
        assert_eq!(tables.usage(&example.set(names)).total(), number(bytes), "{names}");
    }
    for (words, printed) in expected["increase"].as_object().expect("a table") {
        let (thread, running) = words.trim_start_matches("start ").split_once(" while ").expect("a phrase");
        let running = running.trim_end_matches(" runs").trim_end_matches(" run");
        let running = if running == "none" { Vec::new() } else { example.set(running) };
        assert_eq!(tables.growth(example.set(thread)[0], &running), number(&printed["increase"]), "{words}");
    }
}

#[test]
fn every_counterexample_is_as_wrong_as_in_the_document() {
    let file = file();
    for case in list(&file["counterexamples"]) {
        let example = Example::new(case);
        let tables = example.tables();
        for (index, id) in example.names.iter().enumerate() {
            assert_eq!(name(tables.kinds[index]), text(&case["document_types"][id]), "{} {id}", case["name"]);
        }
        for thread in &example.threads {
            let (usage, printed) = (tables.usage(&example.set(thread)), &case["document"]["per_entry"][thread]);
            assert_eq!(usage.proprietary, number(&printed["proprietary"]), "{} {thread}", case["name"]);
            assert_eq!(usage.shared, number(&printed["shared"]), "{} {thread}", case["name"]);
        }
    }
}
