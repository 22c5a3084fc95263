//! Texts replaced by their length, for reports to be shared.

use std::collections::HashSet;

use sha2::{Digest, Sha256};
use weighbridge_heapdump::{Heap, parse_address};

/// Digits of the mark by which equal texts are seen to be equal: 48 bits.
const DIGITS: usize = 12;

/// Replaces texts by their length and a mark.
///
/// The mark is a hash of the text with a key. The key is a hash of the dump itself, which has in it what nobody else
/// knows (addresses, random seeds, times). So whoever has the report only cannot try likely texts, and whoever has the
/// dump has the texts anyway. Reports on one dump have the same marks; those on another dump have others.
pub(crate) struct Redactor<'a> {
    heap: &'a Heap,
    key: [u8; 32],
    /// Names of classes tell nothing that the report does not.
    names: HashSet<&'a str>,
}

impl<'a> Redactor<'a> {
    pub(crate) fn from_heap(heap: &'a Heap) -> Result<Self, weighbridge_heapdump::Error> {
        let mut key = Sha256::new();
        heap.dump().pieces(|piece| key.update(piece))?;
        let names = heap.classes().iter().map(|(_, class)| class.name.as_str()).collect();
        Ok(Redactor { heap, key: key.finalize().into(), names })
    }

    /// The text, if it is the name of a class or the address of an object; else what stands for it.
    pub(crate) fn text(&self, text: &str) -> Option<String> {
        let is_object = || parse_address(text).is_some_and(|address| self.heap.find(address).is_some());
        if self.names.contains(text) || is_object() {
            return None;
        }
        Some(self.mark(text.as_bytes(), text.chars().count(), "char"))
    }

    pub(crate) fn mark(&self, bytes: &[u8], length: usize, unit: &str) -> String {
        let digest = Sha256::new().chain_update(self.key).chain_update(bytes).finalize();
        let mark: String = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]).take(DIGITS).map(digit).collect();
        format!("[{length} {unit}{} #{mark}]", if length == 1 { "" } else { "s" })
    }
}

fn digit(nibble: u8) -> char {
    char::from_digit(nibble.into(), 16).unwrap_or('0')
}
