//! Probes of methods, allocations and fields: the printed change, verification by JVMs, the calls of the probes.

use weighbridge_bytecode::read::{ClassFile, PoolOffsets, print};
use weighbridge_probes::allocation::{AllocationProbe, Allocations};
use weighbridge_probes::field::{FieldProbe, Fields};
use weighbridge_probes::method::{MethodProbe, Methods};
use weighbridge_probes::{Engine, Kind, Outcome};
use weighbridge_tests::classes::{Classes, Program, compile, link};
use weighbridge_tests::jdks;

const TRACER: &str = "Tracer";

fn with_probes<K: Kind>(engine: &mut Engine<K::Call, K::Memory>, kind: &K) -> Classes {
    let mut classes = compile("trace");
    let mut memory = PoolOffsets::default();
    let class = classes.get_mut("Traced").unwrap();
    let outcome = engine.rewrite(&ClassFile::read(class, &mut memory).unwrap(), kind).unwrap();
    let Outcome::Rewritten(rewritten) = outcome else { panic!("{outcome:?}") };
    *class = rewritten.bytes;
    classes
}

/// What the program prints in addition with probes, on every JVM.
fn calls(classes: &Classes) -> String {
    let plain = Program::new(&compile("trace"));
    let program = Program::new(classes);
    let mut said = Vec::new();
    for jdk in jdks() {
        let results = link(jdk, classes);
        assert!(results.values().all(|result| result == "linked"), "Java {}: {results:#?}", jdk.version);
        let (before, after) = (plain.run(jdk, "Traced"), program.run(jdk, "Traced"));
        said.push(after.strip_prefix(&before).expect("the program prints what it printed before").to_owned());
    }
    said.dedup();
    assert_eq!(said.len(), 1, "{said:#?}");
    said.remove(0)
}

fn printed(classes: &Classes, names: &[&[u8]]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(&classes["Traced"], &mut memory).unwrap();
    let methods = class.methods().unwrap().map(Result::unwrap);
    methods.filter(|m| names.contains(&m.name().unwrap())).map(|m| print::method(&class, &m).unwrap()).collect()
}

#[test]
fn each_entry_of_a_method_has_its_exit_or_its_exception() {
    let classes = with_probes(&mut Methods::default(), &MethodProbe { bridge: TRACER, first_id: 100 });
    insta::assert_snapshot!("method_code", printed(&classes, &[b"<init>", b"twice", b"thrown"]));
    insta::assert_snapshot!("method_calls", calls(&classes));
}

#[test]
fn each_allocation_reports_its_site() {
    let kind = AllocationProbe { bridge: TRACER, first_site: 40_000 };
    let classes = with_probes(&mut Allocations::default(), &kind);
    insta::assert_snapshot!("allocation_calls", calls(&classes));
}

#[test]
fn each_access_of_a_field_reports_its_site() {
    let kind = FieldProbe { bridge: TRACER, first_site: 0 };
    insta::assert_snapshot!("field_calls", calls(&with_probes(&mut Fields::default(), &kind)));
}
