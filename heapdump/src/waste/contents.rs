//! Strings and arrays of equal content.
//!
//! Contents are compared by 96 bits of a hash (XXH3) with the type and the length: among a hundred million arrays the
//! chance that any two different ones look equal is below 10^-12.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::error::Error;
use crate::heap::Heap;
use crate::hprof::{Elements, FieldType};
use crate::index::ObjectIndex;

/// What is there more than once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Duplicates {
    /// Objects looked at.
    pub objects: u64,
    /// Different contents.
    pub distinct: u64,
    /// Bytes that one of each would save. Of strings: the `String` objects and the arrays that are copies.
    pub saved_bytes: u64,
    /// The groups that would save most, most bytes first.
    pub groups: Vec<Copies>,
}

/// Objects of equal content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    /// One of them.
    pub example: ObjectIndex,
    /// The text, for strings; long ones are cut.
    pub text: Option<String>,
    /// Objects.
    pub copies: u64,
    /// Bytes that one of them would save.
    pub saved_bytes: u64,
}

/// An array by its content, and which it is: sorted, equal ones are neighbours.
type Array = (u64, u32, u32);

#[derive(Default)]
pub(super) struct Found {
    arrays: Vec<Array>,
    /// Array and string; the highest bit of the string tells its encoding.
    strings: Vec<(u32, u32)>,
}

const UTF16: u32 = 1 << 31;

impl Found {
    pub(super) fn string(&mut self, string: ObjectIndex, array: ObjectIndex, coder: u8) {
        self.strings.push((array.0, string.0 | if coder == 0 { 0 } else { UTF16 }));
    }

    /// Reads an array; gives the number of zero bytes at its end.
    pub(super) fn array(&mut self, array: ObjectIndex, kind: FieldType, elements: &mut Elements<'_, '_>) -> u64 {
        let mut hash = u128::from(kind as u8);
        let mut zeros = 0;
        while let Some(piece) = elements.next_piece() {
            // Pieces are of a fixed size: equal arrays have equal ones. XXH3 mixes in the length.
            hash = xxh3_128_with_seed(piece, (hash ^ (hash >> 64)) as u64);
            zeros = super::trailing_zeros(piece, zeros);
        }
        self.arrays.push(((hash >> 64) as u64, hash as u32, array.0));
        zeros
    }

    pub(super) fn add(&mut self, mut other: Found) {
        join(&mut self.arrays, &mut other.arrays);
        join(&mut self.strings, &mut other.strings);
    }

    /// Groups strings, and the arrays that belong to none.
    pub(super) fn finish(mut self, heap: &Heap, most: usize) -> Result<(Duplicates, Duplicates), Error> {
        self.arrays.sort_unstable();
        self.strings.sort_unstable();
        let mut strings = Duplicates::default();
        let mut arrays = Duplicates::default();
        for group in self.arrays.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let mut free: Vec<u32> = Vec::new();
            // Those of LATIN1 and of UTF16 have different texts though their bytes are equal.
            let mut held: [(Vec<u32>, Vec<u32>); 2] = Default::default();
            for (_, _, array) in group {
                let from = self.strings.partition_point(|(other, _)| other < array);
                let of_array = self.strings[from..].iter().take_while(|(other, _)| other == array);
                let mut any = false;
                for (_, string) in of_array {
                    let (arrays, strings) = &mut held[usize::from(string & UTF16 != 0)];
                    any = true;
                    strings.push(string & !UTF16);
                    if arrays.last() != Some(array) {
                        arrays.push(*array);
                    }
                }
                if !any {
                    free.push(*array);
                }
            }
            for (arrays, of_text) in &held {
                let bytes = saved(heap, arrays) + saved(heap, of_text);
                strings.group(of_text, bytes, most);
            }
            arrays.group(&free, saved(heap, &free), most);
        }
        strings.keep(most);
        arrays.keep(most);
        let examples: Vec<ObjectIndex> = strings.groups.iter().map(|group| group.example).collect();
        let mut texts: HashMap<ObjectIndex, String> = heap.texts(&examples)?;
        strings.groups.iter_mut().for_each(|group| group.text = texts.remove(&group.example));
        Ok((strings, arrays))
    }
}

/// Appends the shorter list to the longer one; they are sorted later.
fn join<T>(all: &mut Vec<T>, other: &mut Vec<T>) {
    if all.len() < other.len() {
        std::mem::swap(all, other);
    }
    all.append(other);
}

/// Bytes of all but one of some equal objects.
fn saved(heap: &Heap, objects: &[u32]) -> u64 {
    objects.iter().skip(1).map(|object| heap.bytes(ObjectIndex(*object))).sum()
}

impl Duplicates {
    fn group(&mut self, objects: &[u32], saved_bytes: u64, most: usize) {
        let Some(first) = objects.iter().min() else { return };
        self.objects += objects.len() as u64;
        self.distinct += 1;
        self.saved_bytes += saved_bytes;
        if objects.len() > 1 {
            let (example, copies) = (ObjectIndex(*first), objects.len() as u64);
            self.groups.push(Copies { example, text: None, copies, saved_bytes });
            if self.groups.len() >= most.saturating_mul(2).max(64) {
                self.keep(most);
            }
        }
    }

    fn keep(&mut self, most: usize) {
        self.groups.sort_by_key(|group| (std::cmp::Reverse(group.saved_bytes), group.example));
        self.groups.truncate(most);
    }
}
