//! What the runtime in a dumped program holds is not held by it in answers about the program.

use weighbridge_heapdump::components::{Assignment, SemanticFigures};
use weighbridge_heapdump::{Dominators, Graph, Heap, HeapOptions, Modes, ReferenceModel, SizeModel, ThreadPart};
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer, file};
use weighbridge_tests::root;

const OBJECT_CLASS: u64 = 0x100;
const ARRAY: u64 = 0x108;
const SESSION: u64 = 0x120;
const WALK: u64 = 0x130;
/// A program that holds this session, and its data.
const HELD: u64 = 0x2000;
const HELD_DATA: u64 = 0x3000;
/// A session that only tables of the runtime hold, and its data.
const GONE: u64 = 0x2100;
const GONE_DATA: u64 = 0x3100;
/// The runtime's population and its table of objects met.
const POPULATION: u64 = 0x4000;
const MET: u64 = 0x4200;

/// A program while the runtime's walk runs in it. The runtime's tables have both sessions and their data.
fn measured() -> Writer {
    let mut writer = Writer::new(FORMS[0]);
    writer.class(OBJECT_CLASS, "java/lang/Object", 0, &[], &[]);
    writer.class(ARRAY, "[Ljava/lang/Object;", OBJECT_CLASS, &[], &[]);
    writer.class(0x110, "com/acme/Shop", OBJECT_CLASS, &[0x1000], &[]);
    writer.class(0x118, "java/util/IdentityHashMap", OBJECT_CLASS, &[], &[]);
    writer.class(SESSION, "com/acme/Session", OBJECT_CLASS, &[], &[("data", OBJECT)]);
    let runtime = |name: &str| format!("io/weighbridge/runtime/{name}");
    let fields = [("entry", OBJECT), ("objects", OBJECT)];
    writer.class(0x128, &runtime("registry/Population"), OBJECT_CLASS, &[], &fields);
    writer.class(WALK, &runtime("walk/Walk"), OBJECT_CLASS, &[], &[("met", OBJECT)]);
    writer.class(0x138, &runtime("walk/ObjectTable"), OBJECT_CLASS, &[], &[("objects", OBJECT)]);
    writer.class(0x140, &runtime("walk/GranuleTable"), 0x138, &[], &[("crowded", OBJECT)]);
    writer.class(0x148, &runtime("control/Life"), OBJECT_CLASS, &[POPULATION, MET], &[]);
    writer.class(0x150, &runtime("record/ComponentNodes"), OBJECT_CLASS, &[], &[]);
    (0x100..=0x150).step_by(8).for_each(|class| writer.root(0x05, class, &[]));
    writer.objects(0x1000, ARRAY, &[HELD]);
    for (session, data) in [(HELD, HELD_DATA), (GONE, GONE_DATA)] {
        writer.instance(session, SESSION, &[data], &[]);
        writer.bytes(data, &[7; 100]);
    }
    writer.instance(POPULATION, 0x128, &[0, 0x4100], &[]);
    writer.objects(0x4100, ARRAY, &[HELD, GONE]);
    writer.instance(MET, 0x140, &[0x4300, 0x4400], &[]);
    writer.objects(0x4300, ARRAY, &[GONE_DATA]);
    writer.objects(0x4400, ARRAY, &[0x4500]);
    writer.objects(0x4500, ARRAY, &[HELD, HELD_DATA, GONE]);
    writer
}

fn open(writer: Writer, modes: Modes) -> (Heap, Graph) {
    let options = HeapOptions { modes, sizes: SizeModel::Raw, ..HeapOptions::default() };
    Heap::open(file(&writer.finish()).path(), &options).expect("a dump")
}

fn reaches(writer: Writer, modes: Modes) -> Vec<u64> {
    let (heap, graph) = open(writer, modes);
    let reachable = graph.reachable();
    let addresses = heap.objects().filter(|object| reachable.has(*object)).map(|object| heap.address(object));
    addresses.filter(|address| *address >= 0x1000).collect()
}

#[test]
fn tables_of_the_runtime_hold_no_object_of_the_program() {
    let own = [0x1000, HELD, HELD_DATA, POPULATION, MET];
    assert_eq!(reaches(measured(), Modes::default()), own, "the tables, without what is in them");
    let all = Modes { references: ReferenceModel::Mat, ..Modes::default() };
    let in_tables = [GONE, GONE_DATA, 0x4100, 0x4300, 0x4400, 0x4500];
    let found = reaches(measured(), all);
    assert!(in_tables.iter().all(|object| found.contains(object)), "all references are followed: {found:x?}");
}

#[test]
fn what_the_program_holds_has_the_same_owner_and_size_as_without_a_walk() {
    let (heap, graph) = open(measured(), Modes::default());
    let tree = Dominators::from_graph(graph);
    let retained = tree.retained(|node| heap.node_bytes(node));
    let number = |address| tree.number_of(heap.find(address).expect("an object").into()).expect("a live object");
    assert_eq!(tree.immediate(number(HELD_DATA)), number(HELD));
    assert_eq!(tree.immediate(number(HELD)), number(0x1000));
    assert_eq!(retained[number(0x1000).as_usize()], 8 + 8 + 100, "a reference in each, and the data");
}

/// The addresses that are reachable if each frame of a thread, the top first, holds an object in a local variable.
fn with_stack(frames: &[(&str, u64)]) -> Vec<u64> {
    let mut writer = measured();
    writer.class(0x158, "java/lang/Thread", OBJECT_CLASS, &[], &[]);
    writer.root(0x05, 0x158, &[]);
    writer.instance(0x5000, 0x158, &[], &[]);
    writer.trace_of_classes(1, &frames.iter().map(|(class, _)| (*class, "run")).collect::<Vec<_>>());
    writer.root(0x08, 0x5000, &[1, 1]);
    for (depth, (_, object)) in frames.iter().enumerate() {
        // A Java local, or one of native code in a frame.
        writer.root([0x03, 0x02][depth % 2], *object, &[1, depth as u32]);
    }
    reaches(writer, Modes::default())
}

#[test]
fn local_variables_of_the_runtimes_walk_hold_no_object_of_the_program() {
    let walk = "io/weighbridge/runtime/walk/Walk";
    let keeps = |frames: &[&str]| {
        let top = [(frames[0], GONE)].into_iter().chain(frames[1..].iter().map(|class| (*class, HELD)));
        with_stack(&top.collect::<Vec<_>>()).contains(&GONE)
    };
    assert!(keeps(&["com/acme/Shop"]));
    assert!(!keeps(&[walk]));
    assert!(!keeps(&["io/weighbridge/runtime/control/Life"]));
    assert!(!keeps(&["java/util/IdentityHashMap", walk]), "what the walk calls looks at the same object");
    assert!(keeps(&["java/util/IdentityHashMap", "com/acme/Shop"]));
    assert!(keeps(&["com/acme/Shop", "io/weighbridge/runtime/record/ComponentNodes"]), "a callback of the program");
    assert!(keeps(&["com/acme/Unknown", walk]), "a class that the dump does not have");
}

#[test]
fn the_walk_itself_is_reachable_through_its_frames_which_are_parts_of_its_thread() {
    let mut writer = measured();
    writer.class(0x158, "java/lang/Thread", OBJECT_CLASS, &[], &[]);
    writer.instance(0x5000, 0x158, &[], &[]);
    writer.instance(0x6000, WALK, &[MET], &[]);
    let walk = "io/weighbridge/runtime/walk/Walk";
    writer.trace_of_classes(1, &[(walk, "readFirst"), (walk, "run")]);
    writer.root(0x08, 0x5000, &[1, 1]);
    writer.root(0x03, GONE, &[1, 0]);
    writer.root(0x03, 0x6000, &[1, 1]);
    let (heap, graph) = open(writer, Modes::default());
    let reachable = graph.reachable();
    let has = |address| reachable.has(heap.find(address).expect("an object"));
    assert_eq!([GONE, 0x6000, MET].map(has), [false, true, true]);
    let parts: Vec<ThreadPart> = graph.threads()[0].frames.iter().map(|frame| frame.part).collect();
    assert_eq!(parts, [ThreadPart::Frame(1), ThreadPart::Own], "the top frame holds nothing");
}

#[test]
fn static_tables_of_the_runtime_hold_no_thread_of_the_program() {
    let keeps = |class: &str, field: &str| {
        let mut writer = measured();
        writer.class_with_statics(0x158, class, OBJECT_CLASS, &[(field, 0x5100)], &[]);
        writer.root(0x05, 0x158, &[]);
        writer.objects(0x5100, ARRAY, &[GONE]);
        reaches(writer, Modes::default()).contains(&GONE)
    };
    assert!(!keeps("io/weighbridge/runtime/probe/Stripes", "THREADS"));
    assert!(keeps("io/weighbridge/runtime/probe/Stripes", "STRIPES"));
    assert!(keeps("com/acme/Stripes", "THREADS"));
}

#[test]
fn a_component_that_the_program_names_has_its_bytes_while_a_walk_runs() {
    let mut writer = measured();
    writer.class(0x158, "java/lang/ref/Reference", OBJECT_CLASS, &[], &[("referent", OBJECT)]);
    writer.class(0x160, "java/lang/ref/WeakReference", 0x158, &[], &[]);
    writer.class(0x168, "io/weighbridge/runtime/record/ComponentNode", 0x160, &[], &[("name", OBJECT)]);
    writer.class(0x170, "java/lang/String", OBJECT_CLASS, &[], &[("value", OBJECT)]);
    let nodes = "io/weighbridge/runtime/record/ComponentNodes";
    writer.class_with_statics(0x178, nodes, OBJECT_CLASS, &[("NAMED", 0x7000)], &[]);
    (0x158..=0x178).step_by(8).for_each(|class| writer.root(0x05, class, &[]));
    writer.objects(0x7000, ARRAY, &[0x7100]);
    writer.instance(0x7100, 0x168, &[0x7200, HELD], &[]);
    writer.instance(0x7200, 0x170, &[0x7300], &[]);
    writer.bytes(0x7300, b"web");
    let (heap, graph) = open(writer, Modes::default());
    let reachable = graph.reachable();
    let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &[]).expect("the file");
    let figures = SemanticFigures::from_heap(&heap, &graph, &reachable, &assignment);
    let web = assignment.components().iter().position(|component| component.name == "web").expect("the component");
    assert_eq!((figures.instances[web], figures.semantic_bytes[web]), (1, 8 + 100), "the session and its data");
}

/// Whether a field of the runtime, declared in a line of Java, can hold an object or a class of the program.
fn can_hold(declared: &str) -> bool {
    let words: Vec<&str> = declared.split(|c: char| !c.is_alphanumeric()).collect();
    let of_program = ["Object", "Class", "Field", "Method", "Thread"];
    let weak = ["Reference", "WeakReference", "ReferenceQueue"];
    of_program.iter().any(|word| words.contains(word)) && !weak.iter().any(|word| words.contains(word))
}

/// Fields of the top classes of two packages; that of a nested class would have to be looked for.
#[test]
fn every_field_of_the_runtimes_walk_and_registry_that_can_hold_an_object_is_a_table() {
    let mut fields = Vec::new();
    for package in ["walk", "registry"] {
        let folder = root().join("runtime-java/runtime/src/main/java/io/weighbridge/runtime").join(package);
        for entry in std::fs::read_dir(folder).expect("the package") {
            let path = entry.expect("an entry").path();
            let class = path.file_stem().expect("a name").to_string_lossy().into_owned();
            for line in std::fs::read_to_string(&path).expect("a source").lines() {
                let declared = line.split(['=', ';']).next().unwrap_or_default().trim_end();
                let is_field = line.starts_with("    ") && !line.starts_with("     ") && line.ends_with(';');
                if is_field && !declared.contains('(') && can_hold(declared) {
                    let field = declared.rsplit(' ').next().expect("a name");
                    fields.push((format!("io/weighbridge/runtime/{package}/{class}"), field.to_owned()));
                }
            }
        }
    }
    assert!(fields.len() >= 9, "{fields:?}");
    for (class, field) in fields {
        let mut writer = Writer::new(FORMS[0]);
        writer.class(OBJECT_CLASS, "java/lang/Object", 0, &[], &[]);
        writer.class_with_statics(0x108, &class, OBJECT_CLASS, &[(&field, 0x1100)], &[(&field, OBJECT)]);
        writer.root(0x05, 0x108, &[]);
        writer.root(0x01, 0x1000, &[0, 0]);
        writer.instance(0x1000, 0x108, &[0x1100], &[]);
        writer.instance(0x1100, OBJECT_CLASS, &[], &[]);
        assert_eq!(reaches(writer, Modes::default()), [0x1000], "{class}.{field} is not among the tables");
    }
}
