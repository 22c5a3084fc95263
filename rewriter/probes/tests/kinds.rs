//! Probes of methods: the printed change.

mod support;

use support::traced::{TRACER, with_probes};
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, print};
use weighbridge_probes::method::{MethodProbe, Methods};
use weighbridge_tests::classes::Classes;

fn printed(classes: &Classes, names: &[&[u8]]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(&classes["Traced"], &mut memory).unwrap();
    let methods = class.methods().unwrap().map(Result::unwrap);
    methods.filter(|m| names.contains(&m.name().unwrap())).map(|m| print::method(&class, &m).unwrap()).collect()
}

#[test]
fn each_entry_of_a_method_has_its_exit_or_its_exception() {
    let classes = with_probes(
        &mut Methods::default(),
        &MethodProbe { bridge: TRACER, first_id: 100, wanted: |_: &[u8]| true, arguments: false },
    );
    insta::assert_snapshot!("method_code", printed(&classes, &[b"<init>", b"twice", b"thrown"]));
}
