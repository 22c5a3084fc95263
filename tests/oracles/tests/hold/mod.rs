//! Runs an oracle on damaged copies of its inputs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use weighbridge_oracles::Random;

/// Runs an oracle on the inputs and on damaged copies of them.
pub fn hold<T: AsRef<[u8]>>(cases: usize, inputs: &[T], oracle: impl Fn(&[u8])) {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_260_101);
    println!("seed {seed}");
    assert!(!inputs.is_empty());
    inputs.iter().for_each(|input| oracle(input.as_ref()));
    let mut random = Random::new(seed);
    for case in 0..cases {
        let input = random.below(inputs.len());
        let damaged = random.damaged(inputs[input].as_ref());
        let held = catch_unwind(AssertUnwindSafe(|| oracle(&damaged)));
        assert!(held.is_ok(), "seed {seed}, case {case}, input {input}");
    }
}
