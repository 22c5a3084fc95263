//! Compares dominators, reachability and retained sizes with their definitions, on random graphs and on real files of small
//! ones.

use std::collections::BTreeSet;

use crate::random::{Random, seed};
use weighbridge_heapdump::{Dominators, Graph, GraphNode, Heap, HeapOptions};
use weighbridge_tests::heap_dump::{FORMS, Form, OBJECT, Writer, file};

impl Random {
    /// References of up to `most` nodes, sparse or dense, and roots.
    fn graph(&mut self, most: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
        let nodes = 1 + self.below(most);
        let degree = 1 + self.below(4);
        let near = self.below(3) == 0;
        let mut references = vec![Vec::new(); nodes];
        for (node, list) in references.iter_mut().enumerate() {
            for _ in 0..self.below(degree + 1) {
                let target = if near { (node + 1 + self.below(3)) % nodes } else { self.below(nodes) };
                list.push(target as u32);
            }
        }
        let roots: BTreeSet<u32> = (0..1 + self.below(3)).map(|_| self.below(nodes) as u32).collect();
        (references, roots.into_iter().collect())
    }
}

/// The nodes that the roots reach without one node.
fn reached(references: &[Vec<u32>], roots: &[u32], without: Option<u32>) -> Vec<bool> {
    let mut seen = vec![false; references.len()];
    let mut open: Vec<u32> = roots.iter().copied().filter(|root| Some(*root) != without).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            open.extend(references[node as usize].iter().filter(|target| Some(**target) != without));
        }
    }
    seen
}

/// Bytes that would be freed with each reachable node; `None` for the others.
fn freed(references: &[Vec<u32>], roots: &[u32], weight: impl Fn(usize) -> u64) -> Vec<Option<u64>> {
    let whole = reached(references, roots, None);
    let sum = |seen: &[bool]| (0..seen.len()).filter(|node| seen[*node]).map(&weight).sum::<u64>();
    (0..references.len())
        .map(|node| whole[node].then(|| sum(&whole) - sum(&reached(references, roots, Some(node as u32)))))
        .collect()
}

fn weight(node: usize) -> u64 {
    1 + (node as u64 * 7) % 31
}

#[test]
fn retained_bytes_are_what_would_be_freed_on_ten_thousand_random_graphs() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..10_000 {
        let (references, roots) = random.graph(if case % 100 == 0 { 120 } else { 16 });
        let graph = Graph::of_lists(&references, &roots);
        let reachable = graph.reachable();
        let tree = Dominators::from_graph(graph);
        let retained =
            tree.retained(|node| if node.as_usize() < references.len() { weight(node.as_usize()) } else { 0 });
        let expected = freed(&references, &roots, weight);
        for preorder in tree.numbers() {
            assert!(tree.immediate(preorder) < preorder, "seed {seed}, case {case}");
            let node = tree.index(preorder);
            assert_eq!(tree.number_of(node), Some(preorder));
            let freed = expected[node.as_usize()];
            assert_eq!(
                Some(retained[preorder.as_usize()]),
                freed,
                "seed {seed}, case {case}, node {node:?}, {references:?} {roots:?}"
            );
            assert!(reachable.contains(node));
        }
        assert_eq!(tree.len() - 1, expected.iter().flatten().count(), "seed {seed}, case {case}");
    }
}

/// The graph as a dump: an instance for each node, of a class with as many fields as the node has references.
fn dump(references: &[Vec<u32>], roots: &[u32], form: Form) -> Vec<u8> {
    let address = |node: u32| 0x4000 + 64 * u64::from(node);
    let mut writer = Writer::new(form);
    let most = references.iter().map(Vec::len).max().unwrap_or(0);
    for fields in 0..=most {
        let class = 0x100 + 8 * fields as u64;
        writer.class(class, &format!("app/With{fields}"), 0, &[], &vec![("field", OBJECT); fields]);
        writer.root(0x05, class, &[]);
    }
    for (node, list) in references.iter().enumerate() {
        let targets: Vec<u64> = list.iter().map(|target| address(*target)).collect();
        writer.instance(address(node as u32), 0x100 + 8 * list.len() as u64, &targets, &[]);
    }
    roots.iter().for_each(|root| writer.root(0xFF, address(*root), &[]));
    writer.finish()
}

#[test]
fn a_graph_read_from_a_file_of_any_form_is_the_graph() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..200 {
        let (references, roots) = random.graph(40);
        let form = FORMS[case % FORMS.len()];
        let file = file(&dump(&references, &roots, form));
        let options = HeapOptions {
            sizes: weighbridge_heapdump::SizeModel::Raw,
            threads: 1 + case % 3,
            ..HeapOptions::default()
        };
        let (heap, graph) = Heap::open(file.path(), &options).expect("a dump");
        assert!(heap.warnings().is_empty(), "{:?}", heap.warnings());
        let tree = Dominators::from_graph(graph);
        let retained = tree.retained(|node| heap.node_bytes(node));
        let expected = freed(&references, &roots, |node| (references[node].len() * form.id) as u64);
        for (node, expected) in expected.iter().enumerate() {
            let object = heap.find(0x4000 + 64 * node as u64).expect("the object");
            let preorder = tree.number_of(object.into());
            assert_eq!(
                preorder.map(|preorder| retained[preorder.as_usize()]),
                *expected,
                "seed {seed}, case {case}, {form:?}"
            );
            assert!(preorder.is_none_or(|preorder| tree.node(preorder) == GraphNode::Object(object)));
        }
    }
}
