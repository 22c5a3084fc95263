//! Damaged classes: reading, printing and rewriting give an error or a class. Random damage is in `tests/oracles/tests`.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, print};
use weighbridge_probes::constructor::{Constructors, Track};
use weighbridge_tests::classes::{compiled, probe};

/// All work on a class, in order.
fn handle(bytes: &[u8]) -> Result<()> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(bytes, &mut memory)?;
    let _ = class.interfaces().count();
    let _ = class.annotations().map(Iterator::count);
    let _ = print::class(&class);
    let mut instrumenter = Constructors::default();
    for track in [Track::Live, Track::Count] {
        let _ = instrumenter.rewrite(&class, &probe(7, track));
    }
    for reach in [i16::MAX, 0] {
        weighbridge_oracles::class::everywhere(&class, reach)?;
    }
    Ok(())
}

#[test]
fn every_truncation_of_a_class_is_an_error() {
    for (name, bytes) in compiled("tables") {
        handle(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        for length in 0..bytes.len() {
            let result = handle(&bytes[..length]);
            // Attributes of the class, at its end, are not read.
            assert!(result.is_err() || length > bytes.len() / 2, "{name} cut to {length} bytes");
        }
    }
}

#[test]
fn the_errors_of_a_damaged_header_say_what_and_where() {
    let class = &compiled("tables")["Tables"];
    let changed = |at: usize, bytes: &[u8]| {
        let mut damaged = class.clone();
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        handle(&damaged).unwrap_err().to_string()
    };
    let errors = [
        handle(b"PK").unwrap_err().to_string(),
        changed(0, &[0]),
        changed(6, &[0, 44]),
        changed(8, &[0, 0]),
        changed(8, &[0xFF, 0xFF]),
        changed(10, &[2]),
        handle(&class[..100]).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!("class_damaged", errors.join("\n"));
}
