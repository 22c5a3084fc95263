//! Random programs, and their memory as simple as it can be.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use weighbridge_oracles::Random;
use weighbridge_replay::{Engine, Event, Life, Names, ObjectId, Replayed, Settings, Trace, TraceWriter};

/// Classes up to this number have objects with so many times 8 bytes, with fields 1 to 3 at the offsets 12, 16 and 20.
pub const CLASSES: u32 = 20;
/// The class of arrays: elements at 16 and every 4 bytes after it.
pub const ARRAY: u32 = 21;
const LENGTH: u32 = 6;
const THREADS: usize = 3;
pub const KEPT: u32 = 3;

/// The names of all random programs.
pub fn lines() -> Vec<Value> {
    let mut lines = vec![json!(["vm", {"version": "25", "alignment": 8}])];
    let fields = json!({"12": "f1", "16": "f2", "20": "f3"});
    lines.extend((1..=CLASSES).map(|class| {
        // The fields belong to the first class; the others inherit them.
        let (superclass, fields) = if class == 1 { (0, fields.clone()) } else { (1, json!({})) };
        json!(["class", class, format!("p.C{class}"), superclass, 8 * class, fields, {}])
    }));
    lines.push(json!(["array", ARRAY, "[Lp.C1;", 0, 16, 2]));
    lines.extend((1..=3).map(|field| json!(["field", field, "p.C1", format!("f{field}")])));
    lines.extend(
        (1..=5).map(|method| json!(["method", method, "p.C1", format!("m{method}"), "()V", 7, method % 2 == 0])),
    );
    lines.extend((1..=9).map(|site| json!(["site", site, 1 + site % 5, 0, "p.C2"])));
    lines
}

/// A trace of these lines and events.
pub fn bytes_of(lines: &[Value], events: &[(u32, Event)], block_bytes: usize) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), block_bytes).expect("a writer");
    let half = lines.len() / 2;
    writer.names(&lines[..half]).expect("names");
    for (thread, event) in events {
        writer.event(u64::from(*thread) * 10, event).expect("an event");
    }
    writer.names(&lines[half..]).expect("names after the events");
    writer.finish().expect("a trace")
}

/// The same, opened.
pub fn trace_of(lines: &[Value], events: &[(u32, Event)]) -> Trace {
    Trace::of_bytes(bytes_of(lines, events, 100)).expect("a sound trace")
}

/// Names without any events.
pub fn names() -> Names {
    trace_of(&lines(), &[]).names().clone()
}

/// Gives events to the engine in this order.
pub fn replayed(names: &Names, settings: &Settings, events: &[(u32, Event)]) -> Replayed {
    let mut engine = Engine::new(names, settings);
    events.iter().for_each(|(thread, event)| engine.take(*thread, event).expect("enough memory"));
    engine.finish().expect("lives")
}

pub fn births(replayed: &Replayed) -> Vec<Life> {
    replayed.births().expect("births").map(|life| life.expect("a life")).collect()
}

pub fn deaths(replayed: &Replayed) -> Vec<Life> {
    replayed.deaths().expect("deaths").map(|life| life.expect("a life")).collect()
}

pub fn life(replayed: &Replayed, object: u64) -> Life {
    births(replayed).into_iter().find(|life| life.object == ObjectId(object)).expect("a life")
}

/// A program's memory.
#[derive(Default)]
pub struct Memory {
    /// The class of each object.
    pub objects: BTreeMap<ObjectId, u32>,
    statics: BTreeMap<u32, ObjectId>,
    kept: BTreeSet<ObjectId>,
    /// By holder and slot.
    held: BTreeMap<(ObjectId, u64), ObjectId>,
    threads: BTreeMap<u32, Vec<BTreeMap<u16, ObjectId>>>,
    /// What the last event touched.
    touched: Vec<ObjectId>,
}

fn set<K: Ord>(map: &mut BTreeMap<K, ObjectId>, key: K, value: Option<ObjectId>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}

impl Memory {
    pub fn bytes(&self, object: ObjectId) -> u64 {
        match self.objects[&object] {
            ARRAY => (16 + 4 * u64::from(LENGTH)).next_multiple_of(8),
            class => u64::from(class) * 8,
        }
    }

    pub fn apply(&mut self, thread: u32, event: &Event) {
        let frames = self.threads.entry(thread).or_default();
        self.touched = match *event {
            Event::Made { object, class, .. } | Event::MadeArray { object, class, .. } => {
                self.objects.insert(object, class);
                vec![object]
            }
            Event::Field { field, holder, value } => {
                set(&mut self.held, (holder, 8 + 4 * u64::from(field)), value);
                [Some(holder), value].into_iter().flatten().collect()
            }
            Event::Memory { offset, holder, value } => {
                let slot = if self.objects[&holder] == ARRAY { (offset - 16) / 4 } else { offset };
                set(&mut self.held, (holder, slot), value);
                [Some(holder), value].into_iter().flatten().collect()
            }
            Event::Element { index, array, value } => {
                set(&mut self.held, (array, index.into()), value);
                [Some(array), value].into_iter().flatten().collect()
            }
            Event::Copy { from, to, count, source, target } => {
                let at = |slot: u32| u64::from(slot);
                let values: Vec<_> = (0..count).map(|n| self.held.get(&(source, at(from + n))).copied()).collect();
                (0..count).zip(values).for_each(|(n, value)| set(&mut self.held, (target, at(to + n)), value));
                vec![source, target]
            }
            Event::Static { field, value } => {
                set(&mut self.statics, field, value);
                value.into_iter().collect()
            }
            Event::Local { slot, value } => {
                set(frames.last_mut().expect("a frame"), slot, value);
                value.into_iter().collect()
            }
            Event::Enter { .. } => {
                frames.push(BTreeMap::new());
                Vec::new()
            }
            Event::Exit { unwound, result } => {
                frames.truncate(frames.len() - 1 - unwound as usize);
                result.into_iter().collect()
            }
            Event::Caught { unwound } => {
                frames.truncate(frames.len() - unwound as usize);
                Vec::new()
            }
            Event::Use { object } => vec![object],
            Event::Keep { object } => {
                self.kept.insert(object);
                vec![object]
            }
            Event::End { .. } => {
                frames.clear();
                Vec::new()
            }
            Event::Met { .. } | Event::Holds { .. } | Event::Begin { .. } => unreachable!("not in these programs"),
        };
    }

    fn roots(&self) -> Vec<ObjectId> {
        let locals = self.threads.values().flatten().flat_map(BTreeMap::values);
        locals.chain(self.statics.values()).chain(&self.kept).chain(&self.touched).copied().collect()
    }

    fn fields(&self, object: ObjectId) -> impl Iterator<Item = ObjectId> {
        self.held.range((object, 0)..=(object, u64::MAX)).map(|(_, target)| *target)
    }

    pub fn reachable(&self) -> BTreeSet<ObjectId> {
        let mut open = self.roots();
        let mut seen = BTreeSet::new();
        while let Some(object) = open.pop() {
            if seen.insert(object) {
                open.extend(self.fields(object));
            }
        }
        seen
    }

    /// An object that is reachable.
    fn any(&self, random: &mut Random) -> Option<ObjectId> {
        let roots = self.roots();
        let mut object = *roots.get(random.below(roots.len().max(1)))?;
        for _ in 0..random.below(5) {
            let fields: Vec<ObjectId> = self.fields(object).collect();
            object = *fields.get(random.below(fields.len().max(1))).unwrap_or(&object);
        }
        Some(object)
    }
}

/// The next event of a program that can have got hold of what it uses: a value on its operand stack, or what is reachable.
pub fn next(random: &mut Random, memory: &Memory) -> (u32, Event) {
    let thread = random.below(THREADS) as u32;
    let any = |random: &mut Random| memory.any(random);
    let value = |random: &mut Random| if random.below(3) == 0 { None } else { any(random) };
    let depth = memory.threads.get(&thread).map_or(0, Vec::len);
    let made = ObjectId(memory.objects.len() as u64 * 7 + 3);
    let event = match random.below(48) {
        _ if depth == 0 => Event::Enter { method: 0 },
        0..=8 => Event::Made { object: made, class: 1 + random.below(20) as u32, site: random.below(10) as u32 },
        9..=11 => Event::MadeArray { object: made, class: ARRAY, site: random.below(10) as u32, length: LENGTH },
        12..=14 => Event::Enter { method: random.below(6) as u32 },
        15 => Event::Exit { unwound: random.below(depth) as u32, result: value(random) },
        16 if depth > 1 && random.below(3) == 0 => Event::Caught { unwound: 1 + random.below(depth - 1) as u32 },
        16..=18 => Event::Exit { unwound: 0, result: value(random) },
        19..=22 => Event::Static { field: KEPT + random.below(2) as u32, value: value(random) },
        23 if random.below(40) == 0 => Event::End { thread: None },
        23..=30 => Event::Local { slot: random.below(3) as u16, value: value(random) },
        31 if random.below(60) == 0 && memory.kept.len() < 20 => {
            any(random).map_or(Event::Enter { method: 1 }, |object| Event::Keep { object })
        }
        32..=36 => {
            let is_array = |object: &ObjectId| memory.objects[object] == ARRAY;
            match (any(random).filter(is_array), any(random).filter(is_array)) {
                (Some(source), Some(target)) => {
                    let [from, to] = [0; 2].map(|_| random.below(LENGTH as usize) as u32);
                    let count = random.below((LENGTH - from.max(to)) as usize + 1) as u32;
                    Event::Copy { from, to, count, source, target }
                }
                (Some(array), _) | (None, Some(array)) => {
                    Event::Element { index: random.below(LENGTH as usize) as u32, array, value: value(random) }
                }
                (None, None) => Event::Enter { method: 2 },
            }
        }
        _ => match any(random) {
            Some(object) if random.below(4) == 0 => Event::Use { object },
            Some(holder) if random.below(4) == 0 => {
                let (first, slots) = if memory.objects[&holder] == ARRAY { (16, LENGTH as usize) } else { (12, 3) };
                Event::Memory { offset: first + 4 * random.below(slots) as u64, holder, value: value(random) }
            }
            Some(array) if memory.objects[&array] == ARRAY => {
                Event::Element { index: random.below(LENGTH as usize) as u32, array, value: value(random) }
            }
            Some(holder) => Event::Field { field: 1 + random.below(3) as u32, holder, value: value(random) },
            None => Event::Enter { method: 1 },
        },
    };
    (thread, event)
}

/// The seed of a test, which `WEIGHBRIDGE_SEED` changes.
pub fn seed() -> u64 {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_127);
    println!("seed {seed}");
    seed
}
