//! What components hold: semantic and true bytes, and which component keeps which alive.

use std::collections::HashMap;

use serde::Serialize;
use weighbridge_heapdump::components::{self, Assignment, CrossReferences, Definition, SemanticHolders};
use weighbridge_heapdump::{ClassIndex, Error, FollowSoft, Graph, Heap};

use super::soft::{self, OnlySoftly};
use super::{FORMAT, Facts};
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable, share};
use weighbridge_table::units::{bytes, count_with_noun};

/// The figures of the components of a dump.
#[derive(Debug, Clone, Serialize)]
pub struct HeapComponentReport {
    format: u32,
    dump: Facts,
    summary: HeapComponentSummary,
    /// Each before its parts.
    components: Vec<HeapComponentRow>,
    /// References between components, and from the framework to components.
    references: Vec<Reference>,
    /// Paths of the configuration that lead to no object.
    paths_to_nothing: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
struct HeapComponentSummary {
    reachable_bytes: u64,
    /// Used only by the application's components.
    application_bytes: u64,
    /// The part of these that several components at the top use and no rule assigns.
    application_shared_bytes: u64,
    /// Freed if the objects of all components were gone.
    application_true_bytes: u64,
    /// Used only by the framework.
    framework_bytes: u64,
    /// Used by both.
    common_bytes: u64,
}

/// One component.
#[derive(Debug, Clone, Serialize)]
pub struct HeapComponentRow {
    /// Its whole name.
    pub component: String,
    /// How many components are above it.
    pub depth: usize,
    /// Objects that a rule assigned to it, without those of its parts.
    pub instances: u64,
    /// Their bytes.
    pub shallow_bytes: u64,
    /// Bytes under it in the semantic tree, including those of its parts.
    pub semantic_bytes: u64,
    /// Bytes that would be freed if its objects and those of its parts were gone.
    pub true_bytes: u64,
    /// Semantic bytes that several of its parts use and no rule assigns.
    pub shared_bytes: u64,
    /// Its objects that only soft references hold.
    pub softly_held_instances: u64,
    /// Their bytes.
    pub softly_held_bytes: u64,
    classes: Vec<Share>,
}

#[derive(Debug, Clone, Serialize)]
struct Share {
    class: String,
    instances: u64,
    shallow_bytes: u64,
    semantic_bytes: u64,
    assigned: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Reference {
    /// `null` for the framework.
    from: Option<String>,
    /// `null` for threads and the virtual machine.
    from_class: Option<String>,
    to: Option<String>,
    to_class: String,
    references: u64,
    objects: u64,
    shallow_bytes: u64,
    suspended: bool,
}

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Levels of components; 1 shows those at the top.
    pub depth: usize,
    /// Classes of each component, the largest first.
    pub classes: usize,
}

impl HeapComponentReport {
    /// Assigns objects by the definitions and computes the sums. With `as_recorded`, components are the only holders, and it
    /// says whether soft references hold. Objects that only soft references keep alive are included in any case.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_graph(
        heap: &Heap,
        graph: &Graph,
        facts: Facts,
        definitions: &[Definition],
        as_recorded: Option<FollowSoft>,
    ) -> Result<Self, Error> {
        let reachable = graph.reachable();
        let (assignment, nowhere) = Assignment::from_definitions(heap, &reachable, definitions)?;
        let assignment = assignment.with_holders(match as_recorded {
            None => SemanticHolders::All,
            Some(FollowSoft::Strong) => SemanticHolders::Components { weak: HashMap::new() },
            Some(FollowSoft::Weak) => SemanticHolders::Components { weak: soft::referents(heap)? },
        });
        let references = components::evidence(heap, graph, &reachable, &assignment);
        let (held, all_held) = components::sum_freed_weights(graph, &assignment, |node| heap.node_bytes(node));
        let figures = components::SemanticFigures::from_heap(heap, graph, &reachable, &assignment);
        let only_softly = OnlySoftly::from_graph(heap, graph, &facts)?;
        let mut softly_held = vec![(0, 0); assignment.components().len()];
        for object in heap.objects().filter(|object| only_softly.has(*object)) {
            if let Some(number) = assignment.component_of(object) {
                let (instances, bytes) = &mut softly_held[number];
                *instances += 1;
                *bytes += heap.bytes(object);
            }
        }
        let name = |class: ClassIndex| heap.classes().get(class).name.clone();
        let component = |number: Option<usize>| number.map(|number| assignment.components()[number].name.clone());
        let row = |(number, described): (usize, &components::SemanticComponent)| HeapComponentRow {
            component: described.name.clone(),
            depth: std::iter::successors(described.parent, |at| assignment.components()[*at].parent).count(),
            instances: figures.instances[number],
            shallow_bytes: figures.shallow_bytes[number],
            semantic_bytes: figures.semantic_bytes[number],
            true_bytes: held[number],
            shared_bytes: figures.shared_bytes[number],
            softly_held_instances: softly_held[number].0,
            softly_held_bytes: softly_held[number].1,
            classes: figures.classes[number]
                .iter()
                .map(|share| Share {
                    class: name(share.class),
                    instances: share.instances,
                    shallow_bytes: share.shallow_bytes,
                    semantic_bytes: share.semantic_bytes,
                    assigned: share.assigned,
                })
                .collect(),
        };
        let reference = |row: &CrossReferences| Reference {
            from: component(row.from),
            from_class: row.from_class.map(name),
            to: component(row.to),
            to_class: name(row.to_class),
            references: row.references,
            objects: row.objects,
            shallow_bytes: row.bytes,
            suspended: row.suspended,
        };
        let summary = HeapComponentSummary {
            reachable_bytes: figures.application_bytes + figures.framework_bytes + figures.common_bytes,
            application_bytes: figures.application_bytes,
            application_shared_bytes: figures.application_shared_bytes,
            application_true_bytes: all_held,
            framework_bytes: figures.framework_bytes,
            common_bytes: figures.common_bytes,
        };
        let order = in_order(&assignment, &figures.semantic_bytes);
        let rows = order.into_iter().map(|number| row((number, &assignment.components()[number])));
        Ok(HeapComponentReport {
            format: FORMAT,
            dump: facts,
            summary,
            components: rows.collect(),
            references: references.iter().map(reference).collect(),
            paths_to_nothing: nowhere,
        })
    }

    /// The components, each before its parts; of siblings the one with most semantic bytes first.
    pub fn components(&self) -> &[HeapComponentRow] {
        &self.components
    }

    /// About the dump.
    pub fn dump(&self) -> &Facts {
        &self.dump
    }

    /// Bytes of all reachable objects.
    pub fn reachable_bytes(&self) -> u64 {
        self.summary.reachable_bytes
    }

    /// Paths of the configuration that lead to no object.
    pub fn paths_to_nothing(&self) -> &[String] {
        &self.paths_to_nothing
    }

    /// As tables.
    pub fn sheet(&self, extent: Extent) -> Sheet {
        let HeapComponentSummary { reachable_bytes: all, .. } = self.summary;
        let summary = &self.summary;
        let mut lines = self.dump.lines();
        lines.extend([
            format!("{} reachable", bytes(all)),
            format!(
                "application: {} under its components, of these {} shared by several; {} would be freed with all their \
                 objects",
                share(summary.application_bytes, all),
                bytes(summary.application_shared_bytes),
                bytes(summary.application_true_bytes)
            ),
            format!("framework: {}", share(summary.framework_bytes, all)),
            format!("used by both: {}", share(summary.common_bytes, all)),
        ]);
        // There are few such objects in most dumps.
        let softly = self.components.iter().any(|row| row.softly_held_instances > 0);
        let (levels, mut rows): (Vec<usize>, Vec<Vec<SheetCell>>) = self.rows(extent).into_iter().unzip();
        let mut head = vec!["component", "semantic", "true", "objects", "their bytes", "shared by parts"];
        if softly {
            head.push("held only softly");
        } else {
            rows.iter_mut().for_each(|row| row.truncate(head.len()));
        }
        let tree = SheetTable {
            title: "Components".to_owned(),
            lines: vec![
                "semantic: under the component, references from others into its objects left out as configured"
                    .to_owned(),
                "true: exactly what would be freed if its objects were gone".to_owned(),
            ],
            head,
            rows,
            levels,
            none: "no component is defined",
            may_be_cut: false,
            ..SheetTable::default()
        };
        let references = SheetTable {
            title: "What keeps components alive".to_owned(),
            lines: vec![format!(
                "references into objects of a component, {}",
                count_with_noun(self.references.len() as u64, "pair of classes", "pairs of classes")
            )],
            head: vec!["from", "to", "references", "objects", "their bytes", "suspended"],
            rows: self.references.iter().map(Reference::cells).collect(),
            none: "nothing but their own objects refers to them",
            may_be_cut: true,
            ..SheetTable::default()
        };
        Sheet { title: "Heap by component", lines, tables: vec![tree, references] }
    }

    /// Components and, below each, its classes and its parts, all with their levels.
    fn rows(&self, extent: Extent) -> Vec<(usize, Vec<SheetCell>)> {
        let mut rows = Vec::new();
        for row in self.components.iter().filter(|row| row.depth < extent.depth) {
            let cells = vec![
                SheetCell::text(&row.component),
                SheetCell::Bytes(row.semantic_bytes),
                SheetCell::Bytes(row.true_bytes),
                SheetCell::Count(row.instances),
                SheetCell::Bytes(row.shallow_bytes),
                SheetCell::Bytes(row.shared_bytes),
                SheetCell::Bytes(row.softly_held_bytes),
            ];
            rows.push((row.depth, cells));
            for share in row.classes.iter().take(extent.classes) {
                let name = if share.assigned { share.class.clone() } else { format!("(uses) {}", share.class) };
                let cells = vec![
                    SheetCell::text(&name),
                    SheetCell::Bytes(share.semantic_bytes),
                    SheetCell::Nothing,
                    SheetCell::Count(share.instances),
                    SheetCell::Bytes(share.shallow_bytes),
                    SheetCell::Nothing,
                    SheetCell::Nothing,
                ];
                rows.push((row.depth + 1, cells));
            }
        }
        rows
    }
}

impl Reference {
    fn cells(&self) -> Vec<SheetCell> {
        let side = |component: &Option<String>, class: Option<&str>| {
            let component = component.as_deref().unwrap_or("(framework)");
            format!("{component}: {}", class.unwrap_or("(threads, virtual machine)"))
        };
        vec![
            SheetCell::text(side(&self.from, self.from_class.as_deref())),
            SheetCell::text(side(&self.to, Some(&self.to_class))),
            SheetCell::Count(self.references),
            SheetCell::Count(self.objects),
            SheetCell::Bytes(self.shallow_bytes),
            SheetCell::text(if self.suspended { "yes" } else { "no" }),
        ]
    }
}

/// The numbers of the components in the order of the tree.
fn in_order(assignment: &Assignment, semantic: &[u64]) -> Vec<usize> {
    let components = assignment.components();
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); components.len()];
    let mut open = Vec::new();
    for (number, component) in components.iter().enumerate() {
        match component.parent {
            Some(parent) => parts[parent].push(number),
            None => open.push(number),
        }
    }
    // `pop` takes the last one first.
    let order = |numbers: &mut Vec<usize>| numbers.sort_by_key(|at| (semantic[*at], std::cmp::Reverse(*at)));
    order(&mut open);
    let mut all = Vec::new();
    while let Some(number) = open.pop() {
        all.push(number);
        order(&mut parts[number]);
        open.append(&mut parts[number]);
    }
    all
}
