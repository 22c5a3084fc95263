//! Constructor probes on what compilers make: the JVM's verdict, the calls that arrive.

use weighbridge_probes::constructor::{Outcome, Track};
use weighbridge_tests::classes::{compiled, fixture, probe, with_constructor_probes};
use weighbridge_tests::running::{Program, link};
use weighbridge_tests::{every_java, jdks_from};

use crate::support::instrumented::instrumented;

#[test]
fn every_object_is_registered_once_per_constructor_that_completes_it() {
    let classes = compiled("shapes");
    let ids: Vec<&String> = classes.keys().collect();
    let plain = Program::new(&classes);
    let (live, count) =
        (Program::new(&instrumented(&classes, Track::Live)), Program::new(&instrumented(&classes, Track::Count)));
    for jdk in every_java() {
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
    let classes = compiled("shapes");
    for track in [Track::Live, Track::Count] {
        let after = instrumented(&classes, track);
        for jdk in every_java() {
            let results = link(jdk, &after);
            assert!(results.len() == classes.len() && results.values().all(|r| r == "linked"), "{results:#?}");
        }
    }
}

#[test]
fn a_copy_by_object_clone_is_registered_where_it_is_made_and_nowhere_else() {
    let classes = compiled("copies");
    let mut rewritten = classes.clone();
    for (id, bytes) in rewritten.values_mut().enumerate() {
        match with_constructor_probes(bytes, &probe(id as u32, Track::Live)).unwrap() {
            Outcome::Rewritten(new) => *bytes = new.bytes,
            Outcome::Skipped(reason) => panic!("{reason}"),
        }
    }
    for jdk in every_java() {
        let output = Program::new(&rewritten).run(jdk, "Copies");
        insta::allow_duplicates! { insta::assert_snapshot!("class_copies", output); }
    }
}

#[test]
fn code_before_super_runs_as_before_and_its_object_is_registered() {
    let classes = fixture("early");
    let after = instrumented(&classes, Track::Live);
    for jdk in jdks_from(25) {
        let (before, after) = (Program::new(&classes).run(jdk, "Early"), Program::new(&after).run(jdk, "Early"));
        insta::allow_duplicates! {
            insta::assert_snapshot!("class_early_calls", after.strip_prefix(&before).unwrap());
        }
    }
}
