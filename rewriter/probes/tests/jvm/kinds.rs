//! Probes of methods, lines, uses and entries: the JVM's verdict, the calls that arrive.

use weighbridge_probes::coverage::{Coverage, CoverageProbe};
use weighbridge_probes::entry::{Entries, EntryProbe, OpenedEntry};
use weighbridge_probes::method::{MethodProbe, Methods};
use weighbridge_probes::usage::{UsageProbe, Usages};
use weighbridge_tests::classes::{Classes, compiled};
use weighbridge_tests::every_java;
use weighbridge_tests::running::{Program, link};

use crate::support::traced::{TRACER, with_probes};

/// What the program prints beyond what it prints without probes, on every JVM.
fn calls(classes: &Classes) -> String {
    let plain = Program::new(&compiled("trace"));
    let program = Program::new(classes);
    let mut said = Vec::new();
    for jdk in every_java() {
        let results = link(jdk, classes);
        assert!(results.values().all(|result| result == "linked"), "Java {}: {results:#?}", jdk.version);
        let (before, after) = (plain.run(jdk, "Traced"), program.run(jdk, "Traced"));
        said.push(after.strip_prefix(&before).expect("the program prints what it printed before").to_owned());
    }
    said.dedup();
    assert_eq!(said.len(), 1, "{said:#?}");
    said.remove(0)
}

#[test]
fn each_call_of_a_method_tells_its_entry_and_its_end() {
    let classes = with_probes(
        &mut Methods::default(),
        &MethodProbe { bridge: TRACER, first_id: 100, wanted: |_: &[u8]| true, arguments: false },
    );
    insta::assert_snapshot!("method_calls", calls(&classes));
}

#[test]
fn each_line_tells_that_it_is_reached() {
    let classes = with_probes(&mut Coverage::default(), &CoverageProbe { bridge: TRACER, first_id: 0 });
    insta::assert_snapshot!("coverage_calls", calls(&classes));
}

#[test]
fn each_use_of_an_object_tells_it() {
    let kind = UsageProbe { bridge: TRACER, id: 40_000, wanted: |class: &[u8]| class == b"Traced" };
    insta::assert_snapshot!("usage_calls", calls(&with_probes(&mut Usages::default(), &kind)));
}

#[test]
fn each_method_that_opens_scopes_tells_its_entry_with_an_object_and_its_end() {
    let entry = |method: &[u8]| match method {
        b"twice" => Some(OpenedEntry { id: 1, argument: Some(1) }),
        b"caught" => Some(OpenedEntry { id: 2, argument: Some(0) }),
        b"thrown" => Some(OpenedEntry { id: 3, argument: None }),
        _ => None,
    };
    let kind = EntryProbe { bridge: TRACER, made: Some(40_000), entry };
    insta::assert_snapshot!("entry_calls", calls(&with_probes(&mut Entries::default(), &kind)));
}
