//! Lives of random programs equal those by brute force: everything reachable after every event.

mod support;

use std::collections::BTreeMap;

use support::{Memory, births, deaths, names, next, replayed, seed};
use weighbridge_oracles::Random;
use weighbridge_replay::{Engine, Event, ObjectId, Origin, Settings};

const PROGRAMS: u64 = 10_000;

#[test]
fn deaths_and_live_bytes_of_random_programs_equal_those_by_brute_force() {
    let (seed, names) = (seed(), names());
    let mut died = 0;
    for program in seed..seed + PROGRAMS {
        let mut random = Random::new(program);
        let mut memory = Memory::default();
        let (mut last, mut born, mut used) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut events, mut live, mut allocated) = (Vec::new(), Vec::new(), Vec::new());
        for event in 0..1 + random.below(120) as u64 {
            let timed = next(&mut random, &memory);
            let before = memory.objects.len();
            memory.apply(timed.0, &timed.1);
            if let Event::Made { object, .. } | Event::MadeArray { object, .. } = timed.1 {
                assert_eq!(memory.objects.len(), before + 1);
                born.insert(object, event);
            }
            if let Event::Use { object } = timed.1 {
                used.insert(object, event);
            }
            let reachable = memory.reachable();
            live.push(reachable.iter().map(|object| memory.bytes(*object)).sum::<u64>());
            allocated.push(memory.objects.keys().map(|object| memory.bytes(*object)).sum::<u64>());
            last.extend(reachable.into_iter().map(|object| (object, event)));
            events.push(timed);
        }
        let replayed = replayed(&names, &Settings::default(), &events);
        let lives = births(&replayed);
        assert_eq!(lives.len(), memory.objects.len());
        assert!(lives.is_sorted_by_key(|life| life.born));
        let total = allocated.last().copied().unwrap_or(0);
        assert_eq!((replayed.allocated, replayed.unknown, replayed.twice), (total, 0, 0));
        let mut changes = vec![0i64; events.len() + 1];
        for life in &lives {
            let expected = Some(last[&life.object] + 1).filter(|died| *died < events.len() as u64);
            assert_eq!(life.died, expected, "seed {program}: {life:?}");
            let at = |event: u64| allocated[event as usize];
            assert_eq!(life.died_allocated, expected.map(|died| at(died - 1)), "seed {program}: {life:?}");
            assert_eq!((life.born, life.allocated), (born[&life.object], at(life.born)), "seed {program}");
            assert_eq!((life.bytes, life.origin), (memory.bytes(life.object), Origin::Made));
            assert!(used.get(&life.object).is_none_or(|used| *used <= life.last_used), "seed {program}: {life:?}");
            assert_eq!(life.last_used_allocated, at(life.last_used), "seed {program}: {life:?}");
            assert!(life.died.is_none_or(|died| life.last_used < died), "seed {program}: {life:?}");
            changes[life.born as usize] += life.bytes.cast_signed();
            changes[life.died.map_or(events.len(), |died| died as usize)] -= life.bytes.cast_signed();
        }
        let mut sum = 0;
        for (event, live) in live.iter().enumerate() {
            sum += changes[event];
            assert_eq!(sum, live.cast_signed(), "seed {program}: after event {event}");
        }
        let dead = deaths(&replayed);
        assert!(dead.is_sorted_by_key(|life| life.died));
        assert_eq!(dead.len(), lives.iter().filter(|life| life.died.is_some()).count());
        died += dead.len() as u64;
    }
    assert!(died > 5 * PROGRAMS, "{died} objects died");
}

#[test]
fn a_limit_of_memory_gives_the_same_lives() {
    let (seed, names) = (seed(), names());
    let mut collections = 0;
    for program in seed..seed + 12 {
        let mut random = Random::new(program);
        let (mut memory, mut events) = (Memory::default(), Vec::new());
        for _ in 0..20_000 {
            let (thread, event) = next(&mut random, &memory);
            memory.apply(thread, &event);
            events.push((thread, event));
        }
        let without = replayed(&names, &Settings::default(), &events);
        let folder = tempfile::tempdir().expect("a folder");
        let settings =
            Settings { memory: Some(256 << 10), temporary: Some(folder.path().to_owned()), ..Settings::default() };
        let with = replayed(&names, &settings, &events);
        assert_eq!((with.revived, with.unknown, with.twice), (0, 0, 0), "seed {program}");
        assert_eq!((with.events, with.allocated), (without.events, without.allocated));
        assert!(births(&with) == births(&without), "seed {program}: births");
        assert!(deaths(&with) == deaths(&without), "seed {program}: deaths");
        collections += with.collections;
        drop(with);
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0, "temporary files are deleted");
    }
    assert!(collections > 12 * 4, "{collections} collections");
}

#[test]
fn live_objects_that_do_not_fit_into_the_memory_are_an_error_that_says_how_much_is_needed() {
    let names = names();
    let settings = Settings { memory: Some(64 << 10), ..Settings::default() };
    let mut engine = Engine::new(&names, &settings);
    let error = (0..10_000u64).find_map(|number| {
        let object = ObjectId(number + 1);
        let made = engine.take(0, &Event::Made { class: 1, site: 0, object });
        made.and_then(|()| engine.take(0, &Event::Keep { object })).err()
    });
    let text = error.expect("an error").to_string();
    assert!(text.starts_with("the objects that live at once need about "), "{text}");
    assert!(text.ends_with(" bytes of memory, 65536 are allowed"), "{text}");
}

#[test]
fn an_object_that_is_named_after_it_was_removed_from_memory_has_a_second_life() {
    let names = names();
    let made = |number| (0, Event::Made { class: 1, site: 0, object: ObjectId(number) });
    let used = |number| (0, Event::Use { object: ObjectId(number) });
    let events: Vec<(u32, Event)> = (1..5_000).map(made).chain([used(1), used(9_999)]).collect();
    let settings = Settings { memory: Some(64 << 10), ..Settings::default() };
    let replayed = replayed(&names, &settings, &events);
    assert_eq!((replayed.revived, replayed.unknown), (1, 1));
    let lives = births(&replayed);
    let of_first: Vec<_> = lives.iter().filter(|life| life.object == ObjectId(1)).collect();
    let seen: Vec<_> = of_first.iter().map(|life| (life.born, life.died, life.class, life.origin)).collect();
    assert_eq!(seen, [(0, Some(1), 1, Origin::Made), (4_999, Some(5_000), 0, Origin::Met)]);
    assert_eq!(lives.len(), 5_001);
}

#[test]
fn a_folder_for_temporary_files_that_is_not_there_is_an_error() {
    let names = names();
    let temporary = Some("/there/is/no/such/folder".into());
    let mut engine = Engine::new(&names, &Settings { memory: Some(64 << 10), temporary, ..Settings::default() });
    let made = |number| Event::Made { class: 1, site: 0, object: ObjectId(number) };
    let error = (1..5_000).find_map(|number| engine.take(0, &made(number)).err()).expect("an error");
    assert!(error.to_string().contains("/there/is/no/such/folder"), "{error}");
}
