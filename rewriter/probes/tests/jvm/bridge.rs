//! The bridge class loads, finds the runtime, and returns its table whatever is in it.

use weighbridge_probes::{Links, bridge_class};
use weighbridge_runtime::BRIDGE_TEMPLATE;
use weighbridge_tests::classes::compiled;
use weighbridge_tests::jdks;
use weighbridge_tests::running::Program;

fn table_arrives(table: &str) {
    let name = "a/b/Weighbridge$fedcba9876543210";
    let bridge = bridge_class(BRIDGE_TEMPLATE, name, table, Links::Once).unwrap();
    assert_eq!(bridge, bridge_class(BRIDGE_TEMPLATE, name, table, Links::Once).unwrap());
    let mut classes = compiled("bridge");
    classes.insert(name.to_owned(), bridge);
    let program = Program::new(&classes);
    let units: Vec<u16> = table.encode_utf16().collect();
    let hash = units.iter().fold(0i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    for jdk in jdks() {
        let output = program.run(jdk, "Table");
        let expected = format!("{} {hash} true", units.len());
        assert_eq!(output.lines().next(), Some(&expected[..]), "Java {}", jdk.version);
    }
}

#[test]
fn a_short_table_comes_back_as_it_was() {
    table_arrives("");
    table_arrives("weighbridge\t3\nclass\tcom.acme.\0Zoë\u{1F600}\n");
}

#[test]
fn a_table_longer_than_a_constant_is_joined() {
    // 65,535 bytes fit; one more does not, and the character at the border takes six.
    table_arrives(&"x".repeat(65_535));
    table_arrives(&format!("{}\u{1F600}{}", "x".repeat(65_530), "é".repeat(200_000)));
}

#[test]
fn a_bridge_that_links_again_can_be_switched_off_and_on() {
    let name = "a/b/Weighbridge$fedcba9876543210";
    let mut classes = compiled("bridge");
    classes.insert(name.to_owned(), bridge_class(BRIDGE_TEMPLATE, name, "", Links::Again).unwrap());
    let program = Program::new(&classes);
    for jdk in jdks() {
        let output = program.run(jdk, "Relink");
        let expected = "unlinked: -\nlinked: 1007\nswitched off: -\nlinked again: 107\n";
        assert!(output.starts_with(expected), "Java {}: {output}", jdk.version);
    }
}
