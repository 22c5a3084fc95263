//! Independent readers of rewritten classes: `ristretto_classfile` with its verifier, and `classfile-parser`.

use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::constructor::{Outcome, Track};
use weighbridge_probes::{Links, bridge_class};
use weighbridge_tests::classes::{compiled, probe, with_constructor_probes};

/// Every rewritten class of the compiled samples, and the bridge.
fn rewritten() -> Vec<(String, Vec<u8>)> {
    let classes = compiled("shapes").into_iter().chain(compiled("tables"));
    let mut all: Vec<_> = classes
        .filter_map(|(name, bytes)| match with_constructor_probes(&bytes, &probe(40_000, Track::Count)).unwrap() {
            Outcome::Rewritten(rewritten) => Some((name, rewritten.bytes)),
            Outcome::Skipped(_) => None,
        })
        .collect();
    assert!(all.len() > 10, "{} classes", all.len());
    let bridge = bridge_class(weighbridge_runtime::BRIDGE_TEMPLATE, "a/b/Bridge", "table", Links::Once).unwrap();
    all.push(("bridge".to_owned(), bridge));
    all
}

#[test]
fn ristretto_reads_writes_and_verifies_what_is_written() {
    for (name, bytes) in rewritten() {
        let class = ristretto_classfile::ClassFile::from_slice(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        class.verify().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut again = Vec::new();
        class.to_bytes(&mut again).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again, bytes, "{name}");
    }
}

#[test]
fn classfile_parser_finds_the_code_that_our_reader_finds() {
    for (name, bytes) in rewritten() {
        let (rest, theirs) = classfile_parser::class_parser(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(rest.is_empty(), "{name}");
        let mut memory = PoolOffsets::default();
        let ours = ClassFile::read(&bytes, &mut memory).unwrap();
        assert_eq!(usize::from(theirs.const_pool_size), ours.pool.count());
        for (method, theirs) in ours.methods().unwrap().zip(&theirs.methods) {
            let method = method.unwrap();
            assert_eq!((method.name.0, method.descriptor.0), (theirs.name_index, theirs.descriptor_index));
            let Some(code) = method.code().unwrap() else { continue };
            let found = theirs.attributes.iter().any(|attribute| {
                classfile_parser::attribute_info::code_attribute_parser(&attribute.info)
                    .is_ok_and(|(_, theirs)| theirs.code == code.code && theirs.max_stack == code.max_stack)
            });
            assert!(found, "{name} {}", method.title());
        }
    }
}
