//! Compares shortest paths with a search from every node, and tests merged paths.

use std::collections::VecDeque;

use crate::random::{Random, seed};
use weighbridge_heapdump::paths::{HeldBy, MergedStep, ShortestPaths};
use weighbridge_heapdump::{Graph, Heap, HeapOptions, NodeIndex, ObjectIndex, ObjectLink};
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer, file};

/// Steps from the root to each node.
fn distances(graph: &Graph) -> Vec<Option<usize>> {
    let mut distances = vec![None; graph.len()];
    distances[graph.root().as_usize()] = Some(0);
    let mut open = VecDeque::from([graph.root()]);
    while let Some(node) = open.pop_front() {
        let next = distances[node.as_usize()].map(|distance| distance + 1);
        for target in graph.references(node) {
            if distances[target.as_usize()].is_none() {
                distances[target.as_usize()] = next;
                open.push_back(target);
            }
        }
    }
    distances
}

#[test]
fn every_path_is_one_and_a_shortest_one_on_two_thousand_random_graphs() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..2_000 {
        let nodes = 1 + random.below(40);
        let references: Vec<Vec<u32>> =
            (0..nodes).map(|_| (0..random.below(4)).map(|_| random.below(nodes) as u32).collect()).collect();
        let graph = Graph::of_lists(&references, &[random.below(nodes) as u32, random.below(nodes) as u32]);
        let paths = ShortestPaths::from_graph(&graph);
        let distances = distances(&graph);
        for (node, distance) in graph.nodes().zip(&distances) {
            let path = paths.path(node);
            assert_eq!(path.as_ref().map_or(0, Vec::len), distance.unwrap_or(0), "seed {seed}, case {case}");
            let mut before = graph.root();
            for step in path.unwrap_or_default() {
                assert!(graph.references(before).any(|target| target == step), "seed {seed}, case {case}");
                before = step;
            }
        }
    }
}

/// A static of Registry holds a list of three nodes, each of which holds an Item; a JNI global holds a fourth Item.
fn registry() -> (Heap, Graph) {
    let mut writer = Writer::new(FORMS[0]);
    writer.class(0x100, "com/acme/Registry", 0, &[0x1000], &[]);
    writer.class(0x108, "com/acme/Node", 0, &[], &[("item", OBJECT), ("next", OBJECT)]);
    writer.class(0x110, "com/acme/Item", 0, &[], &[]);
    writer.class(0x118, "[Lcom/acme/Item;", 0, &[], &[]);
    [0x100, 0x108, 0x110, 0x118].into_iter().for_each(|class| writer.root(0x05, class, &[]));
    writer.instance(0x1000, 0x108, &[0x2000, 0x1100], &[]);
    writer.instance(0x1100, 0x108, &[0x2100, 0x1200], &[]);
    writer.instance(0x1200, 0x108, &[0x2200, 0], &[]);
    [0x2000, 0x2100, 0x2200, 0x2300, 0x2400].into_iter().for_each(|item| writer.instance(item, 0x110, &[], &[]));
    writer.objects(0x3000, 0x118, &[0, 0x2300, 0x2300]);
    writer.root(0x01, 0x3000, &[0, 0]);
    let file = file(&writer.finish());
    Heap::open(file.path(), &HeapOptions::default()).expect("a dump")
}

fn items(heap: &Heap) -> Vec<ObjectIndex> {
    [0x2000, 0x2100, 0x2200, 0x2300, 0x2400].into_iter().map(|item| heap.find(item).expect("an item")).collect()
}

fn named(heap: &Heap, step: MergedStep) -> String {
    match step {
        MergedStep::Held(by) => by.name().to_owned(),
        MergedStep::Instances(class) => heap.classes().get(class).name.clone(),
        MergedStep::ClassObject(class) => format!("class {}", heap.classes().get(class).name),
        MergedStep::Thread(thread) => format!("thread {thread}"),
        MergedStep::Frame(thread, frame) => format!("frame {frame} of thread {thread}"),
    }
}

#[test]
fn paths_merge_by_class_and_neighbours_of_one_class_are_one_step() {
    let (heap, graph) = registry();
    let merged = ShortestPaths::from_graph(&graph).merged(&heap, &graph, &items(&heap), 10);
    let rows: Vec<_> = merged
        .branches
        .iter()
        .map(|branch| (branch.depth, named(&heap, branch.step), branch.objects, branch.ends, branch.passed))
        .collect();
    let row = |depth, name: &str, objects, ends, passed| (depth, name.to_owned(), objects, ends, passed);
    assert_eq!(
        rows,
        [
            row(0, "sticky class", 3, 0, 1),
            row(1, "class com.acme.Registry", 3, 0, 1),
            row(2, "com.acme.Node", 3, 0, 3),
            row(3, "com.acme.Item", 3, 3, 3),
            row(0, "JNI global", 1, 0, 1),
            row(1, "com.acme.Item[]", 1, 0, 1),
            row(2, "com.acme.Item", 1, 1, 1),
        ]
    );
    assert_eq!((merged.asked, merged.reached, merged.ways, merged.ways_shown), (5, 4, 2, 2));
    let one = ShortestPaths::from_graph(&graph).merged(&heap, &graph, &items(&heap), 1);
    assert_eq!(one.branches.len(), 4);
    assert_eq!((one.ways, one.ways_shown, one.objects_not_shown), (2, 1, 1));
    assert!(matches!(one.branches[0].step, MergedStep::Held(HeldBy::StickyClass)));
}

#[test]
fn a_reference_is_named_by_its_field_static_or_element() {
    let (heap, graph) = registry();
    let at = |address| heap.find(address).expect("an object");
    let pairs = [(at(0x100), at(0x1000)), (at(0x1000), at(0x1100)), (at(0x3000), at(0x2300)), (at(0x2000), at(0x1000))];
    let links = heap.links(&pairs).expect("the file");
    assert_eq!(links[&pairs[0]], ObjectLink::Static("held".into()));
    assert_eq!(links[&pairs[1]], ObjectLink::Field("next".into()));
    assert_eq!(links[&pairs[2]], ObjectLink::Element(1), "the first");
    assert!(!links.contains_key(&pairs[3]));
    let paths = ShortestPaths::from_graph(&graph);
    assert_eq!(paths.path(at(0x2300).into()), Some(vec![NodeIndex::from(at(0x3000)), at(0x2300).into()]));
    assert_eq!(paths.path(at(0x2400).into()), None);
}
