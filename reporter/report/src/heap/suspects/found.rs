//! Runs the searches, and says in words what each found.

use weighbridge_heapdump::suspects::accumulation::{self, Accumulation, Things};
use weighbridge_heapdump::suspects::finalizers;
use weighbridge_heapdump::suspects::groups::{self, Group};
use weighbridge_heapdump::suspects::loaders;
use weighbridge_heapdump::suspects::locals::{self, ThreadLocalValues};
use weighbridge_heapdump::suspects::{COMMON_PERCENT, Thresholds, Weighed};
use weighbridge_heapdump::waste::{Collections, Waste};
use weighbridge_heapdump::{Error, Graph, GraphNode, NodeSet, ObjectIndex, Preorder};

use super::super::Facts;
use super::super::names::{Namer, address, class_of};
use super::super::path::PathStep;
use super::super::soft::{OnlySoftly, Soft};
use super::commands::Commands;
use super::duplicates;
use super::holder::{HolderFinder, held_by};
use super::suspect::{Contained, Suspect, percent};
use weighbridge_table::sheet::share;
use weighbridge_table::units::{bytes, count, count_with_noun};

/// Classes that are named of what is in a suspect, and class names of a loader.
pub(super) const NAMED: usize = 3;
/// Objects of a group whose holders are named one by one.
const EACH_HELD: usize = 6;

const RETAINED: &str =
    "retained bytes of the dominator tree: what would be freed with it, exact for the references that are followed";
pub(super) const GROUP: &str =
    "the sum of what each of them retains; no byte is counted twice, what several of them hold together is in none";

/// What the searches need.
pub(super) struct Finder<'a> {
    pub(super) weighed: Weighed<'a>,
    pub(super) holders: HolderFinder<'a>,
    pub(super) commands: Commands,
    thresholds: Thresholds,
    pub(super) soft_bytes: u64,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        weighed: Weighed<'a>,
        graph: &'a Graph,
        facts: &Facts,
        thresholds: Thresholds,
    ) -> Result<Self, Error> {
        let soft_bytes = Soft::from_tree(weighed.heap, weighed.tree, facts)?.bytes(weighed.tree, weighed.retained);
        let holders = HolderFinder {
            graph,
            names: Namer::new(weighed.heap, graph)?,
            only_softly: OnlySoftly::from_graph(weighed.heap, graph, facts)?,
            paths: weighbridge_heapdump::paths::ShortestPaths::from_graph(graph),
        };
        Ok(Finder { weighed, holders, commands: Commands::from_facts(facts), thresholds, soft_bytes })
    }

    /// All suspects, those with the most bytes first.
    pub(super) fn all(&self, waste: &Waste, reachable: &NodeSet) -> Result<Vec<Suspect>, Error> {
        let weighed = self.weighed;
        let all = weighed.reachable_bytes();
        let (held, wasted) = (self.thresholds.retained(all), self.thresholds.wasted(all));
        let mut suspects = Vec::new();
        let mut told = Vec::new();
        let locals = locals::find(weighed, held)?;
        let redacted = duplicates::is_redacted(waste);
        let unused = waste.collections.iter().filter(|row| !redacted && row.empty_bytes + row.sparse_bytes >= wasted);
        let unused: Vec<&Collections> = unused.collect();
        for found in accumulation::find(weighed, held) {
            // A table that is mostly free slots is told as a collection, the value of a thread local as such.
            let is_unused = found.own_bytes >= held && !unused.is_empty() && self.is_in(&found, &unused);
            let is_local = locals.iter().any(|local| self.is_below(found.preorder, local.largest));
            if !is_unused && !is_local {
                suspects.push(self.accumulation(&found)?);
                told.push(found.preorder);
            }
        }
        told.extend(locals.iter().filter_map(|local| weighed.tree.number_of(local.largest.into())));
        suspects.extend(self.threads(held, &told));
        for group in groups::find(weighed, self.holders.graph, held) {
            suspects.push(self.group(&group)?);
        }
        for values in &locals {
            suspects.push(self.thread_local(values)?);
        }
        for copies in loaders::find(weighed, wasted)? {
            suspects.push(self.loaders(&copies)?);
        }
        for row in unused {
            suspects.push(self.collections(row)?);
        }
        if waste.strings.saved_bytes >= wasted && !redacted {
            suspects.push(self.strings(&waste.strings)?);
        }
        let arrays = duplicates::with_values(weighed.heap, &waste.arrays)?;
        if arrays.saved_bytes >= wasted && !redacted {
            suspects.push(self.arrays(&arrays)?);
        }
        if let Some(backlog) = finalizers::find(weighed.heap, self.holders.graph, reachable, wasted)? {
            suspects.push(self.finalizers(&backlog));
        }
        if self.soft_bytes >= held {
            suspects.push(self.soft());
        }
        suspects.sort_by_key(|suspect| std::cmp::Reverse(suspect.bytes));
        Ok(suspects)
    }

    fn is_in(&self, found: &Accumulation, unused: &[&Collections]) -> bool {
        let worst = unused.iter().filter_map(|row| self.weighed.tree.number_of(row.worst?.0.into()));
        worst.into_iter().any(|worst| self.weighed.dominators_above(found.preorder).next() == Some(worst))
    }

    fn is_below(&self, preorder: Preorder, object: ObjectIndex) -> bool {
        let object = self.weighed.tree.number_of(object.into());
        object == Some(preorder) || self.weighed.dominators_above(preorder).any(|above| Some(above) == object)
    }

    pub(super) fn blank(&self, kind: &'static str, bytes: u64, computed: &'static str) -> Suspect {
        Suspect {
            kind,
            title: String::new(),
            bytes,
            share_percent: percent(bytes, self.weighed.reachable_bytes()),
            object: None,
            class: None,
            held_by: None,
            contains: Vec::new(),
            explanation: Vec::new(),
            computed,
            path: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Sets the object of a suspect: its address, class, path and commands.
    pub(super) fn set_object(&self, suspect: &mut Suspect, object: ObjectIndex, path: Vec<PathStep>) {
        let heap = self.weighed.heap;
        let (at, class) = (address(heap, object), class_of(heap, object));
        let commands = ["path", "object"].map(|verb| self.commands.object_command(verb, Some(&at), &class));
        suspect.next.extend(commands.into_iter().flatten());
        suspect.held_by = held_by(&path);
        suspect.path = path;
        (suspect.object, suspect.class) = (Some(at), Some(class));
    }

    fn contained(&self, things: &[Things]) -> Vec<Contained> {
        let name = |things: &Things| self.weighed.heap.classes().get(things.class).name.clone();
        let contained =
            |things: &Things| Contained { class: name(things), objects: things.objects, retained_bytes: things.bytes };
        let all: u64 = things.iter().map(|things| things.bytes).sum();
        things.iter().take(NAMED).filter(|things| things.bytes >= all / 100).map(contained).collect()
    }

    fn accumulation(&self, found: &Accumulation) -> Result<Suspect, Error> {
        let mut suspect = self.blank("accumulation", found.retained_bytes, RETAINED);
        let all = self.weighed.reachable_bytes();
        let what = match self.weighed.object(found.preorder) {
            Some(object) => {
                let path = self.holders.path(&[object], 100)?;
                self.set_object(&mut suspect, object, path);
                format!("One {}", suspect.class.as_deref().unwrap_or_default())
            }
            None => {
                suspect.kind = "thread";
                suspect.next.push(self.commands.whole("threads"));
                self.name(found.preorder)
            }
        };
        suspect.contains = self.contained(&found.things);
        suspect.title = format!("{what} retains {}", share(found.retained_bytes, all));
        suspect.explanation.extend(suspect.held_by.iter().map(|by| format!("held by {by}")));
        let thread = self
            .weighed
            .dominators_above(found.preorder)
            .find(|above| matches!(self.weighed.tree.node(*above), GraphNode::Thread(_) | GraphNode::Frame(..)));
        suspect.explanation.extend(thread.map(|thread| format!("nothing but {} holds it", self.name(thread))));
        if found.own_bytes * 2 >= found.retained_bytes {
            suspect.explanation.push(format!("{} are its own: its elements or slots", bytes(found.own_bytes)));
        } else {
            suspect.explanation.push(format!(
                "memory accumulates in it: the largest object directly below it retains {}",
                bytes(found.largest_below_bytes)
            ));
        }
        suspect.explanation.extend(contents(&suspect.contains));
        Ok(suspect)
    }

    fn name(&self, preorder: Preorder) -> String {
        self.holders.names.node(self.weighed.tree.index(preorder))
    }

    fn group(&self, group: &Group) -> Result<Suspect, Error> {
        let mut suspect = self.blank("group", group.things.bytes, GROUP);
        let all = self.weighed.reachable_bytes();
        let path = self.holders.path(&group.objects, COMMON_PERCENT)?;
        let largest = group.objects.first().copied();
        if let Some(largest) = largest {
            self.set_object(&mut suspect, largest, path);
        }
        let class = suspect.class.clone().unwrap_or_default();
        suspect.next = self.commands.object_command("path", None, &class).into_iter().collect();
        suspect.title = format!(
            "{} of {class} retain {}",
            count_with_noun(group.things.objects, "object", "objects"),
            share(suspect.bytes, all)
        );
        let tree = self.weighed.tree;
        let numbers = group.objects.iter().filter_map(|object| tree.number_of((*object).into()));
        let mut above = numbers.map(|number| tree.node(tree.immediate(number)));
        suspect.explanation.push(match above.all(|node| matches!(node, GraphNode::Thread(_) | GraphNode::Frame(..))) {
            true => "nothing holds them all: each is held by a thread of its own".to_owned(),
            false => "nothing holds them all alone: each is held by several objects".to_owned(),
        });
        match suspect.path.last() {
            Some(last) => {
                let passes = format!("the paths to {COMMON_PERCENT} % of them or more pass {}", last.name);
                suspect.explanation.push(passes);
            }
            None => {
                suspect.explanation.push("their paths from the roots have nothing in common".to_owned());
                suspect.explanation.extend(self.each_held(group)?);
            }
        }
        suspect.contains = self.contained(&[group.things]);
        suspect.held_by = suspect.path.last().map(|row| row.name.clone());
        Ok(suspect)
    }

    /// What holds the largest objects of a group, one by one.
    fn each_held(&self, group: &Group) -> Result<Vec<String>, Error> {
        let mut sentences = Vec::new();
        for object in group.objects.iter().take(EACH_HELD) {
            let held = held_by(&self.holders.path(&[*object], 100)?);
            let retained = self.weighed.tree.number_of((*object).into()).map(|it| self.weighed.retained[it.as_usize()]);
            if let (Some(held), Some(retained)) = (held, retained) {
                let at = address(self.weighed.heap, *object);
                sentences.push(format!("{at} retains {}, held by {held}", bytes(retained)));
            }
        }
        let others = group.objects.len().saturating_sub(sentences.len());
        if others > 0 && !sentences.is_empty() {
            sentences.push(format!("and {} more", count(others as u64)));
        }
        Ok(sentences)
    }

    fn thread_local(&self, values: &ThreadLocalValues) -> Result<Suspect, Error> {
        let mut suspect = self.blank("thread_local", values.bytes, GROUP);
        let all = self.weighed.reachable_bytes();
        let class = self.weighed.heap.classes().get(values.class).name.clone();
        let path = self.holders.path(&[values.largest], 100)?;
        self.set_object(&mut suspect, values.largest, path);
        let key = match values.key {
            Some(key) => {
                suspect.held_by = held_by(&self.holders.path(&[key], 100)?);
                let held = suspect.held_by.clone().unwrap_or_else(|| "nothing strong".to_owned());
                format!("{} that {held} holds", class_of(self.weighed.heap, key))
            }
            None => "thread locals that are gone".to_owned(),
        };
        suspect.title = format!("The values of one thread local retain {}: {key}", share(values.bytes, all));
        if values.key.is_none() {
            suspect.title = format!("Values of {key} retain {}", share(values.bytes, all));
        }
        let threads: Vec<String> = values
            .threads
            .iter()
            .take(NAMED)
            .map(|(thread, bytes_of)| format!("{} ({})", self.holders.names.thread(*thread), bytes(*bytes_of)))
            .collect();
        suspect.explanation.push(format!(
            "{} of {class} or the like, in {}, such as {}",
            count_with_noun(values.values, "value", "values"),
            count_with_noun(values.threads.len() as u64, "thread", "threads"),
            threads.join(", ")
        ));
        suspect.explanation.push("a thread keeps its value until remove() is called, or the thread ends".to_owned());
        suspect.contains = vec![Contained { class, objects: values.values, retained_bytes: values.bytes }];
        suspect.next.push(self.commands.whole("threads"));
        Ok(suspect)
    }

    /// Threads that hold much in many different things.
    fn threads(&self, least: u64, told: &[Preorder]) -> Vec<Suspect> {
        let weighed = self.weighed;
        let mut suspects = Vec::new();
        for thread in weighed.tree.threads() {
            let Some(preorder) = weighed.tree.number_of(thread.node) else { continue };
            let bytes_of = weighed.retained[preorder.as_usize()];
            let inside =
                |told: &Preorder| *told == preorder || weighed.dominators_above(*told).any(|above| above == preorder);
            if bytes_of < least || told.iter().any(inside) {
                continue;
            }
            let mut suspect = self.blank("thread", bytes_of, RETAINED);
            suspect.title = format!("{} retains {}", self.name(preorder), share(bytes_of, weighed.reachable_bytes()));
            suspect.explanation.push("in many different objects".to_owned());
            let parts = thread.frames.iter().filter_map(|part| weighed.tree.number_of(part.node));
            let largest = parts.max_by_key(|part| weighed.retained[part.as_usize()]);
            suspect.explanation.extend(largest.map(|part| {
                format!("most of it by {}: {}", self.name(part), bytes(weighed.retained[part.as_usize()]))
            }));
            suspect.held_by = largest.map(|part| self.name(part));
            suspect.next.push(self.commands.whole("threads"));
            suspects.push(suspect);
        }
        suspects
    }
}

/// What is in a suspect, as a sentence.
fn contents(contains: &[Contained]) -> Option<String> {
    let one =
        |things: &Contained| format!("{} {} ({})", count(things.objects), things.class, bytes(things.retained_bytes));
    (!contains.is_empty()).then(|| format!("in it: {}", contains.iter().map(one).collect::<Vec<_>>().join(", ")))
}
