//! Constructor probes on what compilers make: the printed change.

mod support;

use support::instrumented::instrumented;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, print};
use weighbridge_probes::constructor::{Outcome, Track};
use weighbridge_tests::classes::{Classes, compiled, fixture, probe, with_constructor_probes};

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
fn a_probe_stands_before_each_return_and_moves_what_is_behind_it() {
    let classes = compiled("shapes");
    let names =
        ["Shapes$Derived", "Shapes$SeveralReturns", "Shapes$Catching", "Shapes$Switching", "Shapes$BranchInSuperCall"];
    insta::assert_snapshot!("class_live", changes(&classes, Track::Live, &names));
}

#[test]
fn a_counting_probe_passes_the_class_and_never_the_object() {
    insta::assert_snapshot!("class_count", changes(&compiled("shapes"), Track::Count, &["Shapes$Plain"]));
}

#[test]
fn code_before_super_is_followed_to_the_one_call() {
    // Compiled by JDK 25, which not every machine has; its source is beside it.
    insta::assert_snapshot!("class_early", changes(&fixture("early"), Track::Live, &["Early$Checked"]));
}

#[test]
fn a_rewritten_class_is_not_rewritten_again() {
    let after = instrumented(&compiled("shapes"), Track::Live);
    let again = with_constructor_probes(&after["Shapes$Plain"], &probe(0, Track::Live)).unwrap();
    assert!(matches!(again, Outcome::Skipped(reason) if reason.to_string() == "it is already rewritten"));
}
