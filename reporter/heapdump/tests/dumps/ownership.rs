//! Compares exact ownership with plain reachability on random graphs.

use std::collections::BTreeSet;

use crate::random::{Random, seed};
use weighbridge_heapdump::threads::TreeOfGraph;
use weighbridge_heapdump::threads::exact::Exact;
use weighbridge_heapdump::{Dominators, Graph};

/// Threads and their frames above random objects. Nodes are numbered: objects, frames, threads, and one for all threads.
struct Case {
    objects: u32,
    bytes: Vec<u64>,
    references: Vec<Vec<u32>>,
    globals: Vec<u32>,
    /// By thread, the nodes of its frames.
    frames: Vec<Vec<u32>>,
}

impl Case {
    fn new(random: &mut Random) -> Case {
        let objects = 1 + random.below(14);
        let some = |random: &mut Random, most: usize| -> Vec<u32> {
            (0..random.below(most)).map(|_| random.below(objects) as u32).collect()
        };
        let bytes = (0..objects).map(|_| 1 + random.below(50) as u64).collect();
        let mut references: Vec<Vec<u32>> = (0..objects).map(|_| some(random, 4)).collect();
        let globals = some(random, 3);
        let mut frames = Vec::new();
        for _ in 0..1 + random.below(4) {
            let first = references.len() as u32;
            references.extend((0..random.below(4)).map(|_| {
                // A frame lists an object once.
                some(random, 4).into_iter().collect::<BTreeSet<u32>>().into_iter().collect()
            }));
            frames.push((first..references.len() as u32).collect());
        }
        references.extend(frames.clone());
        let all = references.len() as u32;
        references.push((all - frames.len() as u32..all).collect());
        Case { objects: objects as u32, bytes, references, globals, frames }
    }

    fn reached(&self, from: &[u32]) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut open = from.to_vec();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(&self.references[node as usize]);
            }
        }
        seen
    }

    fn sum(&self, keep: impl Fn(u32) -> bool) -> u64 {
        (0..self.objects).filter(|&object| keep(object)).map(|object| self.bytes[object as usize]).sum()
    }

    fn exact(&self) -> Exact {
        let all = self.references.len() as u32 - 1;
        let first = all - self.frames.len() as u32;
        let roots = [&[all], self.globals.as_slice()].concat();
        let graph = Graph::of_lists(&self.references, &roots);
        let tree = Dominators::from_graph(graph.clone());
        let retained = tree.retained(|node| self.bytes.get(node.as_usize()).copied().unwrap_or(0));
        let nodes: Vec<_> = graph.nodes().collect();
        let preorder =
            |node: u32| tree.number_of(nodes[node as usize]).expect("a node below the root").as_usize() as u32;
        let threads: Vec<(u32, Vec<u32>)> = (first..)
            .zip(&self.frames)
            .map(|(thread, frames)| (preorder(thread), frames.iter().map(|&frame| preorder(frame)).collect()))
            .collect();
        Exact::from_tree(&TreeOfGraph { graph: &graph, tree: &tree, retained: &retained }, preorder(all), &threads)
    }
}

#[test]
fn ownership_is_reachability_on_ten_thousand_random_graphs() {
    let seed = seed();
    let mut random = Random(seed);
    for number in 0..10_000 {
        let case = Case::new(&mut random);
        let exact = case.exact();
        let context = format!("seed {seed}, case {number}: {:?} {:?} {:?}", case.references, case.globals, case.frames);
        let global = case.reached(&case.globals);
        let by_frame: Vec<Vec<BTreeSet<u32>>> =
            case.frames.iter().map(|frames| frames.iter().map(|&frame| case.reached(&[frame])).collect()).collect();
        let threads = 0..case.frames.len() as u32;
        let holding: Vec<Vec<u32>> = (0..case.objects)
            .map(|object| {
                let holds = |thread: &u32| by_frame[*thread as usize].iter().any(|reached| reached.contains(&object));
                threads.clone().filter(|thread| !global.contains(&object) && holds(thread)).collect()
            })
            .collect();
        let of = |object: u32| holding[object as usize].as_slice();
        let usage = exact.usage();
        for thread in threads.clone() {
            let figures = usage[thread as usize];
            assert_eq!(figures.proprietary, case.sum(|object| of(object) == [thread]), "{context}");
            let shared = case.sum(|object| of(object).len() > 1 && of(object).contains(&thread));
            assert_eq!(figures.shared, shared, "{context}");
        }
        let mut row = 0;
        for thread in threads.clone() {
            let frames = &by_frame[thread as usize];
            for (frame, reached) in frames.iter().enumerate() {
                let figures = exact.row(row);
                let alone = |object: u32| frames.iter().enumerate().all(|(at, r)| r.contains(&object) == (at == frame));
                let proprietary = case.sum(|object| of(object) == [thread] && alone(object));
                assert_eq!(figures.bytes, proprietary, "{context}");
                // A row and everything that it leads to are what the frame reaches, without the globals.
                let all = exact.developed(&figures.refers);
                let by_frames: u64 = all.frame.iter().map(|&id| exact.frame_shared(id).bytes).sum();
                let by_threads: u64 = all.thread.iter().map(|&id| exact.thread_shared(id).bytes).sum();
                let held = case.sum(|object| reached.contains(&object) && !global.contains(&object));
                assert_eq!(figures.bytes + by_frames + by_threads, held, "{context}");
                row += 1;
            }
        }
        for set in 1..1_u32 << case.frames.len() {
            let chosen: Vec<u32> = threads.clone().filter(|thread| set >> thread & 1 == 1).collect();
            let within = |object| !of(object).is_empty() && of(object).iter().all(|other| chosen.contains(other));
            assert_eq!(exact.release(&chosen).total(), case.sum(within), "{context}");
            for thread in threads.clone().filter(|thread| !chosen.contains(thread)) {
                let new =
                    |object| of(object).contains(&thread) && !of(object).iter().any(|other| chosen.contains(other));
                assert_eq!(exact.growth(thread, &chosen), case.sum(new), "{context}");
            }
        }
        let best = exact.best(1);
        let most = threads.clone().map(|thread| exact.release(&[thread]).total()).max().unwrap_or(0);
        assert_eq!(exact.release(&best).total(), most, "{context}");
    }
}
