//! Constructor probes in compiled classes: the printed change, verification by JVMs, the calls of the probes.

use weighbridge_bytecode::read::{ClassFile, PoolOffsets, print};
use weighbridge_probes::constructor::{Outcome, Placement, Track};
use weighbridge_tests::classes::{Classes, Program, compile, fixture, link, probe, with_constructor_probes};
use weighbridge_tests::{jdks, jdks_from};

/// Every class with probes, with ids in the order of names; skipped classes stay as they are.
fn instrumented(classes: &Classes, track: Track) -> Classes {
    let mut new = classes.clone();
    for (id, bytes) in new.values_mut().enumerate() {
        match with_constructor_probes(bytes, &probe(id as u32, track)).unwrap() {
            Outcome::Rewritten(rewritten) => {
                assert!(rewritten.sites.iter().all(|(site, _)| site.call.placement == Placement::Returns));
                *bytes = rewritten.bytes;
            }
            Outcome::Skipped(reason) => {
                assert_eq!(reason.to_string(), "no constructor both calls super(...) and returns")
            }
        }
    }
    new
}

fn constructors(class: &[u8]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let methods = class.methods().unwrap().map(Result::unwrap);
    methods.filter(|m| m.name().unwrap() == b"<init>").map(|m| print::method(&class, &m).unwrap()).collect()
}

/// Before and after of a few classes, one below the other.
fn changes(classes: &Classes, track: Track, names: &[&str]) -> String {
    let after = instrumented(classes, track);
    let change = |name: &&str| {
        format!("== {name}\n{}-- becomes\n{}", constructors(&classes[*name]), constructors(&after[*name]))
    };
    names.iter().map(change).collect()
}

#[test]
fn a_probe_is_before_each_return_and_moves_the_code_after_it() {
    let classes = compile("shapes");
    let names =
        ["Shapes$Derived", "Shapes$SeveralReturns", "Shapes$Catching", "Shapes$Switching", "Shapes$BranchInSuperCall"];
    insta::assert_snapshot!("class_live", changes(&classes, Track::Live, &names));
}

#[test]
fn a_counting_probe_passes_the_class_and_never_the_object() {
    insta::assert_snapshot!("class_count", changes(&compile("shapes"), Track::Count, &["Shapes$Plain"]));
}

#[test]
fn every_object_is_registered_once_per_constructor_that_completes_it() {
    let classes = compile("shapes");
    let ids: Vec<&String> = classes.keys().collect();
    let plain = Program::new(&classes);
    let (live, count) =
        (Program::new(&instrumented(&classes, Track::Live)), Program::new(&instrumented(&classes, Track::Count)));
    for jdk in jdks() {
        let original = plain.run(jdk, "Shapes");
        let with_live = live.run(jdk, "Shapes");
        let calls = with_live.strip_prefix(&original).expect("the program prints what it printed before");
        insta::assert_snapshot!("class_live_calls", format!("ids {ids:#?}\n{calls}"));
        let with_count = count.run(jdk, "Shapes");
        insta::assert_snapshot!("class_count_calls", with_count.strip_prefix(&original).unwrap());
    }
}

#[test]
fn rewritten_classes_pass_the_verifier_of_every_jvm() {
    let classes = compile("shapes");
    for track in [Track::Live, Track::Count] {
        let after = instrumented(&classes, track);
        for jdk in jdks() {
            let results = link(jdk, &after);
            assert!(results.len() == classes.len() && results.values().all(|r| r == "linked"), "{results:#?}");
        }
    }
}

#[test]
fn code_before_super_is_followed_to_the_one_call() {
    // Compiled by JDK 25; the source is beside it.
    let classes = fixture("early");
    let after = instrumented(&classes, Track::Live);
    insta::assert_snapshot!("class_early", changes(&classes, Track::Live, &["Early$Checked"]));
    for jdk in jdks_from(25) {
        let (before, after) = (Program::new(&classes).run(jdk, "Early"), Program::new(&after).run(jdk, "Early"));
        insta::allow_duplicates! {
            insta::assert_snapshot!("class_early_calls", after.strip_prefix(&before).unwrap());
        }
    }
}

#[test]
fn a_rewritten_class_is_not_rewritten_again() {
    let after = instrumented(&compile("shapes"), Track::Live);
    let again = with_constructor_probes(&after["Shapes$Plain"], &probe(0, Track::Live)).unwrap();
    assert!(matches!(again, Outcome::Skipped(reason) if reason.to_string() == "it is already rewritten"));
}

#[test]
fn a_copy_by_object_clone_is_registered_where_it_is_made_and_nowhere_else() {
    let classes = compile("copies");
    let mut rewritten = classes.clone();
    for (id, bytes) in rewritten.values_mut().enumerate() {
        match with_constructor_probes(bytes, &probe(id as u32, Track::Live)).unwrap() {
            Outcome::Rewritten(new) => *bytes = new.bytes,
            Outcome::Skipped(reason) => panic!("{reason}"),
        }
    }
    for jdk in jdks() {
        let output = Program::new(&rewritten).run(jdk, "Copies");
        insta::allow_duplicates! { insta::assert_snapshot!("class_copies", output); }
    }
}
