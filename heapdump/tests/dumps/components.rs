//! Component figures against their definitions on random graphs, and rules on a dump.

use crate::random::{Random, seed};
use weighbridge_heapdump::components::{Assignment, Component, Definition, Figures, Rule, Suspend, evidence, held};
use weighbridge_heapdump::{Graph, Heap, Options, SizeModel};
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer, file};

fn weight(node: usize) -> u64 {
    1 + (node as u64 * 7) % 31
}

/// What the roots reach without some nodes.
fn reached(references: &[Vec<u32>], roots: &[u32], gone: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let mut seen = vec![false; references.len()];
    let mut open: Vec<u32> = roots.to_vec();
    while let Some(node) = open.pop() {
        if !gone(node as usize) && !std::mem::replace(&mut seen[node as usize], true) {
            open.extend(&references[node as usize]);
        }
    }
    seen
}

/// Up to `most` components, some of them parts of others.
fn components(random: &mut Random, most: usize) -> Vec<Component> {
    let suspend = [Suspend::Incoming, Suspend::Outgoing, Suspend::Both, Suspend::None];
    (0..1 + random.below(most))
        .map(|at| Component {
            name: format!("component {at}"),
            parent: Some(random.below(at + 1)).filter(|parent| *parent < at && random.below(2) == 0),
            suspend: suspend[random.below(4)],
        })
        .collect()
}

fn is_part(components: &[Component], component: usize, whole: usize) -> bool {
    std::iter::successors(Some(component), |at| components[*at].parent).any(|at| at == whole)
}

#[test]
fn true_bytes_are_what_would_be_freed_on_ten_thousand_random_graphs() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..10_000 {
        let nodes = 1 + random.below(24);
        let references: Vec<Vec<u32>> =
            (0..nodes).map(|_| (0..random.below(4)).map(|_| random.below(nodes) as u32).collect()).collect();
        let roots = [random.below(nodes) as u32, random.below(nodes) as u32];
        // Now and then more components than one pass tells apart.
        let components = components(&mut random, if case % 50 == 0 { 150 } else { 5 });
        let owners: Vec<Option<usize>> =
            (0..nodes).map(|_| Some(random.below(components.len() * 2)).filter(|at| *at < components.len())).collect();
        let graph = Graph::of_lists(&references, &roots);
        let assignment = Assignment::of_lists(components.clone(), &owners);
        let weigh = |node: usize| if node < nodes { weight(node) } else { 0 };
        let (sums, all) = held(&graph, &assignment, |node| weigh(node.as_usize()));
        let whole = reached(&references, &roots, &|_| false);
        let freed = |gone: &dyn Fn(usize) -> bool| {
            let left = reached(&references, &roots, gone);
            (0..nodes).filter(|node| whole[*node] && !left[*node]).map(weight).sum::<u64>()
        };
        for (component, sum) in sums.iter().enumerate() {
            let gone = |node: usize| owners[node].is_some_and(|owner| is_part(&components, owner, component));
            assert_eq!(*sum, freed(&gone), "seed {seed}, case {case}, component {component}");
        }
        assert_eq!(all, freed(&|node| owners[node].is_some()), "seed {seed}, case {case}");
    }
}

/// Two caches share an entry, a session shares one with the framework.
fn shop() -> Writer {
    let mut writer = Writer::new(FORMS[0]);
    writer.class(0x100, "com/acme/cache/Cache", 0, &[], &[("name", OBJECT), ("entry", OBJECT), ("shared", OBJECT)]);
    writer.class(0x108, "com/acme/web/Session", 0, &[0x3000], &[("user", OBJECT), ("shared", OBJECT)]);
    writer.class(0x110, "org/frame/Context", 0, &[], &[("a", OBJECT), ("b", OBJECT), ("c", OBJECT), ("d", OBJECT)]);
    writer.class(0x118, "com/acme/Entry", 0, &[], &[("value", OBJECT)]);
    writer.class(0x120, "java/lang/String", 0, &[], &[("value", OBJECT)]);
    [0x100, 0x108, 0x110, 0x118, 0x120].into_iter().for_each(|class| writer.root(0x05, class, &[]));
    writer.instance(0x1000, 0x110, &[0x2000, 0x2100, 0x3100, 0x4400], &[]);
    writer.root(0x01, 0x1000, &[0, 0]);
    writer.instance(0x2000, 0x100, &[0x6000, 0x4000, 0x4200], &[]);
    writer.instance(0x2100, 0x100, &[0x6100, 0x4100, 0x4200], &[]);
    writer.instance(0x3000, 0x108, &[0x4300, 0x4400], &[]);
    writer.instance(0x3100, 0x108, &[0, 0x4200], &[]);
    [0x4000, 0x4100, 0x4200, 0x4300, 0x4400].into_iter().for_each(|entry| writer.instance(entry, 0x118, &[0], &[]));
    writer.instance(0x5000, 0x108, &[0, 0], &[]);
    for (string, text) in [(0x6000, "users"), (0x6100, "items")] {
        writer.instance(string, 0x120, &[string + 0x40], &[]);
        writer.bytes(string + 0x40, text.as_bytes());
    }
    writer
}

fn raw(writer: Writer) -> (Heap, Graph) {
    let file = file(&writer.finish());
    Heap::open(file.path(), &Options { sizes: SizeModel::Raw, ..Options::default() }).expect("a dump")
}

fn classes(name: &str, pattern: &'static str) -> Definition {
    let rule = Rule { classes: Some(Box::new(move |class| class.starts_with(pattern))), ..Rule::default() };
    Definition { name: name.into(), suspend: Suspend::Incoming, rule }
}

fn by_name(assignment: &Assignment, name: &str) -> usize {
    assignment.components().iter().position(|component| component.name == name).expect("the component")
}

#[test]
fn what_several_components_use_stands_at_their_common_level() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let definitions = [classes("shop.cache", "com.acme.cache."), classes("shop.web", "com.acme.web.")];
    let (assignment, nowhere) = Assignment::of(&heap, &reachable, &definitions).expect("the file");
    assert!(nowhere.is_empty());
    let names: Vec<&str> = assignment.components().iter().map(|component| component.name.as_str()).collect();
    assert_eq!(names, ["shop", "shop.cache", "shop.web"], "nobody defined shop");
    let figures = Figures::of(&heap, &graph, &reachable, &assignment);
    let (shop, cache, web) = (0, 1, 2);
    // Two caches of 24 bytes and their Class object; two reachable sessions of 16 and a Class object of 8.
    assert_eq!((figures.instances[cache], figures.shallow_bytes[cache]), (3, 48));
    assert_eq!((figures.instances[web], figures.shallow_bytes[web]), (3, 40), "the third session is garbage");
    assert_eq!(figures.instances[shop], 0);
    // Two entries of 8, two strings of 8 with 5 bytes each.
    assert_eq!(figures.semantic_bytes[cache], 48 + 16 + 26);
    assert_eq!(figures.semantic_bytes[web], 40 + 8);
    // The entry 0x4200 of both.
    assert_eq!((figures.shared_bytes[shop], figures.semantic_bytes[shop]), (8, 90 + 48 + 8));
    assert_eq!((figures.application_bytes, figures.application_shared_bytes), (146, 0));
    // The entry 0x4400 of a session and the framework; the context has 32.
    assert_eq!((figures.common_bytes, figures.framework_bytes), (8, 32));
    let (sums, all) = held(&graph, &assignment, |node| heap.node_bytes(node));
    assert_eq!(sums, [146, 90, 48]);
    assert_eq!(all, 146);
    let rows = evidence(&heap, &graph, &reachable, &assignment);
    let name = |class| heap.classes().get(class).name.as_str();
    let into_cache: Vec<_> = rows
        .iter()
        .filter(|row| row.to == Some(cache))
        .map(|row| (row.from, row.from_class.map(name), name(row.to_class), row.references, row.objects, row.bytes))
        .collect();
    assert_eq!(into_cache[0], (None, Some("org.frame.Context"), "com.acme.cache.Cache", 2, 2, 48));
    assert!(rows.iter().all(|row| row.suspended));
}

#[test]
fn without_suspension_a_component_is_one_holder_among_others() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let mut definitions = [classes("cache", "com.acme.cache.")];
    definitions[0].suspend = Suspend::None;
    let (assignment, _) = Assignment::of(&heap, &reachable, &definitions).expect("the file");
    let figures = Figures::of(&heap, &graph, &reachable, &assignment);
    assert_eq!((figures.semantic_bytes[0], figures.shallow_bytes[0]), (0, 48), "the framework holds them too");
    assert!(evidence(&heap, &graph, &reachable, &assignment).iter().all(|row| !row.suspended));
    // What is suspended from a component's side is the framework's then.
    definitions[0].suspend = Suspend::Both;
    let (assignment, _) = Assignment::of(&heap, &reachable, &definitions).expect("the file");
    let figures = Figures::of(&heap, &graph, &reachable, &assignment);
    assert_eq!(figures.semantic_bytes[0], 48);
    let total = figures.application_bytes + figures.framework_bytes + figures.common_bytes;
    let all: u64 = heap.objects().filter(|object| reachable.has(*object)).map(|object| heap.bytes(object)).sum();
    assert_eq!(total, all);
}

#[test]
fn instances_become_nodes_named_by_a_field() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let instances = |name_field: &str| Definition {
        name: "caches".into(),
        suspend: Suspend::Incoming,
        rule: Rule {
            instances: Some(Box::new(|class| class == "com.acme.cache.Cache")),
            name_field: Some(name_field.into()),
            ..Rule::default()
        },
    };
    let (assignment, _) = Assignment::of(&heap, &reachable, &[instances("name")]).expect("the file");
    let users = by_name(&assignment, "caches[users]");
    assert_eq!(assignment.owner(heap.find(0x2000).unwrap()), Some(users));
    assert_eq!(assignment.components()[users].parent, Some(0));
    let figures = Figures::of(&heap, &graph, &reachable, &assignment);
    assert_eq!(figures.semantic_bytes[users], 24 + 8 + 8 + 5);
    let (assignment, _) = Assignment::of(&heap, &reachable, &[instances("entry")]).expect("the file");
    by_name(&assignment, "caches[0x2000]");
}

#[test]
fn a_path_leads_from_a_class_through_fields() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let path = |path: &str| {
        let rule = Rule { paths: vec![path.into()], ..Rule::default() };
        let definition = Definition { name: "at".into(), suspend: Suspend::Incoming, rule };
        let (assignment, nowhere) = Assignment::of(&heap, &reachable, &[definition]).expect("the file");
        let owned = heap.objects().filter(|object| assignment.owner(*object).is_some());
        (owned.map(|object| heap.address(object)).collect::<Vec<_>>(), nowhere)
    };
    assert_eq!(path("com.acme.web.Session.held.user"), (vec![0x4300], vec![]));
    assert_eq!(path("org.frame.Context.a.entry"), (vec![0x4000], vec![]));
    assert_eq!(path("org.frame.Context.x"), (vec![], vec!["org.frame.Context.x".into()]));
    assert_eq!(path("org.frame.Missing.x"), (vec![], vec!["org.frame.Missing.x".into()]));
}
