//! Damaged classes: reading, printing and rewriting give an error or a class, never a panic. Seeded; the seed is in
//! every message.

mod class_support;

use class_support::{compile, probe};
use weighbridge_rewriter::classfile::{ClassFile, ClassSummary, PoolOffsets, op, print};
use weighbridge_rewriter::patch::{ClassPatch, Insertion, OldPc, Position, Sequence, Workspace};
use weighbridge_rewriter::probe::{Instrumenter, Track};
use weighbridge_rewriter::{ErrorKind, Result};

/// SplitMix64: a stream of numbers that a seed fixes for ever.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Everything that is done to a class, in the order of the program.
fn handle(bytes: &[u8]) -> Result<()> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(bytes, &mut memory)?;
    let summary = ClassSummary::of(&class)?;
    let _ = summary.interfaces().count();
    let _ = summary.annotations().map(Iterator::count);
    let _ = print::class(&class);
    let mut instrumenter = Instrumenter::default();
    for track in [Track::Live, Track::Count] {
        let _ = instrumenter.constructors(&class, &probe(7, track));
    }
    for reach in [i16::MAX, 0] {
        let mut workspace = Workspace::with_reach(reach);
        let mut patch = ClassPatch::new(&class, &mut workspace);
        let mut sequence = Sequence::new();
        sequence.null().raw(&[op::POP], 1, 0);
        for method in class.methods()? {
            let method = method?;
            let Some(code) = method.code()? else { continue };
            let places = code.instructions().map_while(Result::ok).flat_map(|i| {
                let after = (!i.ends_flow()).then_some(Position::After);
                [Some(Position::Before), after].into_iter().flatten().map(move |position| (OldPc(i.pc), position))
            });
            let insertions: Vec<_> =
                places.map(|(at, position)| Insertion { at, position, sequence: &sequence }).collect();
            if let Err(error) = patch.insert(&method, &code, &insertions) {
                assert!(matches!(error.kind(), ErrorKind::ClassFormat | ErrorKind::Limit | ErrorKind::Internal));
                return Err(error);
            }
        }
        let _ = patch.finish();
    }
    Ok(())
}

#[test]
fn every_truncation_of_a_class_is_an_error() {
    for (name, bytes) in compile("tables") {
        handle(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        for length in 0..bytes.len() {
            let result = handle(&bytes[..length]);
            // Class attributes at the end are not looked at.
            assert!(result.is_err() || length > bytes.len() / 2, "{name} cut to {length} bytes");
        }
    }
}

#[test]
fn flipped_bytes_never_panic() {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(20_260_101);
    println!("seed {seed}");
    let mut random = Random(seed);
    let classes: Vec<_> = compile("tables").into_iter().chain(compile("shapes")).collect();
    for case in 0..6_000 {
        let (name, bytes) = &classes[random.below(classes.len())];
        let mut damaged = bytes.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(damaged.len());
            damaged[at] = match random.below(4) {
                0 => 0xFF,
                1 => 0,
                2 => damaged[at].wrapping_add(1),
                _ => random.next() as u8,
            };
        }
        let result = std::panic::catch_unwind(|| handle(&damaged).map_or_else(|e| e.to_string(), |()| String::new()));
        assert!(result.is_ok(), "seed {seed}, case {case}, class {name}");
    }
}

#[test]
fn the_errors_of_a_damaged_header_say_what_and_where() {
    let class = &compile("tables")["Tables"];
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
