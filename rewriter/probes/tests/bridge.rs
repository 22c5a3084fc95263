//! The bridge class: what is in it, and what is no template of one.

use weighbridge_bytecode::BytecodeErrorKind;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, access};
use weighbridge_probes::{Links, bridge_class};
use weighbridge_runtime::BRIDGE_TEMPLATE;
use weighbridge_tests::classes::compiled;

#[test]
fn the_bridge_is_synthetic_and_bears_no_trace_of_the_templates_name() {
    let bridge = bridge_class(BRIDGE_TEMPLATE, "Weighbridge$0000000000000000", "t", Links::Once).unwrap();
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(&bridge, &mut memory).unwrap();
    assert_ne!(class.access_flags & access::SYNTHETIC, 0);
    assert_eq!(class.name().unwrap(), b"Weighbridge$0000000000000000");
    assert!(!bridge.windows(20).any(|text| text == b"weighbridge/template"));
}

#[test]
fn a_template_without_table_is_refused() {
    let classes = compiled("bridge");
    let error = bridge_class(&classes["Table"], "x", "t", Links::Once).unwrap_err();
    assert_eq!(error.kind(), BytecodeErrorKind::Internal);
    assert_eq!(error.to_string(), "the bridge template has no method `String table()`");
}
