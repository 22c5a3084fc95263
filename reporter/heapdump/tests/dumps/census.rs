//! Compares counting without a graph with the histogram of all objects in the graph.

use crate::random::{Random, seed};
use weighbridge_heapdump::{
    Census, DumpErrorKind, Heap, HeapOptions, Histogram, MemoryLimit, SizeModel, SizeSource, Warning, Work,
};
use weighbridge_tests::heap_dump::{BYTE, FORMS, Form, OBJECT, Writer, file};

const CLASSES: u64 = 0x10_0000;
/// The address of the first object after the loader.
const OBJECTS: u64 = 0x20_0000;

/// A heap without gaps whose objects start at multiples of 8: headers of 12 bytes, references of 4, arrays from byte 16
/// on. `order` puts the records, which are sorted by address, in another order.
fn heap(form: Form, random: &mut Random, order: impl Fn(&mut Random, &mut Vec<(u64, usize)>)) -> Vec<u8> {
    let mut dump = Writer::new(form);
    dump.class(CLASSES, "java/lang/Object", 0, &[], &[]);
    dump.class(CLASSES + 0x100, "java/lang/Class", CLASSES, &[], &[]);
    dump.class(CLASSES + 0x180, "com/acme/Small", CLASSES, &[OBJECTS], &[("flag", BYTE)]);
    dump.class(CLASSES + 0x200, "com/acme/Pair", CLASSES, &[], &[("a", OBJECT), ("b", OBJECT)]);
    dump.class(CLASSES + 0x280, "[Lcom/acme/Pair;", CLASSES, &[], &[]);
    let mut objects = Vec::new();
    let mut address = OBJECTS;
    for _ in 0..200 + random.below(200) {
        let kind = random.below(40);
        objects.push((address, kind));
        address += match kind {
            0..10 => 16,
            10..20 => 24,
            _ => (16 + 4 * (kind as u64 % 7)).next_multiple_of(8),
        };
    }
    order(random, &mut objects);
    for (address, kind) in objects {
        match kind {
            0..10 => dump.instance(address, CLASSES + 0x180, &[], &[1]),
            10..20 => dump.instance(address, CLASSES + 0x200, &[OBJECTS, 0], &[]),
            20..30 => dump.objects(address, CLASSES + 0x280, &vec![0; kind % 7]),
            _ => dump.bytes(address, &vec![7; 4 * (kind % 7)]),
        }
    }
    dump.finish()
}

fn both(bytes: &[u8], sizes: SizeModel) -> (Census, Heap, Histogram) {
    let file = file(bytes);
    let options = HeapOptions { sizes, ..HeapOptions::default() };
    let census = Census::take(file.path(), &options).expect("a census");
    let (heap, _) = Heap::open(file.path(), &options).expect("a dump");
    let histogram = Histogram::from_heap(&heap, None);
    (census, heap, histogram)
}

#[test]
fn a_census_counts_what_the_reader_of_the_graph_finds_in_any_order_of_records() {
    let seed = seed();
    let mut random = Random(seed);
    type Order = fn(&mut Random, &mut Vec<(u64, usize)>);
    let orders: [Order; 3] = [
        |_, _| {},
        |_, objects| objects.reverse(),
        |random, objects| {
            for at in (1..objects.len()).rev() {
                objects.swap(at, random.below(at + 1));
            }
        },
    ];
    for case in 0..60 {
        let bytes = heap(FORMS[case % FORMS.len()], &mut random, orders[case / FORMS.len() % orders.len()]);
        for sizes in [SizeModel::Heap, SizeModel::Raw] {
            let (census, heap, histogram) = both(&bytes, sizes);
            assert_eq!(*census.histogram(), histogram, "seed {seed}, case {case}, {sizes:?}");
            assert_eq!(census.layout(), heap.layout(), "seed {seed}, case {case}");
            for row in &histogram.rows {
                assert_eq!(census.class(row.class).name, heap.classes().get(row.class).name);
                assert_eq!(census.loader_name(row.class), heap.loader_name(row.class));
            }
        }
    }
}

#[test]
fn sizes_are_calibrated_from_records_that_follow_each_other() {
    let (census, ..) = both(&heap(FORMS[1], &mut Random(7), |_, _| {}), SizeModel::Heap);
    let row = |name: &str| {
        let rows = &census.histogram().rows;
        rows.iter().find(|row| census.class(row.class).name == name).expect("a row")
    };
    let (small, pair) = (row("com.acme.Small"), row("com.acme.Pair"));
    assert_eq!((small.bytes, small.source), (16 * small.instances, SizeSource::Calibrated));
    assert_eq!((pair.bytes, pair.source), (24 * pair.instances, SizeSource::Calibrated));
    assert_eq!(census.layout().map(|layout| (layout.header_bytes, layout.reference_bytes)), Some((12, 4)));
}

#[test]
fn references_of_eight_bytes_need_ids_of_eight() {
    for (form, reference) in [(FORMS[0], 8), (FORMS[2], 4)] {
        let mut writer = Writer::new(form);
        writer.class(0x100, "java/lang/Object", 0, &[], &[]);
        writer.class(0x108, "[Ljava/lang/Object;", 0x100, &[], &[]);
        // 16 bytes and nine references of 8 bytes. References of 4 bytes would fit no array.
        (0..20).for_each(|at| writer.objects(0x1000 + 88 * at, 0x108, &[0; 9]));
        let (census, heap, _) = both(&writer.finish(), SizeModel::Heap);
        assert_eq!(census.layout(), heap.layout());
        assert_eq!(census.layout().map(|layout| layout.reference_bytes), Some(reference), "{form:?}");
    }
}

#[test]
fn objects_without_their_class_are_counted_and_warned_of() {
    let mut dump = Writer::new(FORMS[0]);
    dump.class(0x100, "java/lang/Object", 0, &[], &[]);
    dump.instance(0x1000, 0x999, &[], &[]);
    dump.objects(0x1010, 0x998, &[0]);
    let (census, heap, histogram) = both(&dump.finish(), SizeModel::Raw);
    assert_eq!(*census.histogram(), histogram);
    assert_eq!(census.warnings(), [Warning::ClassesMissing { objects: 2 }]);
    assert_eq!(census.warnings(), heap.warnings());
}

#[test]
fn a_census_refuses_a_dump_without_objects_and_too_little_memory() {
    let empty = file(&Writer::new(FORMS[0]).finish());
    let error = Census::take(empty.path(), &HeapOptions::default()).expect_err("nothing to count");
    assert!(matches!(error.kind(), DumpErrorKind::Empty(None)), "{error}");
    let limited =
        |bytes| HeapOptions { memory: Some(MemoryLimit { bytes, work: Work::Census }), ..HeapOptions::default() };
    let needed = |bytes: &[u8]| {
        let dump = file(bytes);
        let refused = |most| match Census::take(dump.path(), &limited(most)).map_err(|error| error.to_string()) {
            Ok(_) => None,
            Err(message) => message.split("up to ").nth(1)?.split(' ').next()?.parse::<u64>().ok(),
        };
        let needed = refused(1).expect("a refusal with a figure");
        assert_eq!((refused(needed - 1), refused(needed)), (Some(needed), None));
        needed
    };
    let ordered = needed(&heap(FORMS[1], &mut Random(7), |_, _| {}));
    let reversed = needed(&heap(FORMS[1], &mut Random(7), |_, objects| objects.reverse()));
    assert!(reversed > ordered, "records in no order need a bitmap of addresses");
}
