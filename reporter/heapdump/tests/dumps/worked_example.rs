//! The worked example of S0 (tests/fixtures/worked-example.md) as a real heap dump.

use std::collections::HashMap;

use serde_json::Value;
use weighbridge_heapdump::threads::{Holdings, Shared};
use weighbridge_heapdump::{Dominators, Graph, GraphNode, Heap, HeapOptions, ObjectIndex, SizeModel, ThreadPart};
use weighbridge_tests::heap_dump::{FORMS, Form, file};
use weighbridge_tests::worked_example::{dump, example, strings, text};

use super::patent::{self, Frame, References};

#[test]
fn a_thread_retains_its_proprietary_bytes_and_all_threads_what_they_share() {
    let example = example();
    let proprietary = HashMap::from([("#1", 180), ("#2", 120), ("#3", 56), ("#n", 96)]);
    for form in FORMS {
        let (bytes, threads) = dump(&example, form);
        let file = file(&bytes);
        let options = HeapOptions { sizes: SizeModel::Raw, threads: 2, ..HeapOptions::default() };
        let (heap, graph) = Heap::open(file.path(), &options).expect("a dump");
        assert_eq!(graph.threads().len(), threads.len());
        let tree = Dominators::from_graph(graph);
        let retained = tree.retained(|node| heap.node_bytes(node));
        for (name, thread) in threads.iter().zip(tree.threads()) {
            let preorder = tree.number_of(thread.node).expect("a live thread");
            assert_eq!(retained[preorder.as_usize()], proprietary[name.as_str()], "{name} in {form:?}");
            let methods: Vec<String> = heap.dump().trace(thread.trace).into_iter().map(|frame| frame.method).collect();
            let frames = example["frames"].as_array().expect("frames").iter();
            let expected = frames.filter(|frame| text(frame, "thread") == name).map(|frame| text(frame, "method"));
            assert!(methods.iter().map(String::as_str).eq(expected), "{methods:?}");
        }
        let all = tree.numbers().find(|preorder| tree.node(*preorder) == GraphNode::AllThreads).expect("threads");
        // #T1, #T2 and #F2, which two threads or more reach: 72 + 120 + 12.
        assert_eq!(retained[all.as_usize()] - proprietary.values().sum::<u64>(), 204, "{form:?}");
    }
}

/// The data of the tests below: object ids by number, thread names in the order of the dump, the example itself.
struct Read {
    example: Value,
    heap: Heap,
    graph: Graph,
    threads: Vec<String>,
}

/// The objects of a dump, for the patent's tables.
impl References for Read {
    fn objects(&self) -> usize {
        self.heap.len()
    }

    fn bytes(&self, object: u32) -> u64 {
        self.heap.bytes(self.at(object))
    }

    fn each_reference(&self, object: u32, visit: &mut dyn FnMut(u32)) {
        self.graph.references(self.at(object).into()).for_each(|held| visit(held.as_usize() as u32));
    }
}

impl Read {
    fn new(form: Form) -> Read {
        let example = example();
        let (bytes, threads) = dump(&example, form);
        let file = file(&bytes);
        let options = HeapOptions { sizes: SizeModel::Raw, threads: 2, ..HeapOptions::default() };
        let (heap, graph) = Heap::open(file.path(), &options).expect("a dump");
        Read { example, heap, graph, threads }
    }

    fn tables(&self) -> patent::Tables {
        let frames = self.graph.threads().iter().zip(0..).flat_map(|(of, thread)| {
            of.frames.iter().filter(|frame| matches!(frame.part, ThreadPart::Frame(_))).map(move |frame| Frame {
                thread,
                roots: self.graph.references(frame.node).map(|node| node.as_usize() as u32).collect(),
            })
        });
        // Nothing but threads holds anything in the example.
        patent::tables(self, &frames.collect::<Vec<_>>(), &|_| false)
    }

    fn at(&self, object: u32) -> ObjectIndex {
        self.heap.objects().nth(object as usize).expect("an object")
    }

    fn id(&self, object: u32) -> &str {
        let object = self.at(object);
        let at = (self.heap.address(object) - 0x10_0000) / 0x100;
        text(&self.example["objects"][at as usize], "id")
    }

    fn object(&self, id: &str) -> ObjectIndex {
        let objects = self.example["objects"].as_array().expect("objects");
        let at = objects.iter().position(|object| text(object, "id") == id).expect("a known object");
        self.heap.find(0x10_0000 + 0x100 * at as u64).expect("an object")
    }

    fn set(&self, names: &Value) -> Vec<u32> {
        let index = |name| self.threads.iter().position(|thread| thread == name).expect("a thread") as u32;
        strings(names).into_iter().map(index).collect()
    }

    /// Ids as the document prints them: `#F1`, `#T2`.
    fn printed(shared: &Shared) -> [Vec<String>; 2] {
        let ids = |letter: char, ids: &[u32]| ids.iter().map(|id| format!("#{letter}{}", id + 1)).collect();
        [ids('F', &shared.frame), ids('T', &shared.thread)]
    }
}

fn bytes(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("no {key} in {value}"))
}

#[test]
fn the_tables_of_the_document_follow_from_a_dump() {
    for form in FORMS {
        let read = Read::new(form);
        let (tables, expected) = (read.tables(), &read.example["expected"]);
        let rows = expected["frame_proprietary"].as_array().expect("rows");
        assert_eq!(tables.rows.len(), rows.len());
        for (row, printed) in tables.rows.iter().zip(rows) {
            assert_eq!(row.bytes, bytes(printed, "usage"), "{printed}");
            assert_eq!(Read::printed(&row.refers), [strings(&printed["refF"]), strings(&printed["refT"])]);
        }
        for (table, entries) in [("frame_shared", &tables.frame_shared), ("thread_shared", &tables.thread_shared)] {
            let printed = expected[table].as_array().expect("entries");
            assert_eq!(printed.len(), entries.len());
            for (entry, printed) in entries.iter().zip(printed) {
                assert_eq!((read.id(entry.root), entry.bytes), (text(printed, "root"), bytes(printed, "usage")));
                assert_eq!(Read::printed(&entry.refers), [strings(&printed["refF"]), strings(&printed["refT"])]);
            }
        }
        for (name, thread) in read.threads.iter().zip(0..) {
            let usage = tables.usage(&[thread]);
            let printed = &expected["per_thread"][name];
            assert_eq!((usage.proprietary, usage.shared), (bytes(printed, "proprietary"), bytes(printed, "shared")));
        }
        for printed in expected["release"].as_array().expect("sets") {
            let release = tables.release(&read.set(&printed["threads"]));
            assert_eq!(
                (release.proprietary, release.total()),
                (bytes(printed, "proprietary"), bytes(printed, "total"))
            );
        }
        for (id, printed) in expected["object_types"].as_object().expect("types") {
            let kind = format!("{:?}", tables.kinds[read.object(id).as_usize()]);
            assert_eq!(kind, text(printed, "type").replace(' ', ""), "{id}");
        }
    }
}

#[test]
fn the_exact_figures_of_the_example_follow_from_a_dump() {
    for form in FORMS {
        let read = Read::new(form);
        let holdings = Holdings::from_heap(&read.heap, &read.graph);
        let expected = &read.example["expected"];
        for (name, usage) in read.threads.iter().zip(holdings.usage()) {
            let exact = &expected["exact"]["per_thread"][name];
            let figures = (usage.proprietary, usage.shared, usage.total());
            assert_eq!(figures, (bytes(exact, "proprietary"), bytes(exact, "shared"), bytes(exact, "total")), "{name}");
        }
        for set in expected["release"].as_array().expect("sets") {
            assert_eq!(holdings.release(&read.set(&set["threads"])).total(), bytes(set, "exact"), "{set}");
        }
        let frames = holdings.parts().iter().zip(0..).filter(|(part, _)| matches!(part.part, ThreadPart::Frame(_)));
        let by_frame: Vec<u64> = frames.map(|(_, row)| holdings.row(row).bytes).collect();
        let rows = read.example["frames"].as_array().expect("frames").iter();
        let exact: Vec<u64> =
            rows.map(|row| bytes(&expected["exact"]["proprietary_by_frame"], text(row, "method"))).collect();
        assert_eq!(by_frame, exact);
        // Every thread-shared object has the threads that reach it.
        for id in 0..holdings.counts()[1] {
            let root = read.id(holdings.thread_shared(id).root);
            let threads: Vec<&str> =
                holdings.threads_of(id).into_iter().map(|thread| read.threads[thread as usize].as_str()).collect();
            assert_eq!(threads, strings(&expected["exact"]["owners"][root]), "{root}");
        }
        for (words, printed) in expected["increase"].as_object().expect("a table") {
            let (thread, running) = words.trim_start_matches("start ").split_once(" while ").expect("a phrase");
            let running = running.trim_end_matches(" runs").trim_end_matches(" run");
            let names: Vec<&str> = running.split(',').filter(|name| *name != "none").collect();
            let running = read.set(&Value::from(names));
            let thread = read.set(&Value::from(vec![thread]))[0];
            assert_eq!(holdings.growth(thread, &running), bytes(printed, "increase_with_F_under_T"), "{words}");
        }
        // #1 frees most, then #2; with both gone #3 frees the 84 bytes that the three share too, and so more than #n.
        let best: Vec<&str> =
            holdings.best(4).into_iter().map(|thread| read.threads[thread as usize].as_str()).collect();
        assert_eq!(best, ["#1", "#2", "#3", "#n"]);
    }
}
