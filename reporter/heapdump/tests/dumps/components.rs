//! Compares component figures with their definitions on random graphs, and tests rules on a dump.

use std::collections::HashMap;

use crate::random::{Random, seed};
use weighbridge_heapdump::components::{
    Assignment, AssignmentRule, Definition, Names, SemanticComponent, SemanticFigures, SemanticHolders, Suspend, Turn,
    evidence, sum_freed_weights,
};
use weighbridge_heapdump::{Graph, Heap, HeapOptions, NodeIndex, SizeModel};
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer, file};

fn weight(node: usize) -> u64 {
    1 + (node as u64 * 7) % 31
}

/// The nodes that the roots reach without some nodes.
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

/// The references of up to `most` nodes, and two roots.
fn random_graph(random: &mut Random, most: usize) -> (Vec<Vec<u32>>, [u32; 2]) {
    let nodes = 1 + random.below(most);
    let references = (0..nodes).map(|_| (0..random.below(4)).map(|_| random.below(nodes) as u32).collect()).collect();
    (references, [random.below(nodes) as u32, random.below(nodes) as u32])
}

/// The component of each node, or none: one of `parts` nodes has a component.
fn random_assignment(random: &mut Random, nodes: usize, components: usize, parts: usize) -> Vec<Option<usize>> {
    (0..nodes).map(|_| Some(random.below(components * parts)).filter(|at| *at < components)).collect()
}

/// Up to `most` components, some of them parts of others.
fn components(random: &mut Random, most: usize) -> Vec<SemanticComponent> {
    let suspend = [Suspend::Incoming, Suspend::Outgoing, Suspend::Both, Suspend::None];
    (0..1 + random.below(most))
        .map(|at| SemanticComponent {
            name: format!("component {at}"),
            parent: Some(random.below(at + 1)).filter(|parent| *parent < at && random.below(2) == 0),
            suspend: suspend[random.below(4)],
        })
        .collect()
}

fn is_part(components: &[SemanticComponent], component: usize, whole: usize) -> bool {
    std::iter::successors(Some(component), |at| components[*at].parent).any(|at| at == whole)
}

#[test]
fn true_bytes_are_what_would_be_freed_on_ten_thousand_random_graphs() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..10_000 {
        let (references, roots) = random_graph(&mut random, 24);
        let nodes = references.len();
        // Sometimes more components than one pass can distinguish.
        let components = components(&mut random, if case % 50 == 0 { 150 } else { 5 });
        let owners = random_assignment(&mut random, nodes, components.len(), 2);
        let graph = Graph::of_lists(&references, &roots);
        let assignment = Assignment::of_lists(components.clone(), &owners);
        let weigh = |node: usize| if node < nodes { weight(node) } else { 0 };
        let (sums, all) = sum_freed_weights(&graph, &assignment, |node| weigh(node.as_usize()));
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

/// The semantic graph by its definition: objects, then a node for each component, for all of them, and for the
/// framework. Returns the references of each, and the number of the node for all components; the framework's is the next.
fn semantic(
    references: &[Vec<u32>],
    roots: &[u32],
    components: &[SemanticComponent],
    owners: &[Option<usize>],
) -> (Vec<Vec<u32>>, usize) {
    let objects = references.len();
    let whole = reached(references, roots, &|_| false);
    let suspended = |from: Option<usize>, to: Option<usize>| {
        let into = to.is_some_and(|to| matches!(components[to].suspend, Suspend::Incoming | Suspend::Both));
        let out = from.is_some_and(|from| matches!(components[from].suspend, Suspend::Outgoing | Suspend::Both));
        from != to && (into || out)
    };
    let of = |component: usize| (objects + component) as u32;
    let application = objects + components.len();
    let framework = application + 1;
    let mut graph: Vec<Vec<u32>> = references.to_vec();
    for (from, list) in graph.iter_mut().enumerate() {
        list.retain(|to| !suspended(owners[from], owners[*to as usize]));
    }
    graph.extend(vec![Vec::new(); components.len() + 2]);
    for (number, component) in components.iter().enumerate() {
        graph[component.parent.map_or(application, |parent| of(parent) as usize)].push(of(number));
    }
    for object in (0..objects).filter(|object| whole[*object]) {
        if let Some(owner) = owners[object] {
            graph[of(owner) as usize].push(object as u32);
        }
    }
    graph[framework].extend(roots.iter().filter(|root| !suspended(None, owners[**root as usize])));
    // Objects that no path leads to any more are the framework's.
    let left = reached(&graph, &[application as u32, framework as u32], &|_| false);
    graph[framework].extend((0..objects as u32).filter(|object| whole[*object as usize] && !left[*object as usize]));
    (graph, application)
}

#[test]
fn semantic_bytes_are_what_only_paths_through_the_component_reach_on_ten_thousand_random_graphs() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..10_000 {
        let (references, roots) = random_graph(&mut random, 20);
        let nodes = references.len();
        let components = components(&mut random, 5);
        let owners = random_assignment(&mut random, nodes, components.len(), 2);
        let graph = Graph::of_lists(&references, &roots);
        let assignment = Assignment::of_lists(components.clone(), &owners);
        let weigh = |node: usize| if node < nodes { weight(node) } else { 0 };
        let figures = SemanticFigures::of_graph(&graph, &graph.reachable(), &assignment, |node| weigh(node.as_usize()));

        let (lists, application) = semantic(&references, &roots, &components, &owners);
        let top = [application as u32, application as u32 + 1];
        let whole = reached(&lists, &top, &|_| false);
        // For each node: the nodes on every path to it, including itself.
        let mut dominators: Vec<Vec<usize>> = vec![Vec::new(); lists.len()];
        let mut retained = vec![0; lists.len()];
        for gone in (0..lists.len()).filter(|node| whole[*node]) {
            let left = reached(&lists, &top, &|node| node == gone);
            for node in (0..lists.len()).filter(|node| whole[*node] && !left[*node]) {
                dominators[node].push(gone);
                retained[gone] += weigh(node);
            }
        }
        // All others dominate the nearest of them.
        let immediate = |node: usize| {
            let others = dominators[node].iter().filter(|other| **other != node);
            others.max_by_key(|other| dominators[**other].len()).copied()
        };
        let context = format!("seed {seed}, case {case}");
        assert_eq!(figures.semantic_bytes, retained[nodes..application], "{context}");
        assert_eq!(figures.application_bytes, retained[application], "{context}");
        assert_eq!(figures.framework_bytes, retained[application + 1], "{context}");
        let objects = (0..nodes).filter(|node| whole[*node]);
        let directly = |above: Option<usize>, assigned: bool| -> u64 {
            let below =
                objects.clone().filter(|node| immediate(*node) == above && (assigned || owners[*node].is_none()));
            below.map(|node| retained[node]).sum()
        };
        assert_eq!(figures.common_bytes, directly(None, true), "{context}");
        assert_eq!(figures.application_shared_bytes, directly(Some(application), true), "{context}");
        for (number, shared) in figures.shared_bytes.iter().enumerate() {
            let has_parts = components.iter().any(|component| component.parent == Some(number));
            let expected = if has_parts { directly(Some(nodes + number), false) } else { 0 };
            assert_eq!(*shared, expected, "{context}, component {number}");
            let own: Vec<usize> = objects.clone().filter(|node| owners[*node] == Some(number)).collect();
            assert_eq!(figures.instances[number], own.len() as u64, "{context}, component {number}");
            assert_eq!(figures.shallow_bytes[number], own.into_iter().map(weight).sum::<u64>(), "{context}");
        }
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
    Heap::open(file.path(), &HeapOptions { sizes: SizeModel::Raw, ..HeapOptions::default() }).expect("a dump")
}

fn classes(name: &str, pattern: &'static str) -> Definition {
    let rule = AssignmentRule {
        classes: Some(Box::new(move |class| class.starts_with(pattern))),
        ..AssignmentRule::default()
    };
    Definition { name: name.into(), rule, ..Definition::default() }
}

fn by_name(assignment: &Assignment, name: &str) -> usize {
    assignment.components().iter().position(|component| component.name == name).expect("the component")
}

#[test]
fn objects_of_several_components_are_at_their_common_level() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let definitions = [classes("shop.cache", "com.acme.cache."), classes("shop.web", "com.acme.web.")];
    let (assignment, nowhere) = Assignment::from_definitions(&heap, &reachable, &definitions).expect("the file");
    assert!(nowhere.is_empty());
    let names: Vec<&str> = assignment.components().iter().map(|component| component.name.as_str()).collect();
    assert_eq!(names, ["shop", "shop.cache", "shop.web"], "nobody defined shop");
    let figures = SemanticFigures::from_heap(&heap, &graph, &reachable, &assignment);
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
    let (sums, all) = sum_freed_weights(&graph, &assignment, |node| heap.node_bytes(node));
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
fn components_as_the_only_holders_have_what_no_other_leads_to_on_ten_thousand_random_graphs() {
    let seed = seed();
    let mut random = Random(seed);
    for case in 0..10_000 {
        let (references, roots) = random_graph(&mut random, 20);
        let nodes = references.len();
        let suspend = |n| [Suspend::Incoming, Suspend::Both][n];
        let components: Vec<SemanticComponent> = (0..1 + random.below(4))
            .map(|n| SemanticComponent { name: n.to_string(), parent: None, suspend: suspend(random.below(2)) })
            .collect();
        let owners = random_assignment(&mut random, nodes, components.len(), 3);
        let graph = Graph::of_lists(&references, &roots);
        let assignment = Assignment::of_lists(components.clone(), &owners)
            .with_holders(SemanticHolders::Components { weak: HashMap::new() });
        let weigh = |node: NodeIndex| if node.as_usize() < nodes { weight(node.as_usize()) } else { 0 };
        let figures = SemanticFigures::of_graph(&graph, &graph.reachable(), &assignment, weigh);

        let whole = reached(&references, &roots, &|_| false);
        let led_to: Vec<Vec<bool>> = (0..components.len())
            .map(|component| {
                let objects: Vec<u32> = (0..nodes as u32)
                    .filter(|at| whole[*at as usize] && owners[*at as usize] == Some(component))
                    .collect();
                let kept: Vec<Vec<u32>> = (0..nodes)
                    .map(|from| {
                        let out = owners[from].is_some_and(|owner| components[owner].suspend == Suspend::Both);
                        let follows = |to: &u32| match owners[*to as usize] {
                            Some(owner) => owners[from] == Some(owner),
                            None => !out,
                        };
                        references[from].iter().copied().filter(follows).collect()
                    })
                    .collect();
                reached(&kept, &objects, &|_| false)
            })
            .collect();
        for component in 0..components.len() {
            let alone = |at: &usize| (0..components.len()).all(|other| led_to[other][*at] == (other == component));
            let own: u64 = (0..nodes).filter(alone).map(weight).sum();
            assert_eq!(figures.semantic_bytes[component], own, "seed {seed}, case {case}, component {component}");
        }
        let all: u64 = (0..nodes).filter(|at| whole[*at]).map(weight).sum();
        assert_eq!(figures.application_bytes + figures.framework_bytes, all, "seed {seed}, case {case}");
    }
}

#[test]
fn class_objects_can_be_a_component_and_last_rules_take_what_no_other_took() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let cache = classes("cache", "com.acme.cache.");
    let rule = AssignmentRule { class_objects: true, ..AssignmentRule::default() };
    let statics = Definition { name: "statics".into(), rule, ..Definition::default() };
    let borders = |class: &str| ["com.acme.cache.Cache", "org.frame.Context"].contains(&class);
    let rule = AssignmentRule { instances: Some(Box::new(borders)), ..AssignmentRule::default() };
    let hubs = Definition { name: "hubs".into(), turn: Turn::Borders, rule, ..Definition::default() };
    let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &[hubs, cache, statics]).expect("the file");
    let (hubs, cache) = (by_name(&assignment, "hubs"), by_name(&assignment, "cache"));
    let figures = SemanticFigures::from_heap(&heap, &graph, &reachable, &assignment);
    assert_eq!((figures.instances[cache], figures.shallow_bytes[cache]), (2, 48), "two caches, no Class object");
    let class_objects = heap.objects().filter(|object| heap.class_object(*object).is_some() && reachable.has(*object));
    assert_eq!(figures.instances[by_name(&assignment, "statics")], class_objects.count() as u64);
    assert_eq!(figures.instances[hubs], 1, "the context alone");
}

#[test]
fn without_suspension_a_component_is_one_holder_among_others() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let mut definitions = [classes("cache", "com.acme.cache.")];
    definitions[0].suspend = Suspend::None;
    let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &definitions).expect("the file");
    let figures = SemanticFigures::from_heap(&heap, &graph, &reachable, &assignment);
    assert_eq!((figures.semantic_bytes[0], figures.shallow_bytes[0]), (0, 48), "the framework holds them too");
    assert!(evidence(&heap, &graph, &reachable, &assignment).iter().all(|row| !row.suspended));
    // Objects behind suspended references of a component are then the framework's.
    definitions[0].suspend = Suspend::Both;
    let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &definitions).expect("the file");
    let figures = SemanticFigures::from_heap(&heap, &graph, &reachable, &assignment);
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
        turn: Turn::Rules,
        rule: AssignmentRule {
            instances: Some(Box::new(|class| class == "com.acme.cache.Cache")),
            name_field: vec![name_field.into()],
            ..AssignmentRule::default()
        },
    };
    let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &[instances("name")]).expect("the file");
    let users = by_name(&assignment, "caches[users]");
    assert_eq!(assignment.component_of(heap.find(0x2000).unwrap()), Some(users));
    assert_eq!(assignment.components()[users].parent, Some(0));
    let figures = SemanticFigures::from_heap(&heap, &graph, &reachable, &assignment);
    assert_eq!(figures.semantic_bytes[users], 24 + 8 + 8 + 5);
    let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &[instances("entry")]).expect("the file");
    by_name(&assignment, "caches[0x2000]");
}

#[test]
fn nodes_that_the_program_made_need_no_rule_and_hold_nothing() {
    nodes_need_no_rule("io/weighbridge/runtime/record/ComponentNode");
}

#[test]
fn nodes_of_a_runtime_without_packages_are_found_too() {
    nodes_need_no_rule("io/weighbridge/runtime/ComponentNode");
}

fn nodes_need_no_rule(node_class: &str) {
    let mut writer = shop();
    let weak = "java/lang/ref/WeakReference";
    writer.class(0x180, "java/lang/ref/Reference", 0, &[], &[("referent", OBJECT)]);
    writer.class(0x188, weak, 0x180, &[], &[]);
    writer.class(0x190, node_class, 0x188, &[], &[("name", OBJECT)]);
    let nodes = [
        (0x7000, 0x3000, "web.session[10.0.0.1]"),
        (0x7100, 0x3100, "web.session[b]"),
        (0x7200, 0x2100, "shop.cache"),
        (0x7300, 0x5000, "garbage"),
        (0x7400, 0x2100, "zzz"),
        (0x7500, 0x2000, ""),
    ];
    for (node, held, name) in nodes {
        writer.instance(node, 0x190, &[node + 0x40, held], &[]);
        writer.root(0x01, node, &[0, 0]);
        writer.instance(node + 0x40, 0x120, &[node + 0x60], &[]);
        writer.bytes(node + 0x60, name.as_bytes());
    }
    // The node itself is garbage.
    writer.instance(0x8000, 0x190, &[0x7040, 0x1000], &[]);
    let (heap, graph) = raw(writer);
    let reachable = graph.reachable();
    assert!(!reachable.has(heap.find(0x5000).unwrap()), "a node keeps nothing");
    let mut web = classes("web", "com.acme.web.");
    web.suspend = Suspend::None;
    for (definitions, names) in [
        (vec![], vec!["shop", "shop.cache", "web", "web.session", "web.session[10.0.0.1]", "web.session[b]"]),
        (
            vec![web, classes("shop.cache", "com.acme.cache.")],
            vec!["web", "shop", "shop.cache", "web.session", "web.session[10.0.0.1]", "web.session[b]"],
        ),
    ] {
        let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &definitions).expect("the file");
        let owner = |address: u64| {
            let owner = assignment.component_of(heap.find(address).unwrap());
            owner.map(|owner| assignment.components()[owner].name.as_str())
        };
        let shown: Vec<_> = assignment.components().iter().map(|component| component.name.as_str()).collect();
        assert_eq!(shown, names);
        assert_eq!(owner(0x3000), Some("web.session[10.0.0.1]"), "before the rule of its class");
        assert_eq!(owner(0x2100), Some("shop.cache"), "the first by name");
        assert_eq!(owner(0x2000), (!definitions.is_empty()).then_some("shop.cache"), "a node without a name");
        assert_eq!((owner(0x1000), owner(0x5000)), (None, None));
        let (session, parent) = (by_name(&assignment, "web.session[b]"), by_name(&assignment, "web.session"));
        assert_eq!(assignment.components()[session].parent, Some(parent));
        let figures = SemanticFigures::from_heap(&heap, &graph, &reachable, &assignment);
        let (sums, _) = sum_freed_weights(&graph, &assignment, |node| heap.node_bytes(node));
        // The session of 16 bytes; its entry is the framework's or the cache's, too.
        assert_eq!((figures.semantic_bytes[session], sums[session]), (16, 16));
    }
}

#[test]
fn a_path_leads_from_a_class_through_fields() {
    let (heap, graph) = raw(shop());
    let reachable = graph.reachable();
    let path = |path: &str| {
        let rule = AssignmentRule { paths: vec![path.into()], ..AssignmentRule::default() };
        let definition = Definition { name: "at".into(), rule, ..Definition::default() };
        let (assignment, nowhere) = Assignment::from_definitions(&heap, &reachable, &[definition]).expect("the file");
        let owned = heap.objects().filter(|object| assignment.component_of(*object).is_some());
        (owned.map(|object| heap.address(object)).collect::<Vec<_>>(), nowhere)
    };
    assert_eq!(path("com.acme.web.Session.held.user"), (vec![0x4300], vec![]));
    assert_eq!(path("org.frame.Context.a.entry"), (vec![0x4000], vec![]));
    assert_eq!(path("org.frame.Context.x"), (vec![], vec!["org.frame.Context.x".into()]));
    assert_eq!(path("org.frame.Missing.x"), (vec![], vec!["org.frame.Missing.x".into()]));
}

/// Two sites, each with a map of pages; sessions that know their site; classes of which one is a prototype.
fn sites() -> Writer {
    let mut writer = Writer::new(FORMS[0]);
    writer.class(0x100, "java/lang/String", 0, &[], &[("value", OBJECT)]);
    writer.class(0x108, "com/acme/Site", 0, &[], &[("info", OBJECT), ("pages", OBJECT)]);
    writer.class(0x110, "com/acme/Info", 0, &[], &[("name", OBJECT), ("title", OBJECT)]);
    writer.class(0x118, "java/util/HashMap", 0, &[], &[("table", OBJECT), ("values", OBJECT)]);
    writer.class(0x120, "[Ljava/util/HashMap$Node;", 0, &[], &[]);
    let node = [("key", OBJECT), ("value", OBJECT), ("next", OBJECT)];
    writer.class(0x128, "java/util/HashMap$Node", 0, &[], &node);
    writer.class(0x130, "com/acme/Page", 0, &[], &[("kind", OBJECT), ("type", OBJECT)]);
    writer.class(0x138, "com/acme/Session", 0, &[], &[("site", OBJECT), ("id", OBJECT)]);
    writer.class(0x140, "com/acme/Draft", 0, &[], &[]);
    (0..9).for_each(|at| writer.root(0x05, 0x100 + 8 * at, &[]));
    let texts =
        [(0x9000, "shop"), (0x9100, ""), (0x9200, "blog"), (0x9300, "home"), (0x9400, "draft"), (0x9500, "s3cret")];
    for (string, text) in texts {
        writer.instance(string, 0x100, &[string + 0x40], &[]);
        writer.bytes(string + 0x40, text.as_bytes());
    }
    for (site, name, title) in [(0x1000, 0x9000, 0), (0x2000, 0x9100, 0x9200)] {
        writer.instance(site, 0x108, &[site + 0x10, site + 0x20], &[]);
        writer.root(0x01, site, &[0, 0]);
        writer.instance(site + 0x10, 0x110, &[name, title], &[]);
        writer.instance(site + 0x20, 0x118, &[site + 0x30, 0], &[]);
        writer.objects(site + 0x30, 0x120, &[0, site + 0x40]);
        // In one chain: a text, a key of another class, none.
        writer.instance(site + 0x40, 0x128, &[0x9300, site + 0x100, site + 0x50], &[]);
        writer.instance(site + 0x50, 0x128, &[site + 0x10, site + 0x110, site + 0x60], &[]);
        writer.instance(site + 0x60, 0x128, &[0, site + 0x120, 0], &[]);
        writer.instance(site + 0x100, 0x130, &[0x9400, 0x140], &[]);
        writer.instance(site + 0x110, 0x130, &[0x9300, 0x140], &[]);
        writer.instance(site + 0x120, 0x130, &[0, 0], &[]);
    }
    for (session, site) in [(0x3000, 0x1000), (0x3100, 0x2000), (0x3200, 0)] {
        writer.instance(session, 0x138, &[site, 0x9500], &[]);
        writer.root(0x01, session, &[0, 0]);
    }
    writer.instance(0x4000, 0x140, &[], &[]);
    writer.root(0x01, 0x4000, &[0, 0]);
    writer
}

fn rule(name: &str, rule: AssignmentRule) -> Definition {
    Definition { name: name.into(), rule, ..Definition::default() }
}

fn instances(class: &'static str) -> Option<Names> {
    Some(Box::new(move |name| name == class))
}

#[test]
fn rules_begin_at_nodes_and_make_nodes_below_them() {
    let (heap, graph) = raw(sites());
    let reachable = graph.reachable();
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let site = AssignmentRule {
        instances: instances("com.acme.Site"),
        name_field: text(&["info.name", "info.title"]),
        paths: text(&[".info"]),
        ..AssignmentRule::default()
    };
    let session = AssignmentRule {
        instances: instances("com.acme.Session"),
        within: Some("site".to_owned()),
        name_field: text(&["id"]),
        secret: true,
        ..AssignmentRule::default()
    };
    let draft = AssignmentRule {
        entries: text(&[".pages"]),
        only: vec![("kind".to_owned(), "draft".to_owned())],
        instances_of: text(&["type"]),
        ..AssignmentRule::default()
    };
    let page = AssignmentRule { entries: text(&[".pages"]), ..AssignmentRule::default() };
    let entry = AssignmentRule { paths: text(&[".pages.table[]"]), ..AssignmentRule::default() };
    // Parts may come before what they are parts of.
    let definitions = [
        rule("site.page", page),
        rule("site.session", session),
        rule("site.draft", draft),
        rule("site.entry", entry),
        rule("site", site),
    ];
    let (assignment, nowhere) = Assignment::from_definitions(&heap, &reachable, &definitions).expect("the file");
    assert!(nowhere.is_empty());
    let owner = |address: u64| {
        let owner = assignment.component_of(heap.find(address).expect("an object"));
        owner.map_or("", |owner| assignment.components()[owner].name.as_str())
    };
    let owners = |addresses: &[u64]| addresses.iter().map(|address| owner(*address)).collect::<Vec<_>>();
    assert_eq!(owners(&[0x1000, 0x1010, 0x2000]), ["site[shop]", "site[shop]", "site[blog]"], "an empty name is none");
    assert_eq!(
        owners(&[0x1100, 0x1110, 0x1120, 0x2100]),
        ["site[shop].page[home]", "site[shop].page[0x1110]", "site[shop].page[0x1120]", "site[blog].page[home]"]
    );
    // printf s3cret | sha256sum
    let secret = "1ec1c26b";
    assert_eq!(owner(0x3000), format!("site[shop].session[{secret}]"));
    assert_eq!(owner(0x3200), format!("site.session[{secret}]"), "of no site");
    assert_eq!(owners(&[0x4000, 0x1040, 0x1050]), ["site[shop].draft[home]", "site[shop].entry", ""]);
    let parent = |name: &str| {
        let parent = assignment.components()[by_name(&assignment, name)].parent.expect("a parent");
        assignment.components()[parent].name.as_str()
    };
    assert_eq!((parent("site[blog].page[home]"), parent("site[blog].page")), ("site[blog].page", "site[blog]"));
}

#[test]
fn a_later_turn_takes_what_is_left_and_has_no_component_without_objects() {
    let (heap, graph) = raw(sites());
    let reachable = graph.reachable();
    let later = |name: &str, class| {
        let rule = AssignmentRule {
            instances: instances(class),
            name_field: vec!["x".to_owned()],
            ..AssignmentRule::default()
        };
        Definition { name: name.into(), turn: Turn::Frameworks, rule, ..Definition::default() }
    };
    let user = classes("mine", "com.acme.Site");
    let definitions = [later("sites", "com.acme.Site"), later("pages", "com.acme.Info"), later("none", "x.Y"), user];
    let (assignment, _) = Assignment::from_definitions(&heap, &reachable, &definitions).expect("the file");
    let names: Vec<&str> = assignment.components().iter().map(|component| component.name.as_str()).collect();
    assert_eq!(names, ["mine", "pages", "pages[0x1010]", "pages[0x2010]"]);
}

#[test]
fn a_class_belongs_to_the_module_of_its_loader_that_has_its_package() {
    let mut writer = Writer::new(FORMS[0]);
    writer.class(0x100, "java/lang/String", 0, &[], &[("value", OBJECT)]);
    writer.class(0x108, "java/lang/Module", 0, &[], &[("loader", OBJECT), ("name", OBJECT), ("descriptor", OBJECT)]);
    writer.class(0x110, "java/lang/module/ModuleDescriptor", 0, &[], &[("packages", OBJECT)]);
    // An immutable set holds an array, a hash set a map of nodes.
    writer.class(0x118, "java/util/ImmutableCollections$SetN", 0, &[], &[("elements", OBJECT)]);
    writer.class(0x120, "[Ljava/lang/Object;", 0, &[], &[]);
    writer.class(0x128, "java/util/HashMap$Node", 0, &[], &[("key", OBJECT)]);
    writer.class(0x130, "com/acme/orders/Order", 0, &[0x2000], &[]);
    writer.class(0x138, "com/acme/orders/Order$Line", 0, &[0x2010], &[]);
    writer.class(0x140, "com/acme/stock/Item", 0, &[0x2020], &[]);
    writer.class(0x148, "com/acme/Main", 0, &[0x2030], &[]);
    (0..10).for_each(|at| writer.root(0x05, 0x100 + 8 * at, &[]));
    for (object, class) in [(0x2000, 0x130), (0x2010, 0x138), (0x2020, 0x140), (0x2030, 0x148)] {
        writer.instance(object, class, &[], &[]);
    }
    for (string, text) in
        [(0x3000, "shop.orders"), (0x3100, "com.acme.orders"), (0x3200, "shop.stock"), (0x3300, "com.acme.stock")]
    {
        writer.instance(string, 0x100, &[string + 0x40], &[]);
        writer.bytes(string + 0x40, text.as_bytes());
    }
    writer.instance(0x4000, 0x108, &[0, 0x3000, 0x4010], &[]);
    writer.instance(0x4010, 0x110, &[0x4020], &[]);
    writer.instance(0x4020, 0x118, &[0x4030], &[]);
    writer.objects(0x4030, 0x120, &[0, 0x3100]);
    writer.instance(0x5000, 0x108, &[0, 0x3200, 0x5010], &[]);
    writer.instance(0x5010, 0x110, &[0x5020], &[]);
    writer.instance(0x5020, 0x128, &[0x3300], &[]);
    // The unnamed module has neither a name nor a descriptor.
    writer.instance(0x6000, 0x108, &[0, 0, 0], &[]);
    let (heap, graph) = raw(writer);
    let of = |module: &'static str, pattern: Option<&'static str>| {
        let starts_with = |pattern: &'static str| -> Names { Box::new(move |name: &str| name.starts_with(pattern)) };
        let rule = AssignmentRule {
            modules: Some(Box::new(move |name| name == module)),
            classes: pattern.map(starts_with),
            ..AssignmentRule::default()
        };
        let definition = Definition { name: "of".into(), rule, ..Definition::default() };
        let (assignment, _) = Assignment::from_definitions(&heap, &graph.reachable(), &[definition]).expect("the file");
        let owned = heap.objects().filter(|object| assignment.component_of(*object).is_some());
        owned.map(|object| heap.address(object)).collect::<Vec<_>>()
    };
    assert_eq!(of("shop.orders", None), [0x130, 0x138, 0x2000, 0x2010], "and the Class objects");
    assert_eq!(of("shop.stock", None), [0x140, 0x2020]);
    assert_eq!(of("shop.orders", Some("com.acme.orders.Order$")), [0x138, 0x2010], "both must hold");
    assert!(of("shop.lost", None).is_empty());
}
