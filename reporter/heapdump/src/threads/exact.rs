//! What only a frame, a thread or several threads hold, exactly, by dominance.
//!
//! The graph has a node for all threads, below it one for each thread, and below each thread one for each of its frames
//! (and one for what the thread itself holds: its fields, its thread locals). What a node dominates is freed when it
//! ends. If several frames of a thread reach an object, the thread dominates it; if several threads reach it, the node
//! for all threads does. If anything else reaches it, none of these does: globals need no subtraction.

use std::collections::HashMap;

use super::{FrameHolding, Shared, SharedHolding, Usage, developed};

const NONE: u32 = u32::MAX;

/// A graph's dominator tree. Nodes are numbered so that each comes after its immediate dominator.
pub trait Dominance {
    /// How many nodes there are.
    fn nodes(&self) -> u32;

    /// The immediate dominator of a node other than the first.
    fn dominator(&self, node: u32) -> u32;

    /// Bytes of a node and of everything that it dominates.
    fn retained(&self, node: u32) -> u64;

    /// Calls `visit` with source and target of every reference, in any order; a reference may come twice.
    fn each_reference(&self, visit: &mut dyn FnMut(u32, u32));
}

/// Each frame is a unit, and so is each object whose immediate dominator is a thread or all threads. Every node that a
/// unit's first node dominates belongs to the unit.
///
/// A node's immediate dominator dominates everything that refers to the node. So only the first node of a unit is
/// referred to from other units, and the references between units are known from the first nodes alone.
pub struct Exact {
    /// The node of every unit: rows first, then the frame-shared, then the thread-shared.
    nodes: Vec<u32>,
    bytes: Vec<u64>,
    rows: u32,
    frame_shared: u32,
    /// The units to which unit `u` refers are at `starts[u]..starts[u + 1]`.
    refers: Vec<u32>,
    starts: Vec<u32>,
    /// The thread of each row and of each frame-shared unit; the set of threads of each thread-shared unit.
    held_by: Vec<u32>,
    sets: Sets,
    /// The thread-shared bytes of each set of threads that has any.
    groups: Vec<(u32, u64)>,
    proprietary: Vec<u64>,
}

/// Sets of threads, each stored once.
#[derive(Default)]
struct Sets {
    members: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
    unions: HashMap<(u32, u32), u32>,
}

impl Sets {
    fn number(&mut self, members: Vec<u32>) -> u32 {
        if let Some(&number) = self.numbers.get(&members) {
            return number;
        }
        let number = self.members.len() as u32;
        self.members.push(members.clone());
        self.numbers.insert(members, number);
        number
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == NONE {
            return a;
        }
        if a == NONE {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&union) = self.unions.get(&key) {
            return union;
        }
        let mut members = self.members[a as usize].clone();
        members.extend(&self.members[b as usize]);
        members.sort_unstable();
        members.dedup();
        let union = self.number(members);
        self.unions.insert(key, union);
        union
    }
}

impl Exact {
    /// `all` is the node for all threads; `threads` has the node of each thread and those of its frames.
    ///
    /// Time and memory grow with the nodes (8 bytes each meanwhile) and with the shared units.
    pub fn from_tree(tree: &impl Dominance, all: u32, threads: &[(u32, Vec<u32>)]) -> Exact {
        let units = Units::from_tree(tree, all, threads);
        let edges = units.references(tree);
        let mut starts = vec![0; units.nodes.len() + 1];
        for &(from, _) in &edges {
            starts[from as usize + 1] += 1;
        }
        for unit in 1..starts.len() {
            starts[unit] += starts[unit - 1];
        }
        let bytes = units.nodes.iter().map(|&node| tree.retained(node)).collect();
        let proprietary = threads.iter().map(|&(node, _)| tree.retained(node)).collect();
        let refers = edges.into_iter().map(|(_, to)| to).collect();
        let Units { nodes, held_by, rows, frame_shared, .. } = units;
        let (sets, groups) = (Sets::default(), Vec::new());
        let mut exact = Exact { nodes, bytes, rows, frame_shared, refers, starts, held_by, sets, groups, proprietary };
        exact.own();
        exact.group();
        exact
    }

    /// Gives each thread-shared unit the set of threads that reach it.
    fn own(&mut self) {
        let first = (self.rows + self.frame_shared) as usize;
        let mut open: Vec<u32> = (0..first as u32).collect();
        let mut waits = vec![true; self.nodes.len()];
        waits[first..].fill(false);
        while let Some(unit) = open.pop() {
            waits[unit as usize] = false;
            let held_by = self.held_by[unit as usize];
            let mine = if (unit as usize) < first { self.sets.number(vec![held_by]) } else { held_by };
            for at in self.starts[unit as usize]..self.starts[unit as usize + 1] {
                let to = self.refers[at as usize] as usize;
                if to < first {
                    continue;
                }
                let union = self.sets.union(self.held_by[to], mine);
                if union != self.held_by[to] {
                    self.held_by[to] = union;
                    if !std::mem::replace(&mut waits[to], true) {
                        open.push(to as u32);
                    }
                }
            }
        }
    }

    /// The numbers of rows, frame-shared entries and thread-shared entries.
    pub fn counts(&self) -> [u32; 3] {
        [self.rows, self.frame_shared, self.nodes.len() as u32 - self.rows - self.frame_shared]
    }

    /// A frame's row; rows are in the order of the threads.
    pub fn row(&self, row: u32) -> FrameHolding {
        FrameHolding { bytes: self.bytes[row as usize], refers: self.referred(row) }
    }

    /// A frame-shared entry; its root is a node of the tree. The first entry has the most bytes.
    pub fn frame_shared(&self, id: u32) -> SharedHolding {
        self.entry(self.rows + id)
    }

    /// The thread of a frame-shared entry.
    pub fn thread(&self, id: u32) -> u32 {
        self.held_by[(self.rows + id) as usize]
    }

    /// A thread-shared entry; its root is a node of the tree. The first entry has the most bytes.
    pub fn thread_shared(&self, id: u32) -> SharedHolding {
        self.entry(self.rows + self.frame_shared + id)
    }

    /// The threads that reach a thread-shared entry, in ascending order: two or more.
    pub fn threads_of(&self, id: u32) -> &[u32] {
        &self.sets.members[self.held_by[(self.rows + self.frame_shared + id) as usize] as usize]
    }

    fn entry(&self, unit: u32) -> SharedHolding {
        SharedHolding { root: self.nodes[unit as usize], bytes: self.bytes[unit as usize], refers: self.referred(unit) }
    }

    fn referred(&self, unit: u32) -> Shared {
        let mut shared = Shared::default();
        for at in self.starts[unit as usize]..self.starts[unit as usize + 1] {
            let to = self.refers[at as usize] - self.rows;
            match to.checked_sub(self.frame_shared) {
                None => shared.frame.push(to),
                Some(id) => shared.thread.push(id),
            }
        }
        shared
    }

    /// Every entry that the given ones reach, themselves included.
    pub fn developed(&self, from: &Shared) -> Shared {
        developed(from, |by_threads, id| self.referred(self.rows + id + if by_threads { self.frame_shared } else { 0 }))
    }

    /// The bytes of every thread, in their order.
    pub fn usage(&self) -> Vec<Usage> {
        let mut usage: Vec<Usage> =
            self.proprietary.iter().map(|&proprietary| Usage { proprietary, shared: 0 }).collect();
        for (threads, bytes) in self.groups() {
            for &thread in threads {
                usage[thread as usize].shared += bytes;
            }
        }
        usage
    }

    /// The thread-shared bytes by exact set of threads, each byte in one set.
    pub fn groups(&self) -> impl Iterator<Item = (&[u32], u64)> {
        self.groups.iter().map(|&(set, bytes)| (self.sets.members[set as usize].as_slice(), bytes))
    }

    fn group(&mut self) {
        let mut bytes = vec![0; self.sets.members.len()];
        for unit in (self.rows + self.frame_shared) as usize..self.nodes.len() {
            bytes[self.held_by[unit] as usize] += self.bytes[unit];
        }
        self.groups = (0..).zip(bytes).filter(|&(_, bytes)| bytes > 0).collect();
    }

    /// What is freed when exactly these threads end, each byte once. Shared is what several of them hold and no other
    /// thread does. `threads` are in ascending order.
    pub fn release(&self, threads: &[u32]) -> Usage {
        let within = |sharing: &[u32]| sharing.iter().all(|thread| threads.binary_search(thread).is_ok());
        Usage {
            proprietary: threads.iter().map(|&thread| self.proprietary[thread as usize]).sum(),
            shared: self.groups().filter(|(sharing, _)| within(sharing)).map(|(_, bytes)| bytes).sum(),
        }
    }

    /// What a thread adds to those that run: what it holds alone, and what it shares with none of them.
    pub fn growth(&self, thread: u32, running: &[u32]) -> u64 {
        let new = |sharing: &[u32]| sharing.contains(&thread) && !sharing.iter().any(|other| running.contains(other));
        self.proprietary[thread as usize]
            + self.groups().filter(|(sharing, _)| new(sharing)).map(|(_, bytes)| bytes).sum::<u64>()
    }

    /// At most `most` threads whose end frees much, by greedy choice: each time the one that adds most to what the chosen
    /// ones free. Ends early if no thread frees more. It is not always the best set: two threads that share much and
    /// hold little alone are found only after one of them is chosen.
    pub fn best(&self, most: usize) -> Vec<u32> {
        let mut chosen = Vec::new();
        while chosen.len() < most {
            let mut adds = self.proprietary.clone();
            for (threads, bytes) in self.groups() {
                let mut rest = threads.iter().filter(|thread| !chosen.contains(*thread));
                if let (Some(&last), None) = (rest.next(), rest.next()) {
                    adds[last as usize] += bytes;
                }
            }
            let best = (0..self.proprietary.len() as u32)
                .filter(|thread| !chosen.contains(thread))
                .max_by_key(|&thread| (adds[thread as usize], std::cmp::Reverse(thread)));
            match best {
                Some(thread) if adds[thread as usize] > 0 => chosen.push(thread),
                _ => break,
            }
        }
        chosen
    }
}

/// Number of pairs of units from which duplicates are removed.
const FEW_PAIRS: usize = 1 << 16;

/// Which node belongs to which unit.
struct Units {
    nodes: Vec<u32>,
    held_by: Vec<u32>,
    rows: u32,
    frame_shared: u32,
    /// Per node; [`NONE`] for nodes that no thread holds.
    unit: Vec<u32>,
}

impl Units {
    fn from_tree(tree: &impl Dominance, all: u32, threads: &[(u32, Vec<u32>)]) -> Units {
        let thread_of: HashMap<u32, u32> = threads.iter().zip(0..).map(|((node, _), thread)| (*node, thread)).collect();
        let mut nodes = Vec::new();
        let mut held_by = Vec::new();
        let mut unit = vec![NONE; tree.nodes() as usize];
        for (thread, (_, frames)) in threads.iter().enumerate() {
            for &frame in frames {
                unit[frame as usize] = nodes.len() as u32;
                nodes.push(frame);
                held_by.push(thread as u32);
            }
        }
        let rows = nodes.len() as u32;
        let mut by_frames = Vec::new();
        let mut by_threads = Vec::new();
        for node in 1..tree.nodes() {
            let dominator = tree.dominator(node);
            if dominator == all && !thread_of.contains_key(&node) {
                by_threads.push((node, NONE));
            } else if unit[node as usize] == NONE
                && let Some(&thread) = thread_of.get(&dominator)
            {
                by_frames.push((node, thread));
            }
        }
        let frame_shared = by_frames.len() as u32;
        for mut shared in [by_frames, by_threads] {
            shared.sort_by_key(|&(node, _)| std::cmp::Reverse(tree.retained(node)));
            for (node, thread) in shared {
                unit[node as usize] = nodes.len() as u32;
                nodes.push(node);
                held_by.push(thread);
            }
        }
        for node in 1..tree.nodes() {
            if unit[node as usize] == NONE {
                unit[node as usize] = unit[tree.dominator(node) as usize];
            }
        }
        Units { nodes, held_by, rows, frame_shared, unit }
    }

    /// Pairs of units: the first refers to the second. Sorted, each once.
    fn references(&self, tree: &impl Dominance) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        // Millions of references may lead to one class: duplicates are removed whenever the list has doubled.
        let mut room = FEW_PAIRS;
        tree.each_reference(&mut |from, to| {
            let (from, unit) = (self.unit[from as usize], self.unit[to as usize]);
            if from != unit && from != NONE && unit != NONE && unit >= self.rows && self.nodes[unit as usize] == to {
                pairs.push((from, unit));
                if pairs.len() == room {
                    pairs.sort_unstable();
                    pairs.dedup();
                    room = FEW_PAIRS.max(2 * pairs.len());
                }
            }
        });
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
