//! An oracle: the tables of S0 as its text defines them (P0.1-P0.3, S0.12-S0.37), for comparison with the exact ones.
//!
//! Three consequences of the definition are kept on purpose (N0.2, N0.4). An object keeps its first type even if its holder
//! becomes shared later, so bytes may be counted twice. The order of the frames decides which bytes. A frame-shared entry
//! below a thread-shared one is in no column of the release table. The text does not say how a cycle ends; here each row
//! and entry visits an object once (N0.5).

use std::collections::{BTreeSet, HashMap};

use weighbridge_heapdump::threads::{FrameHolding, Shared, SharedHolding, Usage, developed};

/// A graph of things that hold each other: the objects of a heap dump.
pub trait References {
    /// The number of things; they are numbered from 0.
    fn objects(&self) -> usize;

    /// The bytes of one thing by itself.
    fn bytes(&self, object: u32) -> u64;

    /// Calls `visit` for each reference of a thing, in the order of its fields or elements.
    fn each_reference(&self, object: u32, visit: &mut dyn FnMut(u32));
}

/// A stack frame of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The thread's number.
    pub thread: u32,
    /// The objects that its variables hold, each once.
    pub roots: Vec<u32>,
}

/// S0.17: the type of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reached from no frame.
    Unanalyzed,
    /// Reached from one frame, as far as the tracing saw.
    Necessary,
    /// Reached from several frames of one thread.
    FrameSharing,
    /// Reached from several threads.
    ThreadSharing,
}

/// The three tables of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The type of every object.
    pub kinds: Vec<Kind>,
    /// The frame that reached an object first, for necessary and shared objects.
    pub first_frame: Vec<Option<u32>>,
    /// One for each frame.
    pub rows: Vec<FrameHolding>,
    /// Roots of type [`Kind::FrameSharing`].
    pub frame_shared: Vec<SharedHolding>,
    /// Roots of type [`Kind::ThreadSharing`].
    pub thread_shared: Vec<SharedHolding>,
    threads: Vec<u32>,
}

/// Classifies the objects and fills the tables.
///
/// Objects for which `skip` is true are never entered: objects that a static, a class loader or native code holds, which
/// the text forgets (N0.3). Time grows with the references of the rows and entries, not with the heap; memory is 9 bytes
/// per object.
pub fn tables(graph: &impl References, frames: &[Frame], skip: &dyn Fn(u32) -> bool) -> Tables {
    let (kinds, first_frame) = classify(graph, frames, skip);
    let mut sums = Sums {
        graph,
        skip,
        kinds: &kinds,
        passed: vec![0; graph.objects()],
        pass: 0,
        entries: [Found::default(), Found::default()],
    };
    let rows = frames
        .iter()
        .map(|frame| {
            let (bytes, refers) = sums.below(&frame.roots);
            FrameHolding { bytes, refers }
        })
        .collect();
    let [frame_shared, thread_shared] = sums.entries();
    Tables {
        kinds,
        first_frame,
        rows,
        frame_shared,
        thread_shared,
        threads: frames.iter().map(|frame| frame.thread).collect(),
    }
}

/// P0.2, without recursion.
fn classify(graph: &impl References, frames: &[Frame], skip: &dyn Fn(u32) -> bool) -> (Vec<Kind>, Vec<Option<u32>>) {
    let mut kinds = vec![Kind::Unanalyzed; graph.objects()];
    let mut first: Vec<Option<u32>> = vec![None; graph.objects()];
    let mut open = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        // Reversed: the stack then yields the document's depth-first order.
        open.extend(frame.roots.iter().rev().copied());
        while let Some(object) = open.pop() {
            let index = object as usize;
            if skip(object) {
                continue;
            }
            let Some(by) = first[index] else {
                kinds[index] = Kind::Necessary;
                first[index] = Some(number as u32);
                let from = open.len();
                graph.each_reference(object, &mut |held| open.push(held));
                open[from..].reverse();
                continue;
            };
            if frames[by as usize].thread != frame.thread {
                kinds[index] = Kind::ThreadSharing;
            } else if by as usize != number && kinds[index] == Kind::Necessary {
                kinds[index] = Kind::FrameSharing;
            }
        }
    }
    (kinds, first)
}

/// Entries in the order in which they were found, and the index of each root's entry.
#[derive(Default)]
struct Found {
    roots: Vec<u32>,
    numbers: HashMap<u32, u32>,
}

impl Found {
    fn number(&mut self, root: u32) -> u32 {
        *self.numbers.entry(root).or_insert_with(|| {
            self.roots.push(root);
            self.roots.len() as u32 - 1
        })
    }
}

struct Sums<'a, G> {
    graph: &'a G,
    skip: &'a dyn Fn(u32) -> bool,
    kinds: &'a [Kind],
    /// The last sum that visited an object.
    passed: Vec<u32>,
    pass: u32,
    entries: [Found; 2],
}

impl<G: References> Sums<'_, G> {
    /// P0.3: the bytes of the necessary objects below `roots`, and the shared objects found, which are not entered.
    fn below(&mut self, roots: &[u32]) -> (u64, Shared) {
        self.pass += 1;
        let mut bytes = 0;
        let mut refers = Shared::default();
        let mut open: Vec<u32> = roots.iter().rev().copied().collect();
        while let Some(object) = open.pop() {
            let index = object as usize;
            if (self.skip)(object) || self.passed[index] == self.pass {
                continue;
            }
            self.passed[index] = self.pass;
            match self.kinds[index] {
                Kind::FrameSharing => refers.frame.push(self.entries[0].number(object)),
                Kind::ThreadSharing => refers.thread.push(self.entries[1].number(object)),
                Kind::Necessary | Kind::Unanalyzed => {
                    bytes += self.graph.bytes(object);
                    let from = open.len();
                    self.graph.each_reference(object, &mut |held| open.push(held));
                    open[from..].reverse();
                }
            }
        }
        refers.frame.sort_unstable();
        refers.thread.sort_unstable();
        (bytes, refers)
    }

    /// Sums the shared objects that the rows found, and those that these lead to.
    fn entries(mut self) -> [Vec<SharedHolding>; 2] {
        let mut done: [Vec<SharedHolding>; 2] = [Vec::new(), Vec::new()];
        while let Some(which) = (0..2).find(|&which| done[which].len() < self.entries[which].roots.len()) {
            let root = self.entries[which].roots[done[which].len()];
            let mut held = Vec::new();
            self.graph.each_reference(root, &mut |object| {
                if object != root {
                    held.push(object);
                }
            });
            let (bytes, refers) = self.below(&held);
            done[which].push(SharedHolding { root, bytes: self.graph.bytes(root) + bytes, refers });
        }
        done
    }
}

impl Tables {
    /// S0.28: every entry that the given ones lead to, including themselves.
    pub fn developed(&self, from: &Shared) -> Shared {
        developed(from, |by_threads, id| {
            let entries = if by_threads { &self.thread_shared } else { &self.frame_shared };
            entries[id as usize].refers.clone()
        })
    }

    /// S0.29-S0.31 for one thread, S0.35 for several: each entry once.
    pub fn usage(&self, threads: &[u32]) -> Usage {
        let all = self.reached(threads);
        let below = self.developed(&Shared { frame: Vec::new(), thread: all.thread.clone() }).frame;
        let alone = without(&all.frame, &below);
        let rows = self.rows(threads).map(|row| row.bytes).sum::<u64>();
        Usage {
            proprietary: rows + sum(&self.frame_shared, &alone),
            shared: sum(&self.thread_shared, &all.thread) + sum(&self.frame_shared, &below),
        }
    }

    /// S0.37: what the end of the threads frees. Shared are the thread-shared entries that no other thread leads to.
    ///
    /// The frame-shared entries below those are in neither figure (N0.4).
    pub fn release(&self, threads: &[u32]) -> Usage {
        let others = self.others(threads);
        let ended = without(&self.reached(threads).thread, &self.reached(&others).thread);
        let proprietary = threads.iter().map(|&thread| self.usage(&[thread]).proprietary).sum();
        Usage { proprietary, shared: sum(&self.thread_shared, &ended) }
    }

    /// S0.36: what a thread adds to other running ones: its proprietary bytes, and the thread-shared entries that no other
    /// leads to.
    pub fn growth(&self, thread: u32, running: &[u32]) -> u64 {
        let first = without(&self.reached(&[thread]).thread, &self.reached(running).thread);
        self.usage(&[thread]).proprietary + sum(&self.thread_shared, &first)
    }

    fn rows(&self, threads: &[u32]) -> impl Iterator<Item = &FrameHolding> {
        self.rows.iter().zip(&self.threads).filter(|(_, thread)| threads.contains(thread)).map(|(row, _)| row)
    }

    pub fn reached(&self, threads: &[u32]) -> Shared {
        let mut direct = Shared::default();
        for row in self.rows(threads) {
            direct.frame.extend(&row.refers.frame);
            direct.thread.extend(&row.refers.thread);
        }
        self.developed(&direct)
    }

    fn others(&self, threads: &[u32]) -> Vec<u32> {
        let all: BTreeSet<u32> = self.threads.iter().copied().collect();
        all.into_iter().filter(|thread| !threads.contains(thread)).collect()
    }
}

fn without(ids: &[u32], others: &[u32]) -> Vec<u32> {
    ids.iter().copied().filter(|id| others.binary_search(id).is_err()).collect()
}

fn sum(entries: &[SharedHolding], ids: &[u32]) -> u64 {
    ids.iter().map(|&id| entries[id as usize].bytes).sum()
}
