//! Traces are read as they were written; damaged ones up to the damage.

mod support;

use serde_json::json;
use support::{Memory, births, bytes_of, deaths, lines, names, next, replayed, seed, trace_of};
use weighbridge_oracles::Random;
use weighbridge_replay::{
    Error, Event, Life, Mark, MomentOf, ObjectId, ReplayClass, ReplayField, Settings, Site, Size, Trace, TraceWriter,
    UnprobedClass, replay,
};

fn id(number: u64) -> ObjectId {
    ObjectId(number)
}

/// The events of a program on one thread, so that the order in the trace is the order here.
fn program(seed: u64, length: usize) -> Vec<(u32, Event)> {
    let mut random = Random::new(seed);
    let (mut memory, mut events) = (Memory::default(), Vec::new());
    while events.len() < length {
        let (thread, event) = next(&mut random, &memory);
        if thread == 0 {
            memory.apply(thread, &event);
            events.push((thread, event));
        }
    }
    events
}

fn lives(trace: &Trace) -> Result<Vec<Life>, Error> {
    replay(trace, &Settings::default(), &mut |_| ()).map(|replayed| births(&replayed))
}

#[test]
fn a_trace_replays_as_its_events_do() {
    let seed = seed();
    for program in (seed..seed + 30).map(|seed| program(seed, 300)) {
        let trace = trace_of(&lines(), &program);
        assert_eq!(trace.incomplete(), None);
        let mut told = 0;
        let from_trace = replay(&trace, &Settings::default(), &mut |events| told = events).expect("lives");
        let direct = replayed(&names(), &Settings::default(), &program);
        assert_eq!((from_trace.events, told), (300, 300));
        assert_eq!(births(&from_trace), births(&direct));
        assert_eq!(deaths(&from_trace), deaths(&direct));
        // So little memory that only one block is in it.
        let settings = Settings { memory: Some(256 << 10), ..Settings::default() };
        assert_eq!(births(&replay(&trace, &settings, &mut |_| ()).expect("lives")), births(&direct));
    }
}

#[test]
fn a_trace_is_read_from_a_file_as_from_memory() {
    let events = program(1, 200);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("events.wbe");
    std::fs::write(&path, bytes_of(&lines(), &events, 100)).expect("a file");
    let trace = Trace::open(&path).expect("a trace");
    assert_eq!(lives(&trace).expect("lives"), lives(&trace_of(&lines(), &events)).expect("lives"));
}

#[test]
fn every_event_is_read_as_it_was_written() {
    let (far, near) = (id(u64::MAX >> 1), id(1 << 31));
    let events = [
        Event::Begin { thread: Some(id(5)) },
        Event::Begin { thread: None },
        Event::Enter { method: u32::MAX },
        Event::Made { class: 1, site: 300, object: near },
        Event::MadeArray { class: 2, site: 0, length: 1 << 30, object: far },
        Event::Met { class: 3, length: 7, object: id(0), existed: true },
        Event::Met { class: 3, length: 7, object: id(9), existed: false },
        Event::Field { field: 9, holder: near, value: Some(far) },
        Event::Field { field: 9, holder: near, value: None },
        Event::Static { field: 1, value: Some(near) },
        Event::Static { field: 1, value: None },
        Event::Element { index: 1 << 20, array: far, value: Some(far) },
        Event::Element { index: 0, array: far, value: None },
        Event::Memory { offset: u64::MAX, holder: near, value: Some(id(0)) },
        Event::Copy { from: 1, to: 2, count: 3, source: far, target: near },
        Event::Local { slot: u16::MAX, value: Some(near) },
        Event::Local { slot: 0, value: None },
        Event::Holds { slot: u64::MAX, holder: far, value: near },
        Event::Use { object: far },
        Event::Keep { object: near },
        Event::Caught { unwound: 0 },
        Event::Caught { unwound: 300 },
        Event::Exit { unwound: 4, result: Some(far) },
        Event::Exit { unwound: 0, result: None },
        Event::End { thread: Some(id(5)) },
        Event::End { thread: None },
    ];
    for block_bytes in [1, 20, 1 << 20] {
        let timed: Vec<(u32, Event)> = events.iter().map(|event| (3, *event)).collect();
        let trace = Trace::of_bytes(bytes_of(&lines(), &timed, block_bytes)).expect("a trace");
        let mut read = Vec::new();
        trace.each(&mut |thread, clock, event| read.push((thread, clock, *event))).expect("sound events");
        // Those from the first object that is met to the copy count.
        let clock = |at: usize| at.clamp(5, 15) as u64 - 5;
        let expected = events.iter().enumerate().map(|(at, event)| (30, clock(at), *event));
        assert_eq!(read, expected.collect::<Vec<(u64, u64, Event)>>());
    }
}

#[test]
fn names_are_read_wherever_they_stand() {
    let lines = [
        json!(["vm", {"version": "25.0.1", "name": "HotSpot", "alignment": 16, "header": "compact"}]),
        json!(["class", 1, "java.lang.Object", 0, 16, {}, {}]),
        json!(["class", 2, "p.A", 1, 24, {"12": "next"}, {"112": "ALL"}]),
        json!(["array", 3, "[Lp.A;", 1, 16, 2]),
        json!(["method", 1, "p.A", "make", "()Lp/A;", 12, true]),
        json!(["method", 2, "p.A", "<init>", "()V", 0, false]),
        json!(["field", 1, "p.A", "next"]),
        json!(["site", 1, 1, 13, "p.A[]"]),
        json!(["skipped", "p.B", "too large"]),
        json!(["read", [1]]),
        json!(["written", []]),
        json!(["mark", 17, "snapshot 2"]),
        json!(["what a later version adds", {}]),
    ];
    let trace = trace_of(&lines, &[]);
    let names = trace.names();
    assert_eq!((names.vm.version.as_str(), names.vm.name.as_str(), names.vm.alignment), ("25.0.1", "HotSpot", 16));
    let instance = ReplayClass {
        name: "p.A".to_owned(),
        superclass: 1,
        size: Size::Instance(24),
        fields: [(12, "next".to_owned())].into(),
        statics: [(112, "ALL".to_owned())].into(),
    };
    assert_eq!(names.classes[&2], instance);
    assert_eq!(names.classes[&3].size, Size::Array { base: 16, shift: 2 });
    assert_eq!((names.methods[&1].line, names.methods[&1].is_static), (Some(12), true));
    assert_eq!((names.methods[&2].line, names.methods[&2].is_static), (None, false));
    assert_eq!(names.fields[&1], ReplayField { class: "p.A".to_owned(), name: "next".to_owned() });
    assert_eq!(names.sites[&1], Site { method: 1, line: Some(13), what: "p.A[]".to_owned() });
    assert_eq!(names.skipped, [UnprobedClass { class: "p.B".to_owned(), reason: "too large".to_owned() }]);
    assert_eq!((names.read.len(), names.written.len()), (1, 0));
    assert_eq!(names.marks, [Mark { clock: 17, text: "snapshot 2".to_owned() }]);
}

#[test]
fn errors_name_file_block_and_offset() {
    let error = |bytes: Vec<u8>| match Trace::of_bytes(bytes) {
        Ok(trace) => lives(&trace).expect_err("an error").to_string(),
        Err(error) => error.to_string(),
    };
    let not = "trace in memory: not a trace of every event: it does not begin with \"WBEVENT1\"";
    assert_eq!(error(b"WBEVENT2........".to_vec()), not);
    assert_eq!(error(b"WBE".to_vec()), not);
    let named = |line| error(bytes_of(&[line], &[], 100));
    let inside = "trace in memory: block at byte 29: byte 0 of its content: ";
    assert_eq!(named(json!(["class", 1, "p.A"])), format!("{inside}value 3 is missing"));
    assert_eq!(named(json!(["site", 1 << 30, 0, 0, ""])), format!("{inside}1073741824 is not between 1 and 4194304"));
    assert_eq!(named(json!(["class", 1, "p.A", 0, 16, {"a": "b"}, {}])), format!("{inside}\"a\" is not an offset"));
    let raw = |content: &[u8]| {
        let mut writer = TraceWriter::new(Vec::new(), 100).expect("a writer");
        writer.events(content).expect("a block");
        error(writer.finish().expect("a trace"))
    };
    let inside = "trace in memory: block at byte 8: byte";
    assert_eq!(raw(&[1, 0, 0x80]), format!("{inside} 3 of its content: a flag that this event does not have"));
    assert_eq!(raw(&[1, 0, 0x1d]), format!("{inside} 3 of its content: a flag that this event does not have"));
    assert_eq!(raw(&[1, 0, 13]), format!("{inside} 3 of its content: the block ends inside of an event"));
    assert_eq!(raw(&[1, 0, 13, 1]), format!("{inside} 4 of its content: the number of an object is below 0"));
    assert_eq!(
        raw(&[1, 0, 10, 255, 255, 255, 255, 31]),
        format!("{inside} 8 of its content: a number of more than 32 bits")
    );
    let long = [vec![1, 0, 13], vec![255; 10]].concat();
    assert_eq!(raw(&long), format!("{inside} 13 of its content: a number of more than 64 bits"));
    assert_eq!(raw(&[1]), format!("{inside} 1 of its content: the block ends inside of an event"));
}

#[test]
fn a_trace_that_is_cut_anywhere_is_replayed_up_to_there() {
    let events = program(2, 120);
    let whole = bytes_of(&lines(), &events, 40);
    let births_of_whole = births(&replayed(&names(), &Settings::default(), &events)).len();
    let mut most = 0;
    for length in 0..whole.len() {
        match Trace::of_bytes(&whole[..length]) {
            Ok(trace) => {
                assert!(trace.incomplete().is_some(), "{length}");
                let lives = lives(&trace).expect("a sound prefix");
                assert!(lives.len() >= most && lives.len() <= births_of_whole);
                let made: Vec<ObjectId> = events
                    .iter()
                    .filter_map(|(_, event)| match event {
                        Event::Made { object, .. } | Event::MadeArray { object, .. } => Some(*object),
                        _ => None,
                    })
                    .take(lives.len())
                    .collect();
                assert_eq!(lives.iter().map(|life| life.object).collect::<Vec<_>>(), made);
                most = lives.len();
            }
            Err(error) => assert!(length < 8, "{length}: {error}"),
        }
    }
    assert_eq!(most, births_of_whole);
}

#[test]
fn damaged_traces_are_errors_or_end_early_and_never_panic() {
    let seed = seed();
    let whole = bytes_of(&lines(), &program(3, 200), 60);
    for number in seed..seed + 4_000 {
        let mut random = Random::new(number);
        let mut bytes = random.damaged(&whole);
        if random.below(2) == 0 {
            bytes = with_sound_checksums(bytes);
        }
        if let Ok(trace) = Trace::of_bytes(bytes) {
            let memory = Some(1 << 20).filter(|_| random.below(2) == 0);
            let replayed = replay(&trace, &Settings { memory, ..Settings::default() }, &mut |_| ());
            if let Ok(replayed) = replayed {
                assert_eq!(
                    births(&replayed).iter().filter(|life| life.died.is_some()).count(),
                    deaths(&replayed).len()
                );
            }
        }
    }
}

#[test]
fn events_of_random_bytes_never_panic() {
    let seed = seed();
    for number in seed..seed + 20_000 {
        let mut random = Random::new(number);
        let mut writer = TraceWriter::new(Vec::new(), 100).expect("a writer");
        writer.names(&lines()).expect("names");
        // Small numbers, so that events name the same objects, classes and fields again.
        let mut content = vec![1, 0];
        for _ in 0..random.below(200) {
            content.push(if random.below(8) == 0 { random.number() as u8 } else { random.below(24) as u8 });
        }
        writer.events(&content).expect("a block");
        let trace = Trace::of_bytes(writer.finish().expect("a trace")).expect("a trace");
        drop(lives(&trace));
    }
}

/// The same blocks, each with the checksum of what it holds: so that damage gets further.
fn with_sound_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 13) {
        let packed = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let Some(content) = bytes.get(at + 13..at + 13 + packed) else { break };
        let mut crc = flate2::Crc::new();
        crc.update(content);
        bytes[at + 9..at + 13].copy_from_slice(&crc.sum().to_be_bytes());
        at += 13 + packed;
    }
    bytes
}

#[test]
fn bytes_after_the_end_make_a_trace_incomplete() {
    let mut bytes = bytes_of(&lines(), &[], 100);
    bytes.push(0);
    let trace = Trace::of_bytes(bytes).expect("a trace");
    assert!(trace.incomplete().expect("a reason").ends_with("the trace ends here, and 1 bytes follow"));
}

#[test]
fn a_block_that_does_not_hold_what_its_head_says_is_an_error() {
    let mut writer = TraceWriter::new(Vec::new(), 100).expect("a writer");
    writer.event(0, &Event::Enter { method: 1 }).expect("an event");
    let mut bytes = writer.finish().expect("a trace");
    // The inflated length of the first block.
    bytes[8 + 8] += 1;
    let error = lives(&Trace::of_bytes(bytes).expect("a trace")).expect_err("an error");
    assert_eq!(error.block(), Some(8));
    assert!(error.to_string().ends_with("its content has 4 bytes, not 5"), "{error}");
}

#[test]
fn threads_are_merged_by_time_then_what_does_not_count_then_the_number_of_the_thread() {
    let mut writer = TraceWriter::new(Vec::new(), 1 << 10).expect("a writer");
    let enter = |method| Event::Enter { method };
    let store = |field| Event::Static { field, value: None };
    // Thread 9 is written first, and a block of thread 2 comes between two of thread 9.
    writer.event_at(0, 9, &enter(1)).expect("an event");
    writer.event_at(1, 9, &store(1)).expect("an event");
    writer.event_at(2, 9, &enter(4)).expect("an event");
    writer.flush(9).expect("a block");
    writer.event_at(0, 2, &enter(0)).expect("an event");
    writer.event_at(0, 2, &store(0)).expect("an event");
    writer.event_at(1, 2, &enter(2)).expect("an event");
    writer.event_at(2, 2, &enter(3)).expect("an event");
    writer.event_at(2, 2, &store(2)).expect("an event");
    writer.flush(2).expect("a block");
    writer.event_at(3, 9, &enter(5)).expect("an event");
    writer.names(&[json!(["mark", 2, "in between"])]).expect("names");
    let trace = Trace::of_bytes(writer.finish().expect("a trace")).expect("a trace");
    let mut order = Vec::new();
    trace
        .each(&mut |thread, clock, event| {
            order.push(match event {
                Event::Enter { method } => (thread, clock, 'e', *method),
                Event::Static { field, .. } => (thread, clock, 's', *field),
                _ => unreachable!("not in this trace"),
            });
        })
        .expect("events");
    let expected = [
        (2, 0, 'e', 0),
        (9, 0, 'e', 1),
        (2, 0, 's', 0),
        (2, 1, 'e', 2),
        (9, 1, 's', 1),
        (2, 2, 'e', 3),
        (9, 2, 'e', 4),
        (2, 2, 's', 2),
        (9, 3, 'e', 5),
    ];
    assert_eq!(order, expected);
    assert_eq!(trace.threads(), [2, 9]);
    let settings = Settings { moments_of: vec![3, 2], ..Settings::default() };
    let replayed = replay(&trace, &settings, &mut |_| ()).expect("lives");
    let moments: Vec<(u64, &MomentOf)> = replayed.moments.iter().map(|moment| (moment.event, &moment.what)).collect();
    assert_eq!(moments, [(3, &MomentOf::Method(2)), (5, &MomentOf::Method(3))]);
    let marks: Vec<(u64, &MomentOf)> = replayed.marks.iter().map(|moment| (moment.event, &moment.what)).collect();
    assert_eq!(marks, [(4, &MomentOf::Mark("in between".to_owned()))]);
    assert_eq!((replayed.threads, replayed.events), (2, 9));
}

#[test]
fn a_trace_that_was_cut_anywhere_has_no_end() {
    let mut writer = TraceWriter::new(Vec::new(), 100).expect("a writer");
    for (thread, event) in program(5, 200) {
        writer.event(u64::from(thread), &event).expect("an event");
    }
    let whole = writer.finish().expect("a trace");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("run.wbe");
    let has_end = |length: usize| {
        std::fs::write(&file, &whole[..length]).expect("a file");
        Trace::has_end(&file).expect("a readable file")
    };
    assert!(has_end(whole.len()));
    assert!((0..whole.len()).all(|length| !has_end(length)));
    assert!(Trace::has_end(&folder.path().join("none")).is_err());
}
