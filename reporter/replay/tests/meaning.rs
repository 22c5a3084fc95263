//! What the events of a trace mean for the lives of objects.

mod support;

use serde_json::{Value, json};
use support::{births, life, replayed, trace_of};
use weighbridge_replay::{Event, Life, Names, ObjectId, Origin, Replayed, Settings};

const OBJECT: u32 = 1;
const CLASS: u32 = 2;
const WEAK: u32 = 4;
const SOFT: u32 = 5;
const BASE: u32 = 6;
const DERIVED: u32 = 7;
const ARRAY: u32 = 8;
const NEXT: u32 = 1;
const NEXT_OF_DERIVED: u32 = 2;
const REFERENT: u32 = 3;
const STATIC: u32 = 4;
const STATIC_BY_DERIVED: u32 = 5;
const STATIC_OF_TWINS: u32 = 6;
const INSTANCE: u32 = 1;
const MAKE: u32 = 2;
const LINK: u32 = 3;
const SITE: u32 = 1;

fn names() -> Names {
    let lines: Vec<Value> = vec![
        json!(["class", OBJECT, "java.lang.Object", 0, 16, {}, {}]),
        json!(["class", CLASS, "java.lang.Class", OBJECT, 112, {"24": "name"}, {}]),
        json!(["class", 3, "java.lang.ref.Reference", OBJECT, 48, {"12": "referent", "16": "queue"}, {}]),
        json!(["class", WEAK, "java.lang.ref.WeakReference", 3, 48, {}, {}]),
        json!(["class", SOFT, "java.lang.ref.SoftReference", 3, 56, {}, {}]),
        json!(["class", BASE, "p.Base", OBJECT, 16, {"12": "next"}, {"112": "ALL"}]),
        json!(["class", DERIVED, "p.Derived", BASE, 24, {"16": "next"}, {}]),
        json!(["array", ARRAY, "[Ljava.lang.Object;", OBJECT, 16, 2]),
        json!(["class", 9, "p.Twin", OBJECT, 16, {}, {"112": "ALL"}]),
        json!(["class", 10, "p.Twin", OBJECT, 16, {}, {"120": "ALL"}]),
        json!(["field", NEXT, "p.Base", "next"]),
        json!(["field", NEXT_OF_DERIVED, "p.Derived", "next"]),
        json!(["field", REFERENT, "java.lang.ref.Reference", "referent"]),
        json!(["field", STATIC, "p.Base", "ALL"]),
        json!(["field", STATIC_BY_DERIVED, "p.Derived", "ALL"]),
        json!(["field", STATIC_OF_TWINS, "p.Twin", "ALL"]),
        json!(["method", INSTANCE, "p.Base", "instance", "()V", 3, false]),
        json!(["method", MAKE, "p.Base", "make", "()V", 5, true]),
        json!(["method", LINK, "java.lang.invoke.MethodHandleNatives", "link", "(J[J[Ljava/lang/Object;I)V", 0, true]),
        json!(["site", SITE, MAKE, 6, "p.Base"]),
    ];
    trace_of(&lines, &[]).names().clone()
}

fn id(object: u64) -> ObjectId {
    ObjectId(object)
}

fn some(object: u64) -> Option<ObjectId> {
    Some(ObjectId(object))
}

fn made(class: u32, object: u64) -> Event {
    Event::Made { class, site: SITE, object: id(object) }
}

/// An event that touches nothing, so that the ones before it are not the last.
fn nothing() -> Event {
    Event::Static { field: 99, value: None }
}

fn run(events: &[Event]) -> Replayed {
    let timed: Vec<(u32, Event)> =
        events.iter().map(|event| (0, *event)).chain([(0, nothing()), (0, nothing())]).collect();
    replayed(&names(), &Settings::default(), &timed)
}

fn died(events: &[Event], object: u64) -> Option<u64> {
    life(&run(events), object).died
}

/// Makes 1, which is a root for good, and 2.
fn pair(class: u32) -> Vec<Event> {
    vec![made(class, 1), Event::Keep { object: id(1) }, made(BASE, 2)]
}

fn with(mut events: Vec<Event>, more: &[Event]) -> Vec<Event> {
    events.extend_from_slice(more);
    events
}

fn set(field: u32, holder: u64, value: Option<ObjectId>) -> Event {
    Event::Field { field, holder: id(holder), value }
}

fn memory(offset: u64, holder: u64, value: Option<ObjectId>) -> Event {
    Event::Memory { offset, holder: id(holder), value }
}

fn element(index: u32, array: u64, value: Option<ObjectId>) -> Event {
    Event::Element { index, array: id(array), value }
}

#[test]
fn weak_references_do_not_hold_and_soft_ones_do() {
    for set_referent in [set(REFERENT, 1, some(2)), memory(12, 1, some(2))] {
        assert_eq!(died(&with(pair(WEAK), &[set_referent]), 2), Some(4));
        assert_eq!(died(&with(pair(SOFT), &[set_referent]), 2), None);
    }
    // Another field of a weak reference holds, and so does one that it was met with.
    assert_eq!(died(&with(pair(WEAK), &[memory(16, 1, some(2))]), 2), None);
    let met = [Event::Holds { slot: 12, holder: id(1), value: id(2) }];
    assert_eq!(died(&with(pair(WEAK), &met), 2), Some(4));
}

#[test]
fn a_field_is_that_of_the_class_where_the_virtual_machine_finds_it() {
    // p.Base.next and p.Derived.next are two fields of one object.
    let both = with(pair(DERIVED), &[set(NEXT, 1, some(2)), set(NEXT_OF_DERIVED, 1, None)]);
    assert_eq!(died(&both, 2), None);
    let both = with(pair(DERIVED), &[set(NEXT, 1, some(2)), set(NEXT, 1, None)]);
    assert_eq!(died(&both, 2), Some(4));
}

#[test]
fn memory_set_by_unsafe_is_the_field_the_element_or_the_static_field_at_that_offset() {
    assert_eq!(died(&with(pair(DERIVED), &[set(NEXT, 1, some(2)), memory(12, 1, None)]), 2), Some(4));
    assert_eq!(died(&with(pair(DERIVED), &[set(NEXT, 1, some(2)), memory(16, 1, None)]), 2), None);
    let array = |events: &[Event]| {
        let pair =
            [Event::MadeArray { class: ARRAY, site: SITE, length: 9, object: id(1) }, Event::Keep { object: id(1) }];
        died(&with(with(pair.to_vec(), &[made(BASE, 2)]), events), 2)
    };
    assert_eq!(array(&[element(3, 1, some(2)), memory(16 + 4 * 3, 1, None)]), Some(4));
    assert_eq!(array(&[element(3, 1, some(2)), memory(16 + 4 * 2, 1, None)]), None);
    let of_class = |length, events: &[Event]| {
        let met = Event::Met { class: CLASS, length, object: id(1), existed: true };
        died(&with(vec![nothing(), met, made(BASE, 2)], events), 2)
    };
    let store = Event::Static { field: STATIC, value: some(2) };
    let clear = Event::Static { field: STATIC, value: None };
    assert_eq!(of_class(BASE, &[store, memory(112, 1, None)]), Some(4));
    assert_eq!(of_class(BASE, &[store, memory(116, 1, None)]), None);
    assert_eq!(of_class(DERIVED, &[store, memory(112, 1, None)]), None);
    assert_eq!(of_class(BASE, &[Event::Holds { slot: 112, holder: id(1), value: id(2) }, clear]), Some(4));
    // A field of the Class object itself.
    assert_eq!(of_class(BASE, &[memory(24, 1, some(2)), memory(24, 1, None)]), Some(4));
}

#[test]
fn a_static_field_is_one_slot_by_whatever_class_code_names_it() {
    let store = |field, value| Event::Static { field, value };
    let cleared = [made(BASE, 2), store(STATIC, some(2)), store(STATIC_BY_DERIVED, None)];
    assert_eq!(died(&cleared, 2), Some(2));
    // Which of two classes of one name has it is not known: a slot of its own.
    let twins = [made(BASE, 2), store(STATIC_OF_TWINS, some(2)), store(STATIC, None)];
    assert_eq!(died(&twins, 2), None);
    assert_eq!(died(&with(twins.to_vec(), &[store(STATIC_OF_TWINS, None)]), 2), Some(3));
}

#[test]
fn copied_elements_are_those_of_the_source_also_if_both_overlap() {
    let array = |object| Event::MadeArray { class: ARRAY, site: SITE, length: 5, object: id(object) };
    let copy =
        |from, to, count, source, target| Event::Copy { from, to, count, source: id(source), target: id(target) };
    let start = [
        array(1),
        Event::Keep { object: id(1) },
        made(BASE, 2),
        element(0, 1, some(2)),
        made(BASE, 3),
        element(1, 1, some(3)),
    ];
    // 2 3 . . .  becomes  2 2 3 . .
    let shifted = with(start.to_vec(), &[copy(0, 1, 2, 1, 1), element(0, 1, None)]);
    assert_eq!((died(&shifted, 2), died(&shifted, 3)), (None, None));
    let cleared = with(shifted, &[element(1, 1, None)]);
    assert_eq!((died(&cleared, 2), died(&cleared, 3)), (Some(8), None));
    assert_eq!(life(&run(&cleared), 1).stored, 3, "slots that ever held a reference");
    // What the source does not have overwrites what the target has.
    let other = with(start.to_vec(), &[array(4), copy(0, 0, 2, 4, 1)]);
    assert_eq!((died(&other, 2), died(&other, 3)), (Some(7), Some(7)));
    // A copy that is far longer than both arrays takes no time.
    let long = with(
        start.to_vec(),
        &[array(4), copy(1, 0, u32::MAX, 1, 4), Event::Keep { object: id(4) }, element(1, 1, None)],
    );
    assert_eq!(died(&long, 3), None);
}

#[test]
fn a_large_array_with_few_elements_and_an_object_with_many_fields_keep_them_all() {
    let indices = [5, 1_000_000_000, 600, 0, 7_000_000];
    let array = Event::MadeArray { class: ARRAY, site: SITE, length: 2_000_000_000, object: id(1) };
    let mut events = vec![array, Event::Keep { object: id(1) }];
    for (object, index) in (10..).zip(indices) {
        events.extend([made(BASE, object), element(index, 1, some(object))]);
    }
    for field in 0..100u32 {
        // No class has these fields: each is a slot of its own.
        events.extend([made(BASE, 100 + u64::from(field)), set(1000 + field, 10, some(100 + u64::from(field)))]);
    }
    events.extend([element(600, 1, None), set(1007, 10, None)]);
    let dead: Vec<u64> =
        births(&run(&events)).iter().filter(|life| life.died.is_some()).map(|life| life.object.0).collect();
    assert_eq!(dead, [12, 107]);
    assert_eq!(life(&run(&events), 1).bytes, 16 + 4 * 2_000_000_000);
}

#[test]
fn this_counts_as_used_until_its_method_ends() {
    let enter = |method| [Event::Enter { method }, Event::Local { slot: 0, value: some(1) }];
    let rest = [made(BASE, 2), nothing(), Event::Exit { unwound: 0, result: None }];
    let used = |method| life(&run(&[&[made(BASE, 1)], &enter(method)[..], &rest].concat()), 1);
    let of_instance = used(INSTANCE);
    assert_eq!((of_instance.last_used, of_instance.last_used_allocated, of_instance.died), (4, 32, Some(5)));
    let of_static = used(MAKE);
    assert_eq!((of_static.last_used, of_static.last_used_allocated, of_static.died), (2, 16, Some(5)));
}

#[test]
fn a_method_end_is_that_of_the_call_that_made_the_object() {
    let enter = |method| Event::Enter { method };
    let exit = |unwound| Event::Exit { unwound, result: None };
    let end = |events: &[Event], object| life(&run(events), object).method_end;
    // The constructor that the method calls says that the object is made.
    let constructed = [enter(MAKE), enter(INSTANCE), made(BASE, 1), exit(0), nothing(), exit(0)];
    assert_eq!(end(&constructed, 1), Some(5));
    // Of a method that calls itself: the inner call.
    let nested = [enter(MAKE), made(BASE, 1), enter(MAKE), made(BASE, 2), exit(0), nothing(), exit(0)];
    assert_eq!((end(&nested, 1), end(&nested, 2)), (Some(6), Some(4)));
    let thrown = [enter(MAKE), enter(MAKE), enter(INSTANCE), made(BASE, 1), exit(2)];
    assert_eq!(end(&thrown, 1), Some(4));
    assert_eq!(end(&[enter(MAKE), made(BASE, 1), Event::End { thread: None }], 1), Some(2));
    assert_eq!(end(&[enter(MAKE), made(BASE, 1)], 1), None, "it still runs");
    assert_eq!(end(&[enter(INSTANCE), made(BASE, 1), exit(0)], 1), None, "the method was not seen");
}

#[test]
fn methods_that_ended_by_exceptions_give_up_their_variables() {
    let events = [
        Event::Enter { method: MAKE },
        made(BASE, 1),
        Event::Local { slot: 0, value: some(1) },
        Event::Enter { method: MAKE },
        made(BASE, 2),
        Event::Local { slot: 0, value: some(2) },
        Event::Enter { method: MAKE },
    ];
    let once = with(events.to_vec(), &[Event::Exit { unwound: 1, result: None }]);
    assert_eq!((died(&once, 1), died(&once, 2)), (None, Some(7)));
    let all = with(events.to_vec(), &[Event::Exit { unwound: u32::MAX, result: some(2) }]);
    assert_eq!((died(&all, 1), died(&all, 2)), (Some(7), Some(8)));
}

#[test]
fn threads_hold_their_thread_object_and_variables_until_they_end() {
    let begun = [
        made(BASE, 1),
        Event::Begin { thread: some(1) },
        Event::Enter { method: MAKE },
        made(BASE, 2),
        Event::Local { slot: 7, value: some(2) },
    ];
    assert_eq!((died(&begun, 1), died(&begun, 2)), (None, None));
    let ended = with(begun.to_vec(), &[Event::End { thread: None }]);
    assert_eq!((died(&ended, 1), died(&ended, 2)), (Some(5), Some(5)));
}

#[test]
fn what_links_call_sites_is_kept_by_the_virtual_machine() {
    let linked = |slot| {
        let start = vec![made(BASE, 1), Event::Enter { method: LINK }, Event::Local { slot, value: some(1) }];
        with(start, &[made(BASE, 2), Event::Exit { unwound: 0, result: some(2) }])
    };
    // (long, long[], Object[], int): variables 0 to 4.
    assert_eq!((died(&linked(4), 1), died(&linked(4), 2)), (None, None));
    assert_eq!((died(&linked(5), 1), died(&linked(5), 2)), (Some(4), None));
}

#[test]
fn what_existed_is_not_allocated_and_what_is_met_is() {
    let met = |object, existed| Event::Met { class: DERIVED, length: 0, object: id(object), existed };
    let replayed = run(&[met(1, true), met(2, false), made(BASE, 3)]);
    let lives: Vec<(Origin, u64, u64)> =
        births(&replayed).iter().map(|life| (life.origin, life.bytes, life.allocated)).collect();
    assert_eq!(lives, [(Origin::Existed, 24, 0), (Origin::Met, 24, 24), (Origin::Made, 16, 40)]);
    assert_eq!((replayed.existed.objects, replayed.existed.bytes, replayed.allocated), (1, 24, 40));
    let spans: Vec<u64> = births(&replayed).iter().map(|life| life.span(replayed.allocated)).collect();
    assert_eq!(spans, [0, 24, 16]);
}

#[test]
fn an_unknown_object_is_met_and_its_birth_that_comes_later_says_what_it_is() {
    let events = [
        Event::Keep { object: id(1) },
        made(BASE, 2),
        memory(16, 1, some(2)),
        made(BASE, 3),
        set(NEXT, 1, some(3)),
        made(DERIVED, 1),
        // By name what was set by offset, and by offset what was set by name.
        set(NEXT_OF_DERIVED, 1, None),
        memory(12, 1, None),
        made(DERIVED, 1),
    ];
    let replayed = run(&events);
    let Life { class, bytes, born, origin, site, .. } = life(&replayed, 1);
    assert_eq!((class, bytes, born, origin, site), (DERIVED, 24, 0, Origin::Made, SITE));
    assert_eq!((replayed.unknown, replayed.twice, replayed.allocated), (1, 1, 56));
    assert_eq!((died(&events, 2), died(&events, 3)), (Some(6), Some(7)));
}
