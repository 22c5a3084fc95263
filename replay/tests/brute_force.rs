//! Deaths of random programs equal those by brute force: everything reachable after every event.

use std::collections::{BTreeMap, BTreeSet};

use weighbridge_oracles::Random;
use weighbridge_replay::{Curve, Event, Holder, Merlin, ObjectId, Timed};

const PROGRAMS: u64 = 10_000;
const THREADS: usize = 3;

/// A program's memory, as simple as it can be.
#[derive(Default)]
struct Memory {
    bytes: BTreeMap<ObjectId, u64>,
    held: BTreeMap<(u8, ObjectId, u64), ObjectId>,
    threads: BTreeMap<u32, Vec<BTreeMap<u32, ObjectId>>>,
    /// What the last event touched.
    touched: Vec<ObjectId>,
}

fn key(holder: Holder, slot: u64) -> (u8, ObjectId, u64) {
    match holder {
        Holder::Static => (0, ObjectId(0), slot),
        Holder::Machine => (1, ObjectId(0), slot),
        Holder::Object(object) => (2, object, slot),
    }
}

impl Memory {
    fn apply(&mut self, timed: &Timed) {
        let frames = self.threads.entry(timed.thread).or_default();
        self.touched = match &timed.event {
            Event::Allocate { object, bytes, .. } => {
                self.bytes.insert(*object, *bytes);
                vec![*object]
            }
            Event::Store { holder, slot, target } => {
                match target {
                    Some(target) => self.held.insert(key(*holder, *slot), *target),
                    None => self.held.remove(&key(*holder, *slot)),
                };
                let holder = if let Holder::Object(object) = holder { Some(*object) } else { None };
                holder.into_iter().chain(*target).collect()
            }
            Event::Local { slot, target } => {
                let frame = frames.last_mut().expect("a frame");
                match target {
                    Some(target) => frame.insert(*slot, *target),
                    None => frame.remove(slot),
                };
                target.iter().copied().collect()
            }
            Event::Enter { .. } => {
                frames.push(BTreeMap::new());
                Vec::new()
            }
            Event::Exit { result } => {
                frames.pop();
                result.iter().copied().collect()
            }
            Event::Use { object } => vec![*object],
        };
    }

    fn reachable(&self) -> BTreeSet<ObjectId> {
        let locals = self.threads.values().flatten().flat_map(BTreeMap::values);
        let fixed = self.held.iter().filter(|((kind, ..), _)| *kind < 2).map(|(_, target)| target);
        let mut open: Vec<ObjectId> = locals.chain(fixed).chain(&self.touched).copied().collect();
        let mut seen = BTreeSet::new();
        while let Some(object) = open.pop() {
            if seen.insert(object) {
                let fields = self.held.range((2, object, 0)..=(2, object, u64::MAX));
                open.extend(fields.map(|(_, target)| *target));
            }
        }
        seen
    }
}

/// The next event of a program that can have got hold of what it uses: a value on its operand stack, or what is reachable.
fn next(random: &mut Random, memory: &Memory, made: u64) -> Timed {
    let thread = random.below(THREADS) as u32;
    let reachable: Vec<ObjectId> = memory.reachable().into_iter().collect();
    let any = |random: &mut Random| (!reachable.is_empty()).then(|| reachable[random.below(reachable.len())]);
    let value = |random: &mut Random| if random.below(3) == 0 { None } else { any(random) };
    let depth = memory.threads.get(&thread).map_or(0, Vec::len);
    let event = match random.below(12) {
        _ if depth == 0 => Event::Enter { method: 0 },
        0..=2 => Event::Allocate {
            object: ObjectId(made * 7 + 3),
            bytes: 8 * (1 + random.below(20) as u64),
            class: random.below(4) as u32,
            site: random.below(9) as u32,
        },
        3 => Event::Enter { method: random.below(5) as u32 },
        4 => Event::Exit { result: value(random) },
        5 => Event::Store { holder: Holder::Static, slot: random.below(2) as u64, target: value(random) },
        6 if random.below(4) == 0 => Event::Store { holder: Holder::Machine, slot: 0, target: value(random) },
        6 | 7 => Event::Local { slot: random.below(3) as u32, target: value(random) },
        _ => match any(random) {
            Some(object) if random.below(4) == 0 => Event::Use { object },
            Some(object) => {
                Event::Store { holder: Holder::Object(object), slot: random.below(3) as u64, target: value(random) }
            }
            None => Event::Enter { method: 1 },
        },
    };
    Timed { thread, event }
}

#[test]
fn deaths_and_live_bytes_of_random_programs_equal_those_by_brute_force() {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_127);
    println!("seed {seed}");
    let mut deaths = 0;
    for program in 0..PROGRAMS {
        let mut random = Random::new(seed + program);
        let (mut memory, mut merlin) = (Memory::default(), Merlin::default());
        let mut last: BTreeMap<ObjectId, u64> = BTreeMap::new();
        let events = 1 + random.below(120) as u64;
        let mut live = Vec::new();
        for event in 0..events {
            let timed = next(&mut random, &memory, memory.bytes.len() as u64);
            memory.apply(&timed);
            merlin.take(&timed).unwrap_or_else(|unknown| panic!("seed {}: {unknown:?}", seed + program));
            let reachable = memory.reachable();
            live.push(reachable.iter().map(|object| memory.bytes[object]).sum::<u64>());
            last.extend(reachable.into_iter().map(|object| (object, event)));
        }
        let lives = merlin.finish();
        assert_eq!(lives.all.len(), memory.bytes.len());
        for life in &lives.all {
            let expected = Some(last[&life.object] + 1).filter(|died| *died < events);
            assert_eq!(life.died, expected, "seed {}: {life:?}", seed + program);
            deaths += u64::from(life.died.is_some());
        }
        let curve = Curve::of(&lives);
        for (event, live) in live.iter().enumerate() {
            let event = event as u64;
            assert_eq!(curve.at(event).live, *live, "seed {}: after event {event}", seed + program);
            assert_eq!(lives.live_by(event, |_| ()).get(&()).map_or(0, |sum| sum.bytes), *live);
        }
        assert_eq!(curve.peak().map_or(0, |peak| peak.live), live.iter().copied().max().unwrap_or(0));
    }
    assert!(deaths > 10 * PROGRAMS / 2, "{deaths} objects died");
}
