//! Random numbers from a seed that is printed.

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// The seed of a test; `WEIGHBRIDGE_SEED` sets another one.
pub fn seed() -> u64 {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_260_101);
    println!("seed {seed}");
    seed
}
