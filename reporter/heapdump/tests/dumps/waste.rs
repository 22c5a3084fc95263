//! Finds waste in dumps of which every object is known.

use weighbridge_heapdump::waste::Waste;
use weighbridge_heapdump::{Heap, HeapOptions, SizeModel};
use weighbridge_tests::heap_dump::{BYTE, FORMS, OBJECT, Writer, file};

const INT: u8 = 10;

/// The static fields of a class hold everything.
fn waste(mut writer: Writer, held: &[u64]) -> (Heap, Waste) {
    writer.class(0x900, "com/acme/Holder", 0, held, &[]);
    writer.root(0x05, 0x900, &[]);
    let file = file(&writer.finish());
    let options = HeapOptions { sizes: SizeModel::Raw, threads: 2, ..HeapOptions::default() };
    let (heap, graph) = Heap::open(file.path(), &options).expect("a dump");
    let waste = Waste::from_heap(&heap, &graph, &graph.reachable(), 2, 10).expect("the file");
    (heap, waste)
}

fn name(heap: &Heap, class: weighbridge_heapdump::ClassIndex) -> &str {
    &heap.classes().get(class).name
}

#[test]
fn equal_strings_and_arrays_are_groups_and_garbage_is_none_of_them() {
    for form in FORMS {
        let mut writer = Writer::new(form);
        writer.class(0x100, "java/lang/String", 0, &[], &[("value", OBJECT), ("coder", BYTE)]);
        writer.class(0x108, "[Ljava/lang/String;", 0, &[], &[]);
        let mut strings = Vec::new();
        let mut string = |writer: &mut Writer, at: u64, array: u64, coder: u8| {
            writer.instance(at, 0x100, &[array], &[coder]);
            strings.push(at);
        };
        // Two equal texts, one of them with two strings; a third text; UTF-16 of the same bytes as the first.
        writer.bytes(0x2000, b"id");
        writer.bytes(0x2100, b"id");
        writer.bytes(0x2200, b"name");
        writer.bytes(0x2300, b"id");
        string(&mut writer, 0x1000, 0x2000, 0);
        string(&mut writer, 0x1100, 0x2100, 0);
        string(&mut writer, 0x1200, 0x2100, 0);
        string(&mut writer, 0x1300, 0x2200, 0);
        string(&mut writer, 0x1400, 0x2300, 1);
        writer.objects(0x3000, 0x108, &strings);
        // Arrays that belong to no string: longer than the buffer, equal except for the last byte, or garbage.
        let long = vec![7; (1 << 16) + 100];
        let mut other = long.clone();
        *other.last_mut().expect("bytes") = 8;
        writer.bytes(0x10_0000, &long);
        writer.bytes(0x20_0000, &other);
        writer.bytes(0x30_0000, &long);
        writer.bytes(0x40_0000, &long);
        let (heap, waste) = waste(writer, &[0x3000, 0x10_0000, 0x20_0000, 0x30_0000]);
        let id = form.id as u64;
        assert_eq!((waste.strings.objects, waste.strings.distinct), (5, 3));
        let [group] = &waste.strings.groups[..] else { panic!("{:?}", waste.strings.groups) };
        assert_eq!((group.text.as_deref(), group.copies), (Some("id"), 3));
        assert_eq!(group.saved_bytes, 2 + 2 * (id + 1), "an array and two strings");
        assert_eq!(waste.strings.saved_bytes, group.saved_bytes);
        assert_eq!((waste.arrays.objects, waste.arrays.distinct), (3, 2));
        assert_eq!(waste.arrays.saved_bytes, long.len() as u64);
        assert_eq!(heap.address(waste.arrays.groups[0].example), 0x10_0000);
    }
}

#[test]
fn empty_sparse_and_used_collections_are_distinguished() {
    let mut writer = Writer::new(FORMS[0]);
    writer.class(0x100, "java/util/ArrayList", 0, &[], &[("elementData", OBJECT), ("size", INT)]);
    writer.class(0x108, "com/acme/List", 0x100, &[], &[("size", INT)]);
    writer.class(0x110, "java/util/HashMap", 0, &[], &[("table", OBJECT), ("size", INT)]);
    let ring = [("elements", OBJECT), ("head", INT), ("tail", INT)];
    writer.class(0x118, "java/util/ArrayDeque", 0, &[], &ring);
    let striped = [("table", OBJECT), ("counterCells", OBJECT), ("baseCount", 11)];
    writer.class(0x120, "java/util/concurrent/ConcurrentHashMap", 0, &[], &striped);
    writer.class(0x128, "[Ljava/lang/Object;", 0, &[], &[]);
    writer.objects(0x2000, 0x128, &[]);
    writer.objects(0x2100, 0x128, &[0; 10]);
    writer.objects(0x2200, 0x128, &[0; 64]);
    let int = |value: i32| value.to_be_bytes();
    writer.instance(0x1000, 0x100, &[0x2000], &int(0));
    writer.instance(0x1100, 0x100, &[0x2100], &int(0));
    writer.instance(0x1200, 0x100, &[0x2100], &int(2));
    writer.instance(0x1300, 0x100, &[0x2100], &int(3));
    // The subclass's own size comes first in the record and means nothing.
    writer.heap(
        0x21,
        &[
            &0x1400_u64.to_be_bytes(),
            &[0; 4],
            &0x108_u64.to_be_bytes(),
            &16_u32.to_be_bytes(),
            &int(99),
            &0x2000_u64.to_be_bytes(),
            &int(0),
        ],
    );
    writer.instance(0x1500, 0x110, &[0x2200], &int(3));
    writer.instance(0x1600, 0x110, &[0], &int(0));
    writer.instance(0x1700, 0x118, &[0x2100], &[int(9), int(1)].concat());
    writer.instance(0x1800, 0x118, &[0x2100], &[int(4), int(4)].concat());
    writer.instance(0x1900, 0x120, &[0x2200, 0], &1_i64.to_be_bytes());
    writer.instance(0x1A00, 0x120, &[0x2200, 0x2000], &1_i64.to_be_bytes());
    let all: Vec<u64> = (0x10..=0x1A).map(|at| at << 8).collect();
    let (heap, waste) = waste(writer, &all);
    let row = |class: &str| {
        let row = waste.collections.iter().find(|row| name(&heap, row.class) == class).expect("a row");
        (row.collections, row.empty, row.empty_bytes, row.sparse, row.sparse_bytes, row.unknown)
    };
    assert_eq!(row("java.util.ArrayList"), (4, 2, 12 + 12 + 80, 1, 64, 0), "8 slots of 8 bytes");
    assert_eq!(row("com.acme.List"), (1, 1, 16, 0, 0, 0));
    assert_eq!(row("java.util.HashMap"), (2, 1, 12, 1, (64 - 8) * 8, 0), "three keys need 8 slots at 0.75");
    assert_eq!(row("java.util.ArrayDeque"), (2, 1, 16 + 80, 1, 64, 0));
    assert_eq!(row("java.util.concurrent.ConcurrentHashMap"), (2, 0, 0, 1, (64 - 2) * 8, 1));
}

#[test]
fn boxed_values_and_zeros_at_the_end_of_arrays_are_counted() {
    let mut writer = Writer::new(FORMS[2]);
    writer.class(0x100, "java/lang/Integer", 0, &[], &[("value", INT)]);
    writer.class(0x108, "[Ljava/lang/Integer;", 0, &[], &[]);
    let values = [-7_i32, -7, 5, -7];
    let boxes: Vec<u64> = (0..4).map(|at| 0x1000 + 16 * at).collect();
    for (at, value) in boxes.iter().zip(values) {
        writer.instance(*at, 0x100, &[], &value.to_be_bytes());
    }
    let mut elements = boxes.clone();
    elements.resize(30, 0);
    writer.objects(0x2000, 0x108, &elements);
    writer.bytes(0x3000, &[&[1; 100][..], &[0; 100]].concat());
    writer.bytes(0x4000, &[&[1; 100][..], &[0; 99]].concat());
    let (heap, waste) = waste(writer, &[0x2000, 0x3000, 0x4000]);
    let [boxed] = &waste.boxed[..] else { panic!("{:?}", waste.boxed) };
    assert_eq!((boxed.instances, boxed.distinct, boxed.saved_bytes), (4, 2, 8));
    assert_eq!(boxed.commonest, ("-7".to_owned(), 3));
    let rows: Vec<_> = waste.trailing.iter().map(|row| (name(&heap, row.class), row.arrays, row.bytes)).collect();
    assert_eq!(rows, [("java.lang.Integer[]", 1, 26 * 4), ("byte[]", 1, 100)]);
}

#[test]
fn a_chain_of_colliding_keys_is_reported_with_its_map() {
    let mut writer = Writer::new(FORMS[0]);
    writer.class(0x100, "java/util/HashMap", 0, &[], &[("table", OBJECT), ("size", INT)]);
    writer.class(0x108, "java/util/HashMap$Node", 0, &[], &[("next", OBJECT)]);
    writer.class(0x110, "[Ljava/util/HashMap$Node;", 0, &[], &[]);
    writer.instance(0x1000, 0x100, &[0x2000], &16_i32.to_be_bytes());
    writer.objects(0x2000, 0x110, &[0x3000, 0, 0x4000]);
    // Nine keys in one bucket, seven in another.
    for at in 0..9 {
        writer.instance(0x3000 + 32 * at, 0x108, &[if at < 8 { 0x3020 + 32 * at } else { 0 }], &[]);
    }
    for at in 0..7 {
        writer.instance(0x4000 + 32 * at, 0x108, &[if at < 6 { 0x4020 + 32 * at } else { 0 }], &[]);
    }
    let (heap, waste) = waste(writer, &[0x1000]);
    let [chain] = &waste.chains[..] else { panic!("{:?}", waste.chains) };
    assert_eq!((chain.length, chain.tree, heap.address(chain.first)), (9, false, 0x3000));
    assert_eq!(chain.map.map(|map| heap.address(map)), Some(0x1000));
}
