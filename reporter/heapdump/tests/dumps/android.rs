//! Dumps of Android's runtime (ART): HPROF 1.0.3. The records are made by hand after AOSP's `art/runtime/hprof/hprof.cc`,
//! for no sample file can be had from a package registry.

use weighbridge_heapdump::paths::{HeldBy, MergedStep, ShortestPaths};
use weighbridge_heapdump::{Dominators, Dump, Heap, HeapOptions, redact};
use weighbridge_tests::heap_dump::{BYTE, FORMS, OBJECT, Writer, file};

const CLASS: u64 = 0x7000_0000;
const HEAD: u64 = 0x1200_0000;

/// An activity that an interned string's neighbour and the debugger hold, in the heaps `zygote` and `app`.
fn dump() -> Vec<u8> {
    // ART writes ids of 4 bytes.
    let mut dump = Writer::new(FORMS[3]);
    let heap = |dump: &mut Writer, number: u32, name: &str| {
        let name = dump.string(name);
        let id = dump.id(name);
        dump.heap(0xFE, &[&number.to_be_bytes(), &id]);
    };
    heap(&mut dump, 90, "zygote");
    dump.class(CLASS, "java.lang.Object", 0, &[], &[]);
    dump.class(CLASS + 0x100, "java.lang.Class", CLASS, &[], &[]);
    dump.class(CLASS + 0x200, "com.acme.MainActivity", CLASS, &[], &[("views", OBJECT), ("flag", BYTE)]);
    dump.class(CLASS + 0x300, "android.view.View[]", CLASS, &[], &[]);
    dump.root(0x89, HEAD + 0x40, &[]);
    dump.root(0x8B, HEAD, &[]);
    dump.root(0x8D, CLASS + 0x200, &[]);
    dump.root(0x8E, HEAD + 0x60, &[1, 0]);
    dump.root(0x90, HEAD + 0x80, &[]);
    heap(&mut dump, 65, "app");
    dump.instance(HEAD, CLASS + 0x200, &[HEAD + 0x20], &[1]);
    dump.objects(HEAD + 0x20, CLASS + 0x300, &[HEAD + 0x80, 0]);
    dump.bytes(HEAD + 0x40, b"interned");
    dump.bytes(HEAD + 0x60, b"locked");
    let array = [dump.id(HEAD + 0x80), vec![0; 4], 1000_u32.to_be_bytes().to_vec(), vec![BYTE]].concat();
    dump.heap(0xC3, &[&array]);
    let address = [dump.id(HEAD + 0x1000), vec![0; 4], 5_u32.to_be_bytes().to_vec(), vec![BYTE], vec![7; 5]].concat();
    dump.heap(0x23, &[&address]);
    heap(&mut dump, 73, "image");
    inflated(&dump.finish(), 18, b"JAVA PROFILE 1.0.3")
}

/// The dump with another version in its header.
fn inflated(bytes: &[u8], length: usize, version: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes), &mut whole).expect("gzip");
    [version, &whole[length..]].concat()
}

#[test]
fn objects_roots_and_heaps_of_an_android_dump_are_read() {
    let file = file(&dump());
    let (heap, graph) = Heap::open(file.path(), &HeapOptions::default()).expect("a dump");
    // Four classes and six objects.
    assert_eq!(heap.len(), 10);
    let at = |address| heap.find(address).expect("an object");
    let class = |address| heap.classes().get(heap.class_of(at(address))).name.as_str();
    assert_eq!((class(HEAD), class(HEAD + 0x40)), ("com.acme.MainActivity", "byte[]"));
    // The array without values has its length.
    assert_eq!((heap.array_length(at(HEAD + 0x80)), heap.bytes(at(HEAD + 0x80)) >= 1000), (Some(1000), true));
    let reachable = graph.reachable();
    let roots = [HEAD, HEAD + 0x20, HEAD + 0x40, HEAD + 0x60, HEAD + 0x80].map(|address| reachable.has(at(address)));
    assert_eq!((roots, reachable.has(at(HEAD + 0x1000))), ([true; 5], false));
    let merged = ShortestPaths::from_graph(&graph).merged(&heap, &graph, &[at(HEAD)], 1);
    assert_eq!(merged.branches[0].step, MergedStep::Held(HeldBy::VmInternal));
    let tree = Dominators::from_graph(graph);
    let retained = tree.retained(|node| heap.node_bytes(node));
    let activity = tree.number_of(at(HEAD).into()).expect("reachable");
    assert!(retained[activity.as_usize()] > 1000, "the array below it");
}

#[test]
fn a_redacted_android_dump_has_the_same_objects_and_no_values() {
    let original = file(&dump());
    let mut bytes = Vec::new();
    let done = redact(&Dump::open(original.path()).expect("a dump"), 1, &mut bytes).expect("a copy");
    assert_eq!(done.objects, 10);
    // A flag, two texts, five bytes, and the array that had no values.
    assert_eq!(done.zeroed_bytes, 1 + 8 + 6 + 5 + 1000);
    assert!(!bytes.windows(8).any(|window| window == b"interned"));
    let copy = file(&bytes);
    let open = |file: &tempfile::NamedTempFile| Heap::open(file.path(), &HeapOptions::default()).expect("a dump");
    let ((before, _), (after, graph)) = (open(&original), open(&copy));
    let sizes = |heap: &Heap| heap.objects().map(|o| (heap.address(o), heap.bytes(o))).collect::<Vec<_>>();
    assert_eq!(sizes(&before), sizes(&after));
    assert!(after.classes().find_by_name("com.acme.MainActivity").is_some());
    assert!(graph.reachable().has(after.find(HEAD + 0x80).expect("an object")));
}
