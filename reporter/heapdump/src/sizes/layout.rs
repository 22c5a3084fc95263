//! How the virtual machine that wrote the dump lays out objects.

use super::evidence::Evidence;
use super::fields::FieldBytes;
use crate::class::Classes;
use crate::hprof::{Dump, FieldType, IdSize};

/// The layout of objects, found from distances. A dump does not state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Objects start at multiples of this many bytes (`-XX:ObjectAlignmentInBytes`).
    pub alignment_bytes: u64,
    /// Bytes of a reference in a field: 4 with compressed references (`-XX:+UseCompressedOops`), and on 32 bits.
    pub reference_bytes: u32,
    /// Bytes before the first field: 8 with compact headers (JEP 450) and on 32 bits, 12 with compressed class pointers,
    /// otherwise 16.
    pub header_bytes: u32,
    /// Start of the elements of an array: of references, then of elements of 1, 2, 4 and 8 bytes.
    array_bases: [u64; 5],
}

impl Layout {
    /// The layout that fits most distances between objects.
    pub(super) fn find(dump: &Dump, classes: &Classes, evidence: &Evidence) -> Self {
        let wide = dump.ids() == IdSize::Eight;
        let (reference_bytes, reference_base) = evidence.references(wide).unwrap_or((4, if wide { 16 } else { 12 }));
        let fields = FieldBytes::from_classes(classes, reference_bytes);
        let alignment_bytes = evidence.alignment();
        let mut fitting = [(12_u32, 0_usize), (8, 0), (16, 0)];
        for (class, _) in classes.iter() {
            let Some(size) = evidence.commonest(class) else { continue };
            for (header, classes) in &mut fitting {
                let formula = u64::from(*header) + fields.instance[class.as_usize()];
                *classes += usize::from(formula.next_multiple_of(alignment_bytes) == size);
            }
        }
        let most = fitting.iter().map(|(_, classes)| *classes).max().unwrap_or(0);
        let known = fitting.iter().find(|(_, classes)| *classes == most && most > 0).map(|(header, _)| *header);
        let header_bytes = known.unwrap_or(if wide { 12 } else { 8 });
        // The length of an array follows the header.
        let usual = u64::from(header_bytes) + 4;
        let base = |bytes: u32| evidence.array_base(bytes).unwrap_or(usual.next_multiple_of(u64::from(bytes)));
        let array_bases = [reference_base, base(1), base(2), base(4), base(8)];
        Layout { alignment_bytes, reference_bytes, header_bytes, array_bases }
    }

    /// Rounds up to the alignment of objects.
    pub(super) fn align(&self, bytes: u64) -> u64 {
        bytes.next_multiple_of(self.alignment_bytes)
    }

    /// Bytes of an array whose elements have `elements` bytes.
    pub(super) fn array(&self, element: FieldType, elements: u64) -> u64 {
        let base = match element {
            FieldType::Object => self.array_bases[0],
            _ => self.array_bases[1 + element.bytes(8).ilog2() as usize],
        };
        self.align(base + elements)
    }

    /// Whether headers are compact (JEP 450). Meaningful for dumps of 64-bit ids.
    pub fn compact_headers(&self) -> bool {
        self.header_bytes == 8
    }
}
