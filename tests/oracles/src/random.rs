//! Random numbers and random damage, determined by a seed.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A stream of numbers.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    /// A copy with a few changed bytes, and sometimes with bytes removed or repeated.
    pub fn damaged(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut damaged = bytes.to_vec();
        for _ in 0..1 + self.below(4) {
            if damaged.is_empty() {
                break;
            }
            let at = self.below(damaged.len());
            match self.below(16) {
                0 => damaged.truncate(at),
                1 => drop(damaged.drain(at..damaged.len().min(at + 1 + self.below(16)))),
                2 => {
                    let end = damaged.len().min(at + 1 + self.below(64));
                    let part = damaged[at..end].to_vec();
                    let to = self.below(damaged.len());
                    drop(damaged.splice(to..to, part));
                }
                3..6 => damaged[at] = 0xFF,
                6..9 => damaged[at] = 0,
                9..12 => damaged[at] = damaged[at].wrapping_add(1),
                _ => damaged[at] = self.number() as u8,
            }
        }
        damaged
    }
}
