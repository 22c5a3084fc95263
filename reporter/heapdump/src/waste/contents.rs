//! Strings and arrays of equal content.
//!
//! Contents are compared by 96 bits of a hash (XXH3) over type, length and content. Among a hundred million arrays the
//! chance that any two different ones look equal is below 10^-12.

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::error::Error;
use crate::heap::Heap;
use crate::hprof::{Elements, FieldType};
use crate::index::ObjectIndex;

/// Contents that occur more than once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Duplicates {
    /// All objects.
    pub objects: u64,
    /// Different contents.
    pub distinct: u64,
    /// Bytes that one object for each content would save. Of strings: the copied `String` objects and arrays.
    pub saved_bytes: u64,
    /// The groups that would save most, most bytes first.
    pub groups: Vec<Copies>,
}

/// Objects of equal content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    /// One of them.
    pub example: ObjectIndex,
    /// The text of a string; long ones are cut.
    pub text: Option<String>,
    /// Objects.
    pub copies: u64,
    /// Bytes of all but one.
    pub saved_bytes: u64,
}

/// An array: 96 bits of its hash, then its index. Later the index is replaced by that of its first string in `strings`,
/// or gets [`FREE`] if no string has the array. Sorted, equal arrays are neighbours.
type Array = (u64, u32, u32);

/// Lists of arrays, by the first bits of their hash. Each list fits the processor's cache while it is sorted, and threads
/// divide the lists among them.
const LISTS: usize = 1 << 6;

/// Arrays of a piece (64 KiB). A list grows by pieces, which never move: moving would leave holes in memory.
const PIECE: usize = 1 << 12;

pub(super) struct HashedContents {
    /// The pieces of each list; the last piece has room.
    arrays: Vec<Vec<Vec<Array>>>,
    /// Array and string; the highest bit of the string is [`UTF16`].
    strings: Vec<(u32, u32)>,
}

const UTF16: u32 = 1 << 31;
const FREE: u32 = 1 << 31;

impl Default for HashedContents {
    fn default() -> Self {
        HashedContents { arrays: vec![Vec::new(); LISTS], strings: Vec::new() }
    }
}

impl HashedContents {
    pub(super) fn string(&mut self, string: ObjectIndex, array: ObjectIndex, coder: u8) {
        self.strings.push((array.0, string.0 | if coder == 0 { 0 } else { UTF16 }));
    }

    /// Reads an array. Gives the number of zero bytes at its end.
    pub(super) fn array(&mut self, array: ObjectIndex, kind: FieldType, elements: &mut Elements<'_, '_>) -> u64 {
        let mut hash = u128::from(kind as u8);
        let mut zeros = 0;
        while let Some(piece) = elements.next_piece() {
            // Pieces have a fixed size, so equal arrays have equal pieces. XXH3 includes the length.
            hash = xxh3_128_with_seed(piece, (hash ^ (hash >> 64)) as u64);
            zeros = trailing_zeros(piece, zeros);
        }
        let first = (hash >> 64) as u64;
        let pieces = &mut self.arrays[(first >> 58) as usize];
        match pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push((first, hash as u32, array.0)),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push((first, hash as u32, array.0));
                pieces.push(piece);
            }
        }
        zeros
    }

    pub(super) fn add(&mut self, mut other: HashedContents) {
        self.arrays.iter_mut().zip(&mut other.arrays).for_each(|(all, other)| all.append(other));
        join(&mut self.strings, &mut other.strings);
    }

    /// Groups strings, and arrays that belong to no string.
    pub(super) fn finish(
        mut self,
        heap: &Heap,
        threads: usize,
        most: usize,
    ) -> Result<(Duplicates, Duplicates), Error> {
        self.strings.sort_unstable();
        let held = Mutex::new(self.arrays.into_iter());
        let next = || held.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
        let work = || {
            let mut groups = Groups::default();
            while let Some(pieces) = next() {
                groups.group_arrays(heap, pieces.concat(), &self.strings, most);
            }
            (groups.strings, groups.arrays)
        };
        let (mut strings, mut arrays) = (Duplicates::default(), Duplicates::default());
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.clamp(1, LISTS)).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                let (of_strings, of_arrays) = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                strings.add(of_strings);
                arrays.add(of_arrays);
            }
        });
        strings.keep(most);
        arrays.keep(most);
        let examples: Vec<ObjectIndex> = strings.groups.iter().map(|group| group.example).collect();
        let mut texts: HashMap<ObjectIndex, String> = heap.texts(&examples)?;
        strings.groups.iter_mut().for_each(|group| group.text = texts.remove(&group.example));
        Ok((strings, arrays))
    }
}

/// The groups of one thread. The lists of a group's objects are reused for the next group.
#[derive(Default)]
struct Groups {
    strings: Duplicates,
    arrays: Duplicates,
    free: Vec<u32>,
    /// Arrays and strings, in LATIN1 and in UTF16: with equal bytes their texts differ.
    held: [(Vec<u32>, Vec<u32>); 2],
}

impl Groups {
    fn group_arrays(&mut self, heap: &Heap, mut list: Vec<Array>, strings: &[(u32, u32)], most: usize) {
        let mut near = 0;
        for (_, _, array) in &mut list {
            near = first_of(strings, near, *array);
            let is = strings.get(near).is_some_and(|(other, _)| other == array);
            *array = if is { near as u32 } else { *array | FREE };
        }
        list.sort_unstable();
        for group in list.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            self.free.clear();
            self.held.iter_mut().for_each(|(arrays, of_text)| (arrays.clear(), of_text.clear()).1);
            for (_, _, first) in group {
                if first & FREE != 0 {
                    self.free.push(first & !FREE);
                    continue;
                }
                let held = &strings[*first as usize..];
                let array = held[0].0;
                for (_, string) in held.iter().take_while(|(other, _)| *other == array) {
                    let (arrays, of_text) = &mut self.held[usize::from(string & UTF16 != 0)];
                    of_text.push(string & !UTF16);
                    if arrays.last() != Some(&array) {
                        arrays.push(array);
                    }
                }
            }
            for (arrays, of_text) in &self.held {
                self.strings.group(of_text, saved(heap, arrays) + saved(heap, of_text), most);
            }
            self.arrays.group(&self.free, saved(heap, &self.free), most);
        }
    }
}

/// The index at which the strings of an array begin, or would begin. Arrays come nearly in the order of their indices, so
/// the search starts near the result of the array before, with growing steps.
fn first_of(strings: &[(u32, u32)], near: usize, array: u32) -> usize {
    let before = |index: usize| strings[index].0 < array;
    let (mut low, mut high, mut step) = (near, near, 1);
    while high < strings.len() && before(high) {
        low = high + 1;
        high = strings.len().min(high + step);
        step *= 2;
    }
    while low > 0 && !before(low - 1) {
        high = low - 1;
        low = low.saturating_sub(step);
        step *= 2;
    }
    low + strings[low..high].partition_point(|(other, _)| *other < array)
}

/// Appends the shorter list to the longer one. The order does not matter.
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

    fn add(&mut self, other: Duplicates) {
        self.objects += other.objects;
        self.distinct += other.distinct;
        self.saved_bytes += other.saved_bytes;
        self.groups.extend(other.groups);
    }

    fn keep(&mut self, most: usize) {
        self.groups.sort_by_key(|group| (std::cmp::Reverse(group.saved_bytes), group.example));
        self.groups.truncate(most);
    }
}

/// Zero bytes at the end of a piece that follows `before` zero bytes.
pub(super) fn trailing_zeros(piece: &[u8], before: u64) -> u64 {
    match piece.iter().rev().position(|byte| *byte != 0) {
        Some(zeros) => zeros as u64,
        None => before + piece.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::first_of;

    #[test]
    fn the_strings_of_an_array_are_found_from_any_index() {
        let strings: Vec<(u32, u32)> = [2, 2, 2, 5, 9, 9, 14, 20, 21].map(|array| (array, 0)).to_vec();
        for near in 0..=strings.len() {
            for array in 0..25 {
                let first = strings.partition_point(|(other, _)| *other < array);
                assert_eq!(first_of(&strings, near, array), first, "from {near}, array {array}");
            }
        }
        assert_eq!(first_of(&[], 0, 7), 0);
    }
}
