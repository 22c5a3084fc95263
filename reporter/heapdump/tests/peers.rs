//! Retained sizes on dumps of real programs against those of other tools, object by object: Eclipse MAT, and the heap
//! library of NetBeans and VisualVM (docs/heap-peers.md).
//!
//! The library has another idea of what keeps an object alive, so the test computes dominators twice: of our graph, and
//! of a graph after the library's idea ([`as_the_library`]). Both count the bytes that the library counts. On its own
//! graph every figure has to be the library's; then the differences to ours are those of the ideas, and of nothing else.

use std::collections::HashMap;
use std::path::Path;

use std::process::Command;

use weighbridge_heapdump::{
    Dominators, Dump, FieldType, GcRoot, Graph, Heap, HeapOptions, Modes, NodeIndex, ObjectIndex, Record,
    ReferenceModel, redact,
};
use weighbridge_tests::snapshot::{Program, Programs};
use weighbridge_tests::{Jdk, compile, ends, jars, java, jdks_from, run};

/// Objects that are compared: those that retain most, by either side.
const TOP: usize = 100;

/// What the library says of an object: its size, and what it retains.
type Theirs = HashMap<u64, (u64, u64)>;

fn library(dump: &Path, folder: &Path) -> Theirs {
    let libraries = jars(&["org-netbeans-lib-profiler"]);
    let classes = folder.join("netbeans");
    if !classes.is_dir() {
        compile("netbeans", &libraries, folder);
    }
    let listed = folder.join("retained.txt");
    let class_path = std::env::join_paths(libraries.iter().chain([&classes])).expect("a class path");
    let jdk = jdks_from(17)[0];
    let output = run(java(jdk).arg("-cp").arg(class_path).arg("Retained").arg(dump).arg(&listed));
    assert!(output.success(), "{output}");
    let text = std::fs::read_to_string(&listed).expect("its list");
    let number = |word: Option<&str>| word.and_then(|word| word.parse::<i64>().ok()).expect("a number").max(0) as u64;
    let line = |line: &str| {
        let mut words = line.split(' ');
        let address = words.next().and_then(|word| u64::from_str_radix(word, 16).ok()).expect("an address");
        (address, (number(words.next()), number(words.next())))
    };
    text.lines().map(line).collect()
}

/// References by object, as the dump's records have them.
struct References {
    /// All: fields, elements, static fields and loaders of classes.
    all: Vec<Vec<u32>>,
    /// By object that is a `Reference`: its referent.
    referents: HashMap<u32, u32>,
}

fn references(heap: &Heap) -> References {
    let classes = heap.classes();
    let reference = classes.find_by_name("java.lang.ref.Reference");
    let is_referent = |field: u64| heap.dump().text(field).as_deref() == Some("referent");
    // By class: the offsets of its references, and of the referent.
    let plans: Vec<(Vec<u32>, Option<u32>)> = classes
        .iter()
        .map(|(class, _)| {
            let fields: Vec<_> = classes.instance_fields(class, heap.dump().ids().bytes()).collect();
            let objects = fields.iter().filter(|(_, field, _)| field.kind == FieldType::Object);
            let referent =
                objects.clone().find(|(owner, field, _)| Some(*owner) == reference && is_referent(field.name));
            (objects.map(|(.., offset)| *offset).collect(), referent.map(|(.., offset)| *offset))
        })
        .collect();
    let mut found = References { all: vec![Vec::new(); heap.len()], referents: HashMap::new() };
    let ids = heap.dump().ids();
    let objects: Vec<ObjectIndex> = heap.objects().collect();
    heap.reread(&objects, |object, record| {
        let at = object.as_usize();
        let mut add = |address: u64| found.all[at].extend(heap.find(address).map(|object| object.as_usize() as u32));
        match record {
            Record::Instance { fields, .. } => {
                let (offsets, referent) = &plans[heap.class_of(object).as_usize()];
                let inside = |offset: &&u32| fields.len() >= (**offset + ids.bytes()) as usize;
                offsets.iter().filter(inside).for_each(|offset| add(ids.read(fields, *offset as usize)));
                if let Some(target) = referent.and_then(|offset| heap.find(ids.read(fields, offset as usize))) {
                    found.referents.insert(at as u32, target.as_usize() as u32);
                }
            }
            Record::Objects { mut elements, .. } => {
                while let Some(piece) = elements.next_piece() {
                    piece.chunks_exact(ids.bytes() as usize).for_each(|element| add(ids.read(element, 0)));
                }
            }
            Record::Class(class) => {
                let fields = class.statics.iter().filter(|field| field.kind == FieldType::Object);
                fields.for_each(|field| add(field.value));
                add(class.loader);
            }
            Record::Primitives { .. } | Record::Root(_) => {}
        }
    })
    .expect("the dump");
    found
}

/// The graph as the library has it, and which objects it reaches. All roots are alike, locals too. Referents do not
/// keep an object alive, but all that refers to it is its parent: weak references, and what is not reachable itself.
/// A class does not refer to its superclass, and is kept by the first of its instances that the library comes by, if
/// nothing else led to it before. Which that is depends on its order: here all instances keep their class, or, with
/// `free_classes`, only those of classes that nothing else refers to.
fn as_the_library(heap: &Heap, free_classes: bool) -> (Graph, Vec<bool>) {
    let References { mut all, referents } = references(heap);
    let object = |root: &GcRoot| match *root {
        GcRoot::Unknown(object) | GcRoot::JniGlobal(object) | GcRoot::StickyClass(object) | GcRoot::Monitor(object) => {
            object
        }
        GcRoot::VmInternal(object) => object,
        GcRoot::JavaFrame(object, ..) | GcRoot::JniLocal(object, ..) | GcRoot::Thread(object, ..) => object,
        GcRoot::NativeStack(object, _) | GcRoot::ThreadBlock(object, _) => object,
    };
    let found = heap.roots().iter().filter_map(|root| heap.find(object(root)));
    let mut roots: Vec<u32> = found.map(|object| object.as_usize() as u32).collect();
    roots.sort_unstable();
    roots.dedup();
    let class_of = |object: ObjectIndex| heap.find(heap.classes().get(heap.class_of(object)).address);
    let classes: Vec<Option<u32>> =
        heap.objects().map(|object| class_of(object).map(|class| class.as_usize() as u32)).collect();
    let mut referred = vec![false; all.len()];
    all.iter().flatten().for_each(|to| referred[*to as usize] = true);
    let mut reached = vec![false; all.len()];
    let mut open = roots.clone();
    while let Some(from) = open.pop() {
        if !std::mem::replace(&mut reached[from as usize], true) {
            open.extend(all[from as usize].iter().filter(|to| referents.get(&from) != Some(to)));
            open.extend(classes[from as usize]);
        }
    }
    for (object, class) in classes.into_iter().enumerate().filter(|(object, _)| reached[*object]) {
        all[object].extend(class.filter(|class| !free_classes || !referred[*class as usize]));
    }
    roots.extend((0..all.len() as u32).filter(|object| !reached[*object as usize]));
    (Graph::of_lists(&all, &roots), reached)
}

/// What each object retains, in bytes as the library counts them: none for `Class` objects.
fn retained(heap: &Heap, graph: Graph, theirs: &Theirs) -> HashMap<u64, u64> {
    let objects: Vec<u64> = heap.objects().map(|object| heap.address(object)).collect();
    let size = |node: NodeIndex| {
        let address = objects.get(node.as_usize());
        address.and_then(|address| theirs.get(address)).map_or(0, |(bytes, _)| *bytes)
    };
    let tree = Dominators::from_graph(graph);
    let sums = tree.retained(size);
    let of = |object: ObjectIndex| tree.number_of(object.into()).map_or(0, |number| sums[number.as_usize()]);
    heap.objects().map(|object| (heap.address(object), of(object))).collect()
}

/// What is dumped, and on which Java: the oldest or the newest from 17 on.
fn programs_and_jvms() -> [(Program, &'static Jdk); 5] {
    let [oldest, newest] = ends(17);
    [
        (Program::H2, oldest),
        (Program::Lucene, newest),
        (Program::Tomcat, oldest),
        (Program::Boot, newest),
        (Program::Leak, oldest),
    ]
}

/// The objects that retain most.
fn top(figures: impl Iterator<Item = (u64, u64)>) -> Vec<u64> {
    let mut all: Vec<(u64, u64)> = figures.collect();
    all.sort_unstable_by_key(|(address, bytes)| (std::cmp::Reverse(*bytes), *address));
    all.truncate(TOP);
    all.into_iter().map(|(address, _)| address).collect()
}

#[test]
fn what_the_largest_objects_retain_is_what_the_library_of_netbeans_says_on_its_graph_and_mostly_on_ours() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = Programs::new(folder.path());
    for (program, jdk) in programs_and_jvms() {
        let context = format!("{program:?} on Java {}", jdk.version);
        let dump = programs.snapshot(program, jdk).dump;
        let theirs = library(&dump, folder.path());
        let (heap, graph) = Heap::open(&dump, &HeapOptions::default()).expect("a dump");
        let ours = retained(&heap, graph, &theirs);
        let like_theirs = [false, true].map(|free_classes| {
            let (graph, reached) = as_the_library(&heap, free_classes);
            let mut figures = retained(&heap, graph, &theirs);
            // The library says 0 of what it does not reach.
            let lost = heap.objects().filter(|object| !reached[object.as_usize()]);
            figures.extend(lost.map(|object| (heap.address(object), 0)));
            figures
        });
        let by_library = top(theirs.iter().map(|(address, (_, retained))| (*address, *retained)));
        let is_class = |address: u64| heap.find(address).is_some_and(|object| heap.class_object(object).is_some());
        let by_us = top(ours.iter().filter(|(address, _)| !is_class(**address)).map(|(a, bytes)| (*a, *bytes)));
        let name = |address: u64| heap.find(address).map(|o| heap.classes().get(heap.class_of(o)).name.clone());
        let (mut compared, mut certain, mut equal, mut outside) = (0, 0, 0, 0);
        for address in by_library.iter().chain(by_us.iter().filter(|address| !by_library.contains(address))) {
            let (_, theirs) = theirs[address];
            let [least, most] = [&like_theirs[0], &like_theirs[1]].map(|figures| figures[address]);
            let described = || format!("{context}: 0x{address:x} {:?}", name(*address));
            if !(least..=most).contains(&theirs) {
                println!("{}: the library says {theirs}, not {least} to {most}", described());
                outside += 1;
            }
            compared += 1;
            certain += usize::from(least == most);
            if ours[address] != theirs {
                println!("{} {}, the library says {theirs}", described(), ours[address]);
            } else if by_library.contains(address) {
                equal += 1;
            }
        }
        println!(
            "{context}: {compared} compared, {certain} exactly as on the library's graph; {equal} of {TOP} also on ours"
        );
        // Of Spring Boot's 149 three were outside by 0.2 %: docs/heap-peers.md.
        assert!(outside * 40 <= compared, "{context}: {outside} of {compared} outside the range");
        assert!(certain >= compared * 9 / 10 && equal >= TOP * 3 / 4, "{context}");
        std::fs::remove_file(&dump).expect("the dump");
    }
}

#[test]
fn the_library_reads_a_redacted_dump_as_it_reads_the_original() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = Programs::new(folder.path());
    let dump = programs.snapshot(Program::Leak, jdks_from(17)[0]).dump;
    let copy = folder.path().join("copy.hprof");
    let mut file = std::fs::File::create(&copy).expect("a file");
    let done = redact(&Dump::open(&dump).expect("a dump"), 2, &mut file).expect("a copy");
    let [theirs, of_the_copy] = [&dump, &copy].map(|dump| library(dump, folder.path()));
    assert!(done.zeroed_bytes > 100_000 && done.texts_left_out > 1_000 && theirs.len() > 10_000, "{done:?}");
    assert!(theirs == of_the_copy, "the library says something else of the copy");
}

/// Lines of `address shallow retained class`, with the greatest retained size first; a line about the whole before them.
fn mat(command: &str, dump: &Path, folder: &Path) -> (Theirs, Vec<u64>) {
    let listed = folder.join("mat.txt");
    std::fs::write(&listed, "").expect("a file");
    let output = run(Command::new(command).arg(dump).arg(&listed).arg("100000000"));
    assert!(output.success(), "{output}");
    let text = std::fs::read_to_string(&listed).expect("its list");
    let (mut theirs, mut order) = (Theirs::new(), Vec::new());
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let address = u64::from_str_radix(words[0].trim_start_matches("0x"), 16).expect("an address");
        theirs.insert(address, (words[1].parse().expect("bytes"), words[2].parse().expect("bytes")));
        order.push(address);
    }
    (theirs, order)
}

/// MAT is in no package registry, so `WEIGHBRIDGE_MAT` names a command that takes a dump, a file for its list, and the
/// number of objects wanted.
#[test]
#[ignore = "needs Eclipse MAT: WEIGHBRIDGE_MAT names a command"]
fn what_the_largest_objects_retain_is_what_eclipse_mat_says() {
    let command = std::env::var("WEIGHBRIDGE_MAT").expect("WEIGHBRIDGE_MAT names a command");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = Programs::new(folder.path());
    for (program, jdk) in programs_and_jvms() {
        let context = format!("{program:?} on Java {}", jdk.version);
        let dump = programs.snapshot(program, jdk).dump;
        let (theirs, order) = mat(&command, &dump, folder.path());
        let modes = Modes { references: ReferenceModel::Mat, ..Modes::default() };
        let (heap, graph) = Heap::open(&dump, &HeapOptions { modes, ..HeapOptions::default() }).expect("a dump");
        let ours = retained(&heap, graph, &theirs);
        let mut equal = 0;
        for address in order.iter().take(TOP) {
            let class = heap.find(*address).map(|o| heap.classes().get(heap.class_of(o)).name.clone());
            let (_, theirs) = theirs[address];
            match ours[address] == theirs {
                true => equal += 1,
                // Classes keep their protection domains, which class loaders keep in a map; MAT does not know that.
                false => {
                    let class = class.unwrap_or_default();
                    let keeps_domains = class.contains("ClassLoader") || class.contains("ConcurrentHashMap");
                    let context = format!("{context}: 0x{address:x} {class}: {}, MAT says {theirs}", ours[address]);
                    assert!(keeps_domains && ours[address] < theirs, "{context}");
                    println!("{context}");
                }
            }
        }
        println!("{context}: {equal} of {TOP} equal");
        assert!(equal >= TOP * 9 / 10, "{context}");
        std::fs::remove_file(&dump).expect("the dump");
    }
}
