//! What chosen classes hold, on random graphs against one search for each row, component and tag.

use std::collections::{BTreeMap, HashMap};

use weighbridge_heapdump::measured::{Belongs, ChosenFigures, ClassMembership, Links, OfComponent, OfRow, walk};
use weighbridge_heapdump::{Graph, NodeIndex};

use crate::random::{Random, seed};

const ROWS: u32 = 5;
const COMPONENTS: u32 = 3;
const TAGS: u32 = 2;

/// A small heap: what its objects refer to, what they are, and which has tags.
struct Heap {
    references: Vec<Vec<u32>>,
    kinds: Vec<ClassMembership>,
    tags: Vec<Option<u32>>,
    /// Of some objects: references that their row does not follow.
    unlisted: HashMap<u32, Vec<u32>>,
    belongs: Belongs,
}

/// To whom an object can belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Row(u32),
    /// The last is that of rows without a component.
    Component(u32),
    Tag(u32),
}

impl Heap {
    fn random(random: &mut Random) -> Heap {
        let objects = 2 + random.below(40);
        let belongs = Belongs {
            rows: (0..ROWS).map(|row| (row != 2).then_some(row % COMPONENTS)).collect(),
            components: COMPONENTS,
            tags: TAGS,
        };
        let kind = |random: &mut Random| match random.below(12) {
            0..4 => {
                let row = random.below(ROWS as usize) as u32;
                let component = belongs.rows[row as usize];
                ClassMembership {
                    row: Some(row),
                    is_chosen: true,
                    component,
                    is_hub: random.below(9) == 0,
                    is_skipped: false,
                }
            }
            4 => ClassMembership { is_chosen: true, ..ClassMembership::default() },
            5 => ClassMembership {
                component: Some(random.below(COMPONENTS as usize) as u32),
                ..ClassMembership::default()
            },
            6 => ClassMembership { is_hub: true, ..ClassMembership::default() },
            7 => ClassMembership { is_skipped: true, ..ClassMembership::default() },
            _ => ClassMembership::default(),
        };
        let kinds: Vec<ClassMembership> = (0..objects).map(|_| kind(random)).collect();
        let list =
            |random: &mut Random| -> Vec<u32> { (0..random.below(4)).map(|_| random.below(objects) as u32).collect() };
        let references: Vec<Vec<u32>> = (0..objects).map(|_| list(random)).collect();
        let tag = |random: &mut Random| (random.below(3) == 0).then(|| random.below(TAGS as usize) as u32);
        let tags = kinds.iter().map(|kind| tag(random).filter(|_| kind.row.is_some())).collect();
        let mut unlisted = HashMap::new();
        for (at, _) in kinds.iter().enumerate().filter(|(_, kind)| kind.row == Some(3)) {
            unlisted.insert(at as u32, list(random));
        }
        Heap { references, kinds, tags, unlisted, belongs }
    }

    fn bytes(&self, object: u32) -> u64 {
        8 * (u64::from(object) % 7 + 1)
    }

    fn measure(&self) -> ChosenFigures {
        let roots: Vec<u32> = (0..self.kinds.len() as u32).filter(|object| object % 5 != 4).collect();
        let mut all = self.references.clone();
        for (object, unlisted) in &self.unlisted {
            all[*object as usize].extend(unlisted);
        }
        let graph = Graph::of_lists(&all, &roots);
        let nodes: Vec<NodeIndex> = graph.nodes().collect();
        let to = |list: &[u32]| list.iter().map(|object| nodes[*object as usize]).collect();
        let links = self.unlisted.iter().map(|(object, unlisted)| {
            let followed = to(&self.references[*object as usize]);
            (nodes[*object as usize], Links { followed, unlisted: to(unlisted) })
        });
        let number = |node: NodeIndex| node.as_usize() as u32;
        walk(
            &graph,
            &graph.reachable(),
            &self.belongs,
            |node| self.kinds[node.as_usize()],
            |node| self.tags[node.as_usize()],
            &links.collect(),
            |node| (self.bytes(number(node)), u64::from(number(node) % 3 == 0)),
        )
    }

    /// What the root reaches, whatever is skipped on the way.
    fn reachable(&self) -> Vec<bool> {
        let starts = (0..self.kinds.len() as u32).filter(|object| object % 5 != 4);
        self.search(starts.collect(), |_, _| true)
    }

    /// All objects at the ends of paths whose steps may be taken; those at the start are among them.
    fn search(&self, starts: Vec<u32>, may: impl Fn(u32, (u32, bool)) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.kinds.len()];
        let mut open = starts;
        open.iter().for_each(|object| seen[*object as usize] = true);
        while let Some(object) = open.pop() {
            let listed = self.references[object as usize].iter().map(|to| (*to, true));
            let unlisted = self.unlisted.get(&object).into_iter().flatten().map(|to| (*to, false));
            for step in listed.chain(unlisted) {
                if !seen[step.0 as usize] && may(object, step) {
                    seen[step.0 as usize] = true;
                    open.push(step.0);
                }
            }
        }
        seen
    }

    /// For each object the rows that reach it.
    fn deep(&self) -> Vec<Vec<u32>> {
        let reachable = self.reachable();
        let mut deep = vec![Vec::new(); self.kinds.len()];
        for row in 0..ROWS {
            let of_row = |object: &u32| self.is_of(*object, row) && reachable[*object as usize];
            let may = |from: u32, (to, listed): (u32, bool)| {
                !self.kinds[to as usize].is_skipped && (listed || self.kinds[from as usize].row != Some(row))
            };
            let seen = self.search((0..self.kinds.len() as u32).filter(of_row).collect(), may);
            (0..seen.len()).filter(|object| seen[*object]).for_each(|object| deep[object].push(row));
        }
        deep
    }

    fn is_of(&self, object: u32, row: u32) -> bool {
        self.kinds[object as usize].row == Some(row)
    }

    fn belongs_to(&self, object: u32, owner: Owner) -> bool {
        let kind = self.kinds[object as usize];
        match owner {
            Owner::Row(row) => kind.row == Some(row),
            Owner::Component(COMPONENTS) => kind.is_chosen && kind.component.is_none(),
            Owner::Component(component) => kind.component == Some(component),
            Owner::Tag(tag) => self.tags[object as usize] == Some(tag),
        }
    }

    /// For each object those that hold it themselves.
    fn own(&self, deep: &[Vec<u32>]) -> Vec<Vec<Owner>> {
        let owners = (0..ROWS).map(Owner::Row).chain((0..=COMPONENTS).map(Owner::Component));
        let mut own = vec![Vec::new(); self.kinds.len()];
        for owner in owners.chain((0..TAGS).map(Owner::Tag)) {
            let is_component = matches!(owner, Owner::Component(_));
            let starts = |object: &u32| !deep[*object as usize].is_empty() && self.belongs_to(*object, owner);
            let may = |_: u32, (to, listed): (u32, bool)| {
                let kind = self.kinds[to as usize];
                let enters = if is_component { kind.component.is_none() } else { !kind.is_chosen };
                listed && enters && !kind.is_hub && !kind.is_skipped
            };
            let seen = self.search((0..self.kinds.len() as u32).filter(starts).collect(), may);
            (0..seen.len()).filter(|object| seen[*object]).for_each(|object| own[object].push(owner));
        }
        own
    }

    fn figures(&self) -> ChosenFigures {
        let deep = self.deep();
        let own = self.own(&deep);
        let mut figures = ChosenFigures {
            rows: vec![OfRow::default(); ROWS as usize],
            components: vec![OfComponent::default(); COMPONENTS as usize + 1],
            tags: BTreeMap::new(),
            ..ChosenFigures::default()
        };
        for object in (0..self.kinds.len()).filter(|object| !deep[*object].is_empty()) {
            let (bytes, outside) = (self.bytes(object as u32), u64::from(object % 3 == 0));
            (figures.objects, figures.bytes) = (figures.objects + 1, figures.bytes + bytes);
            figures.off_heap_bytes += outside;
            if let Some(row) = self.kinds[object].row {
                figures.rows[row as usize].objects += 1;
                figures.rows[row as usize].shallow_bytes += bytes;
            }
            for row in &deep[object] {
                let of_row = &mut figures.rows[*row as usize];
                of_row.deep_objects += 1;
                of_row.deep_bytes += bytes;
                of_row.off_heap_bytes += outside;
                of_row.exclusive_bytes += if deep[object].len() == 1 { bytes } else { 0 };
            }
            let component = |row: &u32| self.belongs.rows[*row as usize].unwrap_or(COMPONENTS) as usize;
            let mut components: Vec<usize> = deep[object].iter().map(component).collect();
            components.sort_unstable();
            components.dedup();
            figures.shared_once_bytes += if components.len() > 1 { bytes } else { 0 };
            for component in &components {
                let of_component = &mut figures.components[*component];
                of_component.deep_bytes += bytes;
                of_component.off_heap_bytes += outside;
                of_component.exclusive_bytes += if components.len() == 1 { bytes } else { 0 };
            }
            let rows: Vec<usize> = own[object]
                .iter()
                .filter_map(|owner| if let Owner::Row(row) = owner { Some(*row as usize) } else { None })
                .collect();
            for row in &rows {
                let of_row = &mut figures.rows[*row];
                *(if rows.len() == 1 { &mut of_row.own_bytes } else { &mut of_row.own_shared_bytes }) += bytes;
            }
            let of_component =
                |owner: &Owner| if let Owner::Component(component) = owner { Some(*component) } else { None };
            let mut components: Vec<u32> = own[object].iter().filter_map(of_component).collect();
            if components.len() > 1 {
                components.retain(|component| *component != COMPONENTS);
            }
            for component in &components {
                let held = &mut figures.components[*component as usize];
                *(if components.len() == 1 { &mut held.own_bytes } else { &mut held.own_shared_bytes }) += bytes;
            }
            let of_tag = |owner: &Owner| if let Owner::Tag(tag) = owner { Some(*tag) } else { None };
            let tags: Vec<u32> = own[object].iter().filter_map(of_tag).collect();
            if !tags.is_empty() {
                *figures.tags.entry(tags).or_default() += bytes;
            }
        }
        figures
    }
}

#[test]
fn figures_are_those_of_one_search_for_each_row_component_and_tag() {
    let mut random = Random(seed());
    for round in 0..3_000 {
        let heap = Heap::random(&mut random);
        let mut measured = heap.measure();
        // What is split evenly is told by the others.
        let even: u64 = measured.components.iter().map(|component| component.shared_even_bytes).sum();
        assert_eq!(even, measured.shared_once_bytes, "{round}");
        measured.components.iter_mut().for_each(|component| component.shared_even_bytes = 0);
        assert_eq!(measured, heap.figures(), "{round}");
        let exclusive: u64 = measured.components.iter().map(|component| component.exclusive_bytes).sum();
        assert_eq!(exclusive + measured.shared_once_bytes, measured.bytes, "{round}");
    }
}

#[test]
fn of_more_rows_than_a_label_has_none_holds_what_all_lead_to_and_each_has_its_own() {
    // 70 objects of a class each that share one array, and each has one of its own.
    let rows = 70_u32;
    let shared = 2 * rows;
    let mut references: Vec<Vec<u32>> = (0..rows).map(|row| vec![rows + row, shared]).collect();
    references.resize(shared as usize + 1, Vec::new());
    let graph = Graph::of_lists(&references, &(0..rows).collect::<Vec<_>>());
    let belongs = Belongs { rows: vec![None; rows as usize], components: 0, tags: 0 };
    let kind = |node: NodeIndex| match node.as_usize() as u32 {
        row if row < rows => ClassMembership { row: Some(row), is_chosen: true, ..ClassMembership::default() },
        _ => ClassMembership::default(),
    };
    let figures = walk(&graph, &graph.reachable(), &belongs, kind, |_| None, &HashMap::new(), |_| (1, 0));
    let of_row = OfRow {
        objects: 1,
        shallow_bytes: 1,
        own_bytes: 2,
        own_shared_bytes: 0,
        deep_bytes: 3,
        deep_objects: 3,
        exclusive_bytes: 2,
        off_heap_bytes: 0,
    };
    assert_eq!(figures.rows, vec![of_row; rows as usize]);
    assert_eq!((figures.bytes, figures.components[0].own_bytes), (u64::from(shared) + 1, u64::from(shared) + 1));
}
