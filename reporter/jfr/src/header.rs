//! The beginning of a chunk.

use crate::error::JfrErrorKind;

/// The beginning of a chunk: where its parts are, and how its times are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the chunk, this header included.
    pub size: u64,
    /// Where its last pools of constants are, and its types: bytes from its beginning.
    pub(crate) pools: u64,
    pub(crate) types: u64,
    /// When it begins, nanoseconds since the Unix epoch.
    pub start_ns: i64,
    /// How long it lasts, in nanoseconds.
    pub duration_ns: i64,
    /// The same moment as `start_ns`, in ticks.
    pub start_ticks: i64,
    /// Ticks of a second.
    pub ticks_per_second: i64,
    pub(crate) compressed: bool,
}

impl Header {
    /// Bytes of a header.
    pub(crate) const SIZE: usize = 68;

    pub(crate) fn read(bytes: &[u8; Self::SIZE]) -> Result<Self, JfrErrorKind> {
        let long = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            i64::from_be_bytes(eight)
        };
        if !bytes.starts_with(b"FLR\0") {
            return Err(JfrErrorKind::NotARecording);
        }
        let (major, minor) = (u16::from_be_bytes([bytes[4], bytes[5]]), u16::from_be_bytes([bytes[6], bytes[7]]));
        if !(1..=2).contains(&major) {
            return Err(JfrErrorKind::Version(major, minor));
        }
        let header = Header {
            size: long(8).cast_unsigned(),
            pools: long(16).cast_unsigned(),
            types: long(24).cast_unsigned(),
            start_ns: long(32),
            duration_ns: long(40),
            start_ticks: long(48),
            ticks_per_second: long(56),
            // The lowest bit of the flags (`jdk.jfr.internal.consumer.ChunkHeader`).
            compressed: bytes[67] & 1 != 0,
        };
        if header.size == 0 || header.types == 0 || header.pools == 0 {
            return Err(JfrErrorKind::Unfinished);
        }
        let inside = |at: u64| (Self::SIZE as u64..header.size).contains(&at);
        if !inside(header.types) || !inside(header.pools) || header.size > isize::MAX.cast_unsigned() as u64 {
            return Err(JfrErrorKind::Corrupt("the chunk's types or constants are not inside it"));
        }
        if header.ticks_per_second <= 0 {
            return Err(JfrErrorKind::Corrupt("a second has no ticks"));
        }
        Ok(header)
    }

    /// Ticks as nanoseconds.
    pub(crate) fn nanoseconds(&self, ticks: i64) -> i64 {
        let ns = i128::from(ticks) * 1_000_000_000 / i128::from(self.ticks_per_second);
        i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
    }

    /// A moment in ticks as nanoseconds since the Unix epoch.
    pub(crate) fn moment(&self, ticks: i64) -> i64 {
        self.start_ns.saturating_add(self.nanoseconds(ticks.saturating_sub(self.start_ticks)))
    }
}
