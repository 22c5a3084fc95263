//! Reads dumps, and reports damaged ones.

use crate::random::{Random, seed};
use weighbridge_heapdump::{
    Census, Dominators, DumpErrorKind, Error, FollowSoft, Graph, Heap, HeapOptions, Histogram, MemoryLimit, Modes,
    ReferenceModel, SizeModel, Warning, Work,
};
use weighbridge_tests::heap_dump::{BYTE, FORMS, Form, OBJECT, Writer, file};

const RAW: HeapOptions = HeapOptions {
    modes: Modes { soft: FollowSoft::Strong, references: ReferenceModel::Memory },
    sizes: SizeModel::Raw,
    threads: 2,
    memory: None,
};

const PLAIN: Form = FORMS[0];

/// A heap of every kind of record: 0x1000 holds arrays and references, 0x5000 is garbage.
fn sample(form: Form) -> Writer {
    let mut writer = Writer::new(form);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x108, "java/lang/ref/Reference", 0x100, &[], &[("referent", OBJECT), ("next", OBJECT)]);
    writer.class(0x110, "java/lang/ref/WeakReference", 0x108, &[], &[]);
    writer.class(0x118, "java/lang/ref/SoftReference", 0x108, &[], &[]);
    writer.class(0x120, "[Ljava/lang/Object;", 0x100, &[], &[]);
    writer.class(0x128, "com/acme/Holder", 0x100, &[0x1000], &[("flag", BYTE)]);
    [0x100, 0x108, 0x110, 0x118, 0x120, 0x128].into_iter().for_each(|class| writer.root(0x05, class, &[]));
    writer.objects(0x1000, 0x120, &[0x2000, 0x3000, 0, 0x4000, 0x2000]);
    writer.instance(0x2000, 0x110, &[0x6000, 0], &[]);
    writer.instance(0x3000, 0x118, &[0x7000, 0], &[]);
    writer.bytes(0x4000, b"twelve bytes");
    writer.instance(0x5000, 0x128, &[], &[9]);
    writer.instance(0x6000, 0x100, &[], &[]);
    writer.instance(0x7000, 0x100, &[], &[]);
    writer
}

fn open(bytes: &[u8], options: &HeapOptions) -> Result<(Heap, Graph), Error> {
    Heap::open(file(bytes).path(), options)
}

fn message(bytes: &[u8]) -> String {
    let file = file(bytes);
    let error = Heap::open(file.path(), &RAW).expect_err("a refusal");
    assert_eq!(error.file(), file.path().display().to_string());
    error.to_string().replace(error.file(), "app.hprof")
}

fn reaches(bytes: &[u8], modes: Modes) -> Vec<u64> {
    let (heap, graph) = open(bytes, &HeapOptions { modes, ..RAW }).expect("a dump");
    let reachable = graph.reachable();
    let addresses = heap.objects().filter(|object| reachable.has(*object)).map(|object| heap.address(object));
    addresses.filter(|address| *address >= 0x1000).collect()
}

#[test]
fn the_graph_is_the_same_for_any_number_of_threads() {
    // Roots and classes out of the order of their addresses, and two records of one thread.
    let mut writer = Writer::new(PLAIN);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    for number in (0..200).rev() {
        let object = 0x1000 + 8 * number;
        writer.instance(object, 0x100, &[], &[]);
        writer.root([0x05, 0x07][number as usize % 2], object, &[]);
        writer.root(0x08, object, &[1 + number as u32 / 2, 0]);
    }
    let bytes = writer.finish();
    let read = |threads| {
        let (heap, graph) = open(&bytes, &HeapOptions { threads, ..RAW }).expect("a dump");
        let threads: Vec<_> = graph.threads().iter().map(|thread| (thread.serial, thread.object)).collect();
        (graph.references(graph.root()).collect::<Vec<_>>(), heap.roots().to_vec(), threads)
    };
    let one = read(1);
    assert_eq!((one.0.len(), one.2.len()), (201, 100), "every object, and the node of all threads");
    for round in 0..300 {
        assert_eq!(read(1 + round % 4), one);
    }
}

#[test]
fn classes_arrays_statics_and_names_are_read_from_every_form() {
    for form in FORMS {
        let bytes = sample(form).finish();
        let (heap, graph) = open(&bytes, &RAW).expect("a dump");
        assert!(heap.warnings().is_empty(), "{:?}", heap.warnings());
        let row = |histogram: &Histogram, name: &str| {
            let row = histogram.rows.iter().find(|row| heap.classes().get(row.class).name == name);
            row.map_or((0, 0), |row| (row.instances, row.bytes))
        };
        let id = form.id as u64;
        let all = Histogram::from_heap(&heap, None);
        assert_eq!(row(&all, "byte[]"), (1, 12));
        assert_eq!(row(&all, "java.lang.Object[]"), (1, 5 * id));
        assert_eq!(row(&all, "java.lang.ref.SoftReference"), (1, 2 * id));
        assert_eq!(row(&all, "com.acme.Holder"), (1, 1));
        assert_eq!(row(&all, "java.lang.Class"), (6, id), "the static field of Holder");
        assert_eq!(all.static_bytes, id);
        assert_eq!(all.instances(), 13);
        let reachable = Histogram::from_heap(&heap, Some(&graph.reachable()));
        assert_eq!(row(&reachable, "com.acme.Holder"), (0, 0));
        assert_eq!(row(&reachable, "java.lang.Object"), (1, 0), "softly reached");
        let array = heap.find(0x1000).expect("the array");
        assert_eq!(heap.array_length(array), Some(5));
        let targets: Vec<u64> = graph
            .references(array.into())
            .map(|node| heap.address(heap.objects().nth(node.as_usize()).unwrap()))
            .collect();
        assert_eq!(targets, [0x2000, 0x3000, 0x4000, 0x2000]);
        let mut seen = Vec::new();
        heap.reread(&[array, heap.find(0x4000).unwrap()], |object, _| seen.push(heap.address(object)))
            .expect("the file");
        seen.sort_unstable();
        assert_eq!(seen, [0x1000, 0x4000]);
    }
}

#[test]
fn weak_references_are_followed_for_mat_only_and_soft_ones_as_asked() {
    let bytes = sample(PLAIN).finish();
    let modes = |soft, references| Modes { soft, references };
    let strong = [0x1000, 0x2000, 0x3000, 0x4000, 0x7000];
    assert_eq!(reaches(&bytes, modes(FollowSoft::Strong, ReferenceModel::Memory)), strong);
    assert_eq!(reaches(&bytes, modes(FollowSoft::Weak, ReferenceModel::Memory)), strong[..4]);
    assert_eq!(
        reaches(&bytes, modes(FollowSoft::Weak, ReferenceModel::Mat)),
        [&strong[..4], &[0x6000, 0x7000]].concat()
    );
}

#[test]
fn the_frames_of_a_live_thread_hold_its_target_and_its_object_does_not() {
    let mut writer = Writer::new(PLAIN);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x108, "java/lang/Thread", 0x100, &[], &[("target", OBJECT), ("group", OBJECT)]);
    writer.class(0x110, "java/lang/ThreadGroup", 0x100, &[], &[("threads", OBJECT)]);
    writer.class(0x120, "[Ljava/lang/Thread;", 0x100, &[0x5000], &[]);
    [0x100, 0x108, 0x110, 0x120].into_iter().for_each(|class| writer.root(0x05, class, &[]));
    writer.instance(0x1000, 0x108, &[0x2000, 0x3000], &[]);
    writer.instance(0x2000, 0x100, &[], &[]);
    writer.instance(0x3000, 0x110, &[0x4000], &[]);
    writer.objects(0x4000, 0x120, &[0x1000]);
    // A static field holds it: an ended thread keeps its target.
    writer.instance(0x5000, 0x108, &[0x6000, 0x1000], &[]);
    writer.instance(0x6000, 0x100, &[], &[]);
    writer.root(0x08, 0x1000, &[1, 0]);
    let bytes = writer.finish();
    let (heap, graph) = open(&bytes, &RAW).expect("a dump");
    let object = |address| heap.find(address).expect("an object").into();
    let list = |node| graph.references(node).collect::<Vec<_>>();
    assert_eq!(list(object(0x1000)), [object(0x3000)]);
    assert_eq!(list(object(0x5000)), [object(0x1000), object(0x6000)]);
    assert_eq!(list(graph.threads()[0].frames[0].node), [object(0x1000), object(0x2000)]);
    let all = |modes| reaches(&bytes, modes);
    assert_eq!(all(Modes::default()), [0x1000, 0x2000, 0x3000, 0x5000, 0x6000], "ThreadGroup.threads is not followed");
    assert!(all(Modes { references: ReferenceModel::Mat, ..Modes::default() }).contains(&0x4000));
}

#[test]
fn a_local_of_an_unknown_thread_is_held_by_the_virtual_machine() {
    let mut writer = sample(PLAIN);
    writer.root(0x03, 0x5000, &[77, 0]);
    assert!(reaches(&writer.finish(), Modes::default()).contains(&0x5000));
}

#[test]
fn unaligned_and_scattered_addresses_are_objects_too() {
    let mut writer = Writer::new(PLAIN);
    writer.class(1, "java/lang/Object", 0, &[3, u64::MAX], &[]);
    writer.root(0x05, 1, &[]);
    [2, 3, 1 << 63, u64::MAX].into_iter().for_each(|address| writer.instance(address, 1, &[], &[]));
    let bytes = writer.finish();
    let (heap, graph) = open(&bytes, &RAW).expect("a dump");
    assert_eq!(heap.objects().map(|object| heap.address(object)).collect::<Vec<_>>(), [1, 2, 3, 1 << 63, u64::MAX]);
    let reachable = graph.reachable();
    assert_eq!(heap.objects().filter(|object| reachable.has(*object)).count(), 3);
}

#[test]
fn other_files_are_refused_by_name() {
    assert_eq!(message(b""), "app.hprof: not a heap dump: it does not begin with \"JAVA PROFILE\"");
    assert_eq!(message(b"PK\x03\x04"), "app.hprof: not a heap dump: it does not begin with \"JAVA PROFILE\"");
    assert_eq!(message(b"JAVA PROF"), "app.hprof: the dump ends inside its header");
    assert_eq!(message(b"JAVA PROFILE 1.0.2\0\0\0\0\x08"), "app.hprof: the dump ends inside its header");
    assert_eq!(
        message(b"JAVA PROFILE 1.0.4\0\0\0\0\x08\0\0\0\0\0\0\0\0"),
        "app.hprof: HPROF 1.0.4 is not read, only 1.0.1 to 1.0.3"
    );
    assert_eq!(
        message(b"JAVA PROFILE 1.0.2\0\0\0\0\x02\0\0\0\0\0\0\0\0"),
        "app.hprof: object ids of 2 bytes; they are 4 or 8"
    );
    assert_eq!(message(&Writer::new(PLAIN).finish()), "app.hprof: the dump holds no objects");
    assert_eq!(
        message(&sample(PLAIN).finish()[..38]),
        "app.hprof: record at byte 31: the dump holds no objects before it ends, at byte 38, inside this record"
    );
    let missing = Heap::open("/nowhere/app.hprof".as_ref(), &RAW).expect_err("no file");
    assert!(matches!(missing.kind(), DumpErrorKind::Io(_)), "{missing}");
}

#[test]
fn a_record_that_contradicts_the_format_is_named_by_its_offset() {
    let form = Form { segmented: false, ..PLAIN };
    let mut unknown = Writer::new(form);
    unknown.root(0x05, 0x100, &[]);
    unknown.heap(0x42, &[&[0; 40]]);
    assert_eq!(message(&unknown.finish()), "app.hprof: record at byte 49: no sub-record has the tag 0x42");
    let mut long = Writer::new(PLAIN);
    long.heap(0x22, &[&[1; 8], &[0; 4], &u32::MAX.to_be_bytes(), &[0; 8]]);
    assert_eq!(message(&long.finish()), "app.hprof: record at byte 40: it reaches beyond its heap segment");
    let mut huge = Writer::new(PLAIN);
    huge.heap(0x21, &[&[0; 8], &[0; 4], &[0; 8], &u32::MAX.to_be_bytes()]);
    assert_eq!(message(&huge.finish()), "app.hprof: record at byte 40: an instance of 4294967295 bytes");
    let mut typeless = Writer::new(PLAIN);
    typeless.heap(0x23, &[&[0; 8], &[0; 4], &[0; 4], &[2]]);
    assert_eq!(message(&typeless.finish()), "app.hprof: record at byte 40: an array of elements of type 2");
    let mut records: [Writer; 4] = std::array::from_fn(|_| Writer::new(PLAIN));
    records[0].class(0, "java/lang/Object", 0, &[], &[]);
    records[1].instance(0, 0x100, &[], &[]);
    records[2].objects(0, 0x100, &[]);
    records[3].bytes(0, &[]);
    for record in records {
        let message = message(&record.finish());
        assert!(message.ends_with(": an object whose id is 0, the null reference"), "{message}");
    }
}

#[test]
fn a_cut_dump_is_used_up_to_its_last_whole_record() {
    for form in FORMS.into_iter().filter(|form| !form.compressed) {
        let whole = sample(form).finish();
        let (heap, _) = open(&whole, &RAW).expect("the whole dump");
        let all = heap.len();
        let (mut used, mut named) = (0, 0);
        for length in (31..whole.len()).rev() {
            match open(&whole[..length], &RAW) {
                Ok((heap, graph)) => {
                    assert!(heap.len() <= all);
                    assert!(graph.reachable().contains(graph.root()));
                    let cut = heap.warnings().iter().find_map(|warning| match warning {
                        Warning::Cut { offset, length } => Some((*offset, *length)),
                        _ => None,
                    });
                    // Between two records nothing shows a cut.
                    let Some((offset, stated)) = cut else { continue };
                    assert!(offset < length as u64 && stated == length as u64);
                    used += 1;
                }
                // An end between two records is no cut.
                Err(error) => match (error.kind(), error.offset()) {
                    (DumpErrorKind::Empty(None), None) => {}
                    (DumpErrorKind::Empty(Some(Warning::Cut { .. })), Some(offset)) => {
                        assert!(offset < length as u64, "{length}: {error}");
                        named += 1;
                    }
                    _ => panic!("{length}: {error}"),
                },
            }
        }
        assert!(used > 200 && named > 20, "{used} {named}");
    }
}

#[test]
fn a_compressed_dump_that_breaks_off_is_used_as_far_as_it_inflates() {
    let whole = sample(FORMS[4]).finish();
    let (heap, _) = open(&whole[..whole.len() - 40], &RAW).expect("most of the dump");
    assert!(
        heap.warnings().iter().any(|warning| matches!(warning, Warning::CutCompression { .. })),
        "{:?}",
        heap.warnings()
    );
}

#[test]
fn a_heap_of_unstated_length_reaches_to_its_end() {
    let form = Form { segmented: false, ..PLAIN };
    let mut bytes = sample(form).finish();
    let at = bytes.windows(5).rposition(|window| window == [0x0C, 0, 0, 0, 0]).expect("the heap record");
    bytes[at + 5..at + 9].copy_from_slice(&[0; 4]);
    for end in [&[][..], &[0x2C, 0, 0, 0, 0, 0, 0, 0, 0]] {
        let bytes = [&bytes, end].concat();
        let (heap, _) = open(&bytes, &RAW).expect("a dump");
        assert_eq!((heap.len(), heap.warnings()), (13, &[][..]));
    }
}

#[test]
fn damage_never_panics() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..3_000 {
        let form = FORMS[case % FORMS.len()];
        let mut bytes = sample(form).finish();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = [0, 0xFF, random.below(256) as u8][random.below(3)];
        }
        let heap_sizes = HeapOptions { sizes: SizeModel::Heap, ..RAW };
        // Counting is at most as strict as the reader of the graph, which reads the same records.
        let census = Census::take(file(&bytes).path(), &heap_sizes);
        if let Ok((heap, graph)) = open(&bytes, &heap_sizes) {
            assert!(census.is_ok(), "seed {seed}, case {case}");
            let histogram = Histogram::from_heap(&heap, Some(&graph.reachable()));
            assert!(histogram.instances() <= heap.len() as u64, "seed {seed}, case {case}");
        }
    }
}

#[test]
fn a_dump_that_takes_more_memory_than_allowed_is_refused_with_the_figure() {
    let bytes = sample(PLAIN).finish();
    let limited = |bytes, work| HeapOptions { memory: Some(MemoryLimit { bytes, work }), ..RAW };
    let Err(error) = open(&bytes, &limited(1 << 20, Work::Dominators)) else { panic!("it was read") };
    let &DumpErrorKind::Memory(needed, allowed) = error.kind() else { panic!("{error}") };
    assert_eq!(allowed, 1 << 20);
    assert!(
        error.to_string().ends_with(&format!("needs up to {needed} bytes of memory, 1048576 are allowed")),
        "{error}"
    );
    // The figure is enough, one byte less is not.
    assert!(open(&bytes, &limited(needed, Work::Dominators)).is_ok());
    assert!(open(&bytes, &limited(needed - 1, Work::Dominators)).is_err());
    assert!(open(&bytes, &limited(needed, Work::DominatorsAndGraph)).is_err());
}

#[test]
fn of_an_address_with_two_records_one_counts() {
    let mut writer = Writer::new(PLAIN);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x110, "[Ljava/lang/Object;", 0x100, &[], &[]);
    writer.root(0x05, 0x100, &[]);
    writer.root(0x01, 0x1000, &[0, 0]);
    (0..20).for_each(|at| writer.instance(0x2000 + 16 * at, 0x100, &[], &[]));
    // The list that does not count has numbers of objects above the number of reachable ones.
    writer.objects(0x1000, 0x110, &[0x2100, 0x2110, 0x2120, 0x2130]);
    writer.objects(0x1000, 0x110, &[0x2000]);
    let bytes = writer.finish();
    for references in [ReferenceModel::Memory, ReferenceModel::Mat] {
        let options = HeapOptions { modes: Modes { references, ..Modes::default() }, threads: 1, ..RAW };
        let (heap, graph) = open(&bytes, &options).expect("a dump");
        let reachable = Histogram::from_heap(&heap, Some(&graph.reachable()));
        assert_eq!(reachable.instances(), 4, "the array, its class, that one's superclass, and an object");
        let tree = Dominators::from_graph(graph);
        assert_eq!(tree.retained(|node| heap.node_bytes(node))[0], reachable.bytes());
    }
}

#[test]
fn a_class_object_that_lies_closer_to_the_next_one_than_its_static_fields_need_has_the_formulas_size() {
    let mut writer = Writer::new(PLAIN);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x180, "com/acme/Wide", 0x100, &[0; 30], &[]);
    writer.instance(0x190, 0x100, &[], &[]);
    let file = file(&writer.finish());
    let (heap, _) = Heap::open(file.path(), &HeapOptions::default()).expect("a dump");
    // Objects lie 16 bytes apart at least.
    let needed: u64 = 0x80 + 30 * 4;
    let bytes = [0x100, 0x180].map(|class| heap.bytes(heap.find(class).expect("a class")));
    assert_eq!(bytes, [0x80, needed.next_multiple_of(16)]);
}

#[test]
fn a_field_in_a_gap_of_its_superclass_takes_no_room() {
    const INT: u8 = 10;
    let mut writer = Writer::new(PLAIN);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x110, "java/lang/Thread", 0x100, &[], &[("number", INT)]);
    writer.class(0x120, "com/acme/Worker", 0x110, &[], &[("task", INT)]);
    writer.class(0x130, "com/acme/Point", 0x100, &[], &[("x", INT)]);
    // A header of 12 bytes, an int, and 8 bytes that the virtual machine injects: the worker's own int fits in there.
    [0x1000, 0x1018, 0x1030].into_iter().for_each(|thread| writer.instance(thread, 0x110, &[], &[0; 4]));
    [0x1048, 0x1060, 0x1078].into_iter().for_each(|worker| writer.instance(worker, 0x120, &[], &[0; 8]));
    [0x1090, 0x10a0, 0x10b0, 0x10c0].into_iter().for_each(|point| writer.instance(point, 0x130, &[], &[0; 4]));
    let file = file(&writer.finish());
    let (heap, _) = Heap::open(file.path(), &HeapOptions::default()).expect("a dump");
    let bytes = |address| heap.bytes(heap.find(address).expect("an object"));
    assert_eq!([bytes(0x1090), bytes(0x1000), bytes(0x1048)], [16, 24, 24]);
}

#[test]
fn a_class_loader_has_the_pointer_that_every_virtual_machine_adds_and_no_more() {
    const INT: u8 = 10;
    let versions = [&[("classData", INT)][..], &[]];
    // Dead objects follow: more bytes than any fields, and only as many as are injected into other classes.
    for (data, next) in versions.into_iter().flat_map(|data| [(data, 0x2008), (data, 0x1078)]) {
        let mut writer = Writer::new(PLAIN);
        writer.class(0x100, "java/lang/Object", 0, &[], &[]);
        writer.class(0x108, "java/lang/Class", 0x100, &[], &[&[("module", INT)], data].concat());
        writer.class(0x110, "java/lang/ClassLoader", 0x100, &[], &[("number", INT)]);
        writer.class(0x120, "com/acme/Boot", 0x110, &[], &[("own", INT)]);
        writer.class(0x130, "com/acme/Point", 0x100, &[], &[("x", INT)]);
        (0..4).for_each(|at| writer.instance(0x1000 + 16 * at, 0x130, &[], &[0; 4]));
        // Header, two ints, and the pointer: 28 bytes, rounded up to 32.
        writer.instance(0x1040, 0x120, &[], &[0; 8]);
        writer.instance(next, 0x130, &[], &[0; 4]);
        let file = file(&writer.finish());
        let (heap, _) = Heap::open(file.path(), &HeapOptions::default()).expect("a dump");
        assert_eq!(heap.bytes(heap.find(0x1040).expect("the loader")), 32);
    }
}

#[test]
fn fields_injected_into_threads_are_found_in_threads_and_hold_for_their_subclasses() {
    const INT: u8 = 10;
    let mut writer = Writer::new(PLAIN);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x108, "java/lang/Class", 0x100, &[], &[("classData", INT)]);
    writer.class(0x110, "java/lang/Thread", 0x100, &[], &[("priority", INT)]);
    writer.class(0x120, "com/acme/Worker", 0x110, &[], &[("own", INT)]);
    writer.class(0x130, "com/acme/Point", 0x100, &[], &[("x", INT)]);
    (0..4).for_each(|at| writer.instance(0x1000 + 16 * at, 0x130, &[], &[0; 4]));
    // A field of 16 bytes; after the worker comes a dead object of the same size.
    [0x1040, 0x1060].into_iter().for_each(|thread| writer.instance(thread, 0x110, &[], &[0; 4]));
    writer.instance(0x1080, 0x120, &[], &[0; 8]);
    writer.instance(0x1080 + 40 + 16, 0x130, &[], &[0; 4]);
    let file = file(&writer.finish());
    let (heap, _) = Heap::open(file.path(), &HeapOptions::default()).expect("a dump");
    let bytes = |address| heap.bytes(heap.find(address).expect("an object"));
    assert_eq!([bytes(0x1040), bytes(0x1080)], [32, 40]);
}

#[test]
fn the_rest_of_a_region_is_no_part_of_its_last_object() {
    const INT: u8 = 10;
    let mut writer = Writer::new(PLAIN);
    writer.class(0x100, "java/lang/Object", 0, &[], &[]);
    writer.class(0x128, "com/acme/Last", 0x100, &[], &[("x", INT), ("y", INT)]);
    writer.class(0x130, "com/acme/Point", 0x100, &[], &[("x", INT)]);
    let region = 1 << 20;
    // Too little for any object: 8 bytes.
    writer.instance(region - 8 - 24, 0x128, &[], &[0; 8]);
    (0..4).for_each(|at| writer.instance(region + 16 * at, 0x130, &[], &[0; 4]));
    let file = file(&writer.finish());
    let (heap, _) = Heap::open(file.path(), &HeapOptions::default()).expect("a dump");
    assert_eq!(heap.bytes(heap.find(region - 8 - 24).expect("the last")), 24);
    let census = Census::take(file.path(), &HeapOptions::default()).expect("a census");
    assert_eq!(*census.histogram(), Histogram::from_heap(&heap, None));
}
