//! What must hold for any bytes taken for a heap dump.

use std::io::Write;

use weighbridge_heapdump::{
    Census, Dominators, DumpErrorKind, Heap, HeapOptions, Histogram, Modes, ReferenceModel, SizeModel,
};

/// Any bytes give a graph with consistent figures, or an error with an offset inside the bytes.
pub fn reading(bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("its bytes");
    for (references, sizes) in [(ReferenceModel::Memory, SizeModel::Heap), (ReferenceModel::Mat, SizeModel::Raw)] {
        let options = HeapOptions { modes: Modes { references, ..Modes::default() }, sizes, threads: 2, memory: None };
        match Heap::open(file.path(), &options) {
            Ok((heap, graph)) => {
                let census = Census::take(file.path(), &options).expect("counting needs less than the graph");
                let (all, objects) = (census.histogram().instances(), heap.len() as u64);
                assert!(all >= objects, "{all} of {objects} counted");
                consistent(&heap, graph);
            }
            Err(error) => {
                assert!(!matches!(error.kind(), DumpErrorKind::Io(_)), "{error}");
                // Offsets in a compressed dump count inflated bytes.
                let compressed = bytes.starts_with(&[0x1F, 0x8B]);
                assert!(compressed || error.offset().is_none_or(|offset| offset < bytes.len() as u64), "{error}");
            }
        }
    }
}

fn consistent(heap: &Heap, graph: weighbridge_heapdump::Graph) {
    for object in heap.objects() {
        assert_eq!(heap.find(heap.address(object)), Some(object));
    }
    let reachable = graph.reachable();
    let histogram = Histogram::from_heap(heap, Some(&reachable));
    let tree = Dominators::from_graph(graph);
    let retained = tree.retained(|node| heap.node_bytes(node));
    assert_eq!(retained[0], histogram.bytes(), "what the root retains are the reachable bytes");
    for preorder in tree.numbers() {
        assert!(reachable.contains(tree.index(preorder)));
        assert!(tree.immediate(preorder) < preorder);
        assert!(retained[tree.immediate(preorder).as_usize()] >= retained[preorder.as_usize()]);
    }
    let names = heap.thread_names(tree.threads()).expect("the file is there");
    assert_eq!(names.len(), tree.threads().len());
}
