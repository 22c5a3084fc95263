//! The program `trace` of `tests/java` with probes of one kind.

use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::{Engine, Outcome, ProbeStrategy};
use weighbridge_tests::classes::{Classes, compiled};

pub const TRACER: &str = "Tracer";

pub fn with_probes<K: ProbeStrategy>(engine: &mut Engine<K::Call, K::Memory>, kind: &K) -> Classes {
    let mut classes = compiled("trace");
    let mut memory = PoolOffsets::default();
    let class = classes.get_mut("Traced").unwrap();
    let outcome = engine.rewrite(&ClassFile::read(class, &mut memory).unwrap(), kind).unwrap();
    let Outcome::Rewritten(rewritten) = outcome else { panic!("{outcome:?}") };
    *class = rewritten.bytes;
    classes
}
