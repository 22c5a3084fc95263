//! Blocks: what a trace file is divided into.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

/// How a file begins.
pub(crate) const MAGIC: &[u8; 8] = b"WBEVENT1";
/// Bytes of the head of a block.
pub(crate) const HEAD: usize = 13;
/// What a block may hold at most, inflated.
pub(crate) const MOST_INFLATED: u32 = 16 << 20;
/// The same as a zlib stream: one that does not shrink grows by less than this.
const MOST_PACKED: u32 = MOST_INFLATED + (MOST_INFLATED >> 8);

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Names = 1,
    Events = 2,
    End = 3,
}

/// The head of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: BlockKind,
    pub(crate) packed: u32,
    pub(crate) inflated: u32,
    pub(crate) crc: u32,
}

impl Head {
    pub(crate) fn read(bytes: [u8; HEAD]) -> Result<Self, String> {
        let [kind, p0, p1, p2, p3, i0, i1, i2, i3, c0, c1, c2, c3] = bytes;
        let kind = match kind {
            1 => BlockKind::Names,
            2 => BlockKind::Events,
            3 => BlockKind::End,
            _ => return Err(format!("{kind} is not a kind of block")),
        };
        let head = Head {
            kind,
            packed: u32::from_be_bytes([p0, p1, p2, p3]),
            inflated: u32::from_be_bytes([i0, i1, i2, i3]),
            crc: u32::from_be_bytes([c0, c1, c2, c3]),
        };
        if head.inflated > MOST_INFLATED || head.packed > MOST_PACKED {
            return Err(format!("{} bytes, {} when inflated, are too many", head.packed, head.inflated));
        }
        Ok(head)
    }

    pub(crate) fn check(&self, packed: &[u8]) -> Result<(), String> {
        let crc = crc(packed);
        if crc == self.crc { Ok(()) } else { Err(format!("its checksum is {crc:08x}, not {:08x}", self.crc)) }
    }

    /// The content.
    pub(crate) fn inflate(&self, packed: &[u8]) -> Result<Vec<u8>, String> {
        let expected = self.inflated as usize;
        // One byte more shows when the content is longer than the head says.
        let mut content = vec![0; expected + 1];
        let mut decompress = Decompress::new(true);
        let status = decompress.decompress(packed, &mut content, FlushDecompress::Finish);
        let status = status.map_err(|error| format!("not a zlib stream: {error}"))?;
        if status != Status::StreamEnd || decompress.total_in() != packed.len() as u64 {
            return Err("the zlib stream does not end where the block ends".to_owned());
        }
        let got = decompress.total_out();
        if got != expected as u64 {
            return Err(format!("its content has {got} bytes, not {expected}"));
        }
        content.truncate(expected);
        Ok(content)
    }

    /// The first bytes of the content.
    pub(crate) fn beginning(packed: &[u8]) -> Result<Vec<u8>, String> {
        let mut content = vec![0; 20];
        let mut decompress = Decompress::new(true);
        let status = decompress.decompress(packed, &mut content, FlushDecompress::None);
        status.map_err(|error| format!("not a zlib stream: {error}"))?;
        content.truncate(usize::try_from(decompress.total_out()).unwrap_or(usize::MAX));
        Ok(content)
    }
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// A whole block with this content, of at most 16 MiB.
pub(crate) fn pack(kind: BlockKind, content: &[u8]) -> Result<Vec<u8>, String> {
    let inflated = u32::try_from(content.len()).ok().filter(|bytes| *bytes <= MOST_INFLATED);
    let inflated = inflated.ok_or_else(|| format!("{} bytes are too many for a block", content.len()))?;
    let mut packed = Vec::with_capacity(content.len() + content.len() / 256 + 64);
    let mut compress = Compress::new(Compression::fast(), true);
    let status = compress.compress_vec(content, &mut packed, FlushCompress::Finish);
    if !matches!(status, Ok(Status::StreamEnd)) {
        return Err("the content cannot be compressed".to_owned());
    }
    let mut block = vec![kind as u8];
    for number in [packed.len() as u32, inflated, crc(&packed)] {
        block.extend(number.to_be_bytes());
    }
    block.extend(packed);
    Ok(block)
}
