//! Lists of references in large chunks. Each thread fills its own chunks.
//!
//! A list is the number of its source followed by the references; the last one has the bit [`LAST`]. A list needs no
//! length, and a pass over all lists needs no table of starts: it reads memory in order and frees what it read.

use std::sync::atomic::{AtomicU32, Ordering};

/// Set in the last reference of a list.
pub(crate) const LAST: u32 = 1 << 31;
/// Free for use by code that rewrites the references.
pub(crate) const MARK: u32 = 1 << 30;
/// The bits of a node's number.
pub(crate) const NODE: u32 = MARK - 1;

/// References of a chunk: 32 MiB, which the C library always maps separately and unmaps when it is freed.
const CHUNK_SHIFT: u32 = 23;
const CHUNK: usize = 1 << CHUNK_SHIFT;
/// Indices have 31 bits.
const CHUNKS: u32 = 1 << (31 - CHUNK_SHIFT);

/// There are more references than indices.
#[derive(Debug)]
pub(crate) struct Full;

/// Lists of references, found by the index of their first reference.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool {
    chunks: Vec<Vec<u32>>,
}

/// Adds lists to its own chunks.
pub(crate) struct Writer<'a> {
    next_chunk: &'a AtomicU32,
    capacity: usize,
    /// Full chunks and the one in use, the last.
    chunks: Vec<(u32, Vec<u32>)>,
}

impl<'a> Writer<'a> {
    /// `most` is an upper bound of all references: small heaps take little memory.
    pub(crate) fn new(next_chunk: &'a AtomicU32, most: u64) -> Self {
        Writer { next_chunk, capacity: CHUNK.min(usize::try_from(most).unwrap_or(CHUNK)), chunks: Vec::new() }
    }

    /// Adds a list, which is not empty, and gives its index, which is not 0.
    #[inline]
    pub(crate) fn add(&mut self, source: u32, references: &[u32]) -> Result<u32, Full> {
        let Some((last, rest)) = references.split_last() else { return Err(Full) };
        match self.chunks.last_mut() {
            Some((number, chunk)) if chunk.len() + references.len() < CHUNK => {
                chunk.push(source);
                let index = *number << CHUNK_SHIFT | chunk.len() as u32;
                chunk.extend_from_slice(rest);
                chunk.push(last | LAST);
                Ok(index)
            }
            _ if references.len() < CHUNK => {
                self.reserve(1)?;
                self.add(source, references)
            }
            _ => self.add_long(source, references),
        }
    }

    fn reserve(&mut self, chunks: u32) -> Result<u32, Full> {
        let first = self
            .next_chunk
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                next.checked_add(chunks).filter(|end| *end <= CHUNKS)
            })
            .map_err(|_| Full)?;
        for number in first..first + chunks {
            self.chunks.push((number, Vec::with_capacity(self.capacity)));
        }
        Ok(first)
    }

    /// A list longer than a chunk goes into consecutive chunks, so its indices stay consecutive.
    #[cold]
    fn add_long(&mut self, source: u32, references: &[u32]) -> Result<u32, Full> {
        let words = references.len() + 1;
        let needed = u32::try_from(words.div_ceil(CHUNK)).map_err(|_| Full)?;
        let first = self.reserve(needed)?;
        let at = self.chunks.len() - needed as usize;
        let last = references.len() - 1;
        let marked = references.iter().enumerate().map(|(i, node)| if i == last { node | LAST } else { *node });
        for (i, word) in std::iter::once(source).chain(marked).enumerate() {
            self.chunks[at + i / CHUNK].1.push(word);
        }
        Ok((first << CHUNK_SHIFT) + 1)
    }

    pub(crate) fn finish(self) -> Vec<(u32, Vec<u32>)> {
        self.chunks
    }
}

impl Pool {
    /// A pool of the writers' chunks.
    pub(crate) fn from_chunks(chunks: impl IntoIterator<Item = (u32, Vec<u32>)>) -> Self {
        let mut pool = Pool::default();
        pool.extend(chunks);
        pool
    }

    /// Adds chunks of writers that started with the number [`Pool::chunks`].
    pub(crate) fn extend(&mut self, chunks: impl IntoIterator<Item = (u32, Vec<u32>)>) {
        for (number, chunk) in chunks {
            if self.chunks.len() <= number as usize {
                self.chunks.resize_with(number as usize + 1, Vec::new);
            }
            self.chunks[number as usize] = chunk;
        }
    }

    /// Number of chunks: the first that a further writer may use.
    pub(crate) fn chunks(&self) -> u32 {
        self.chunks.len() as u32
    }

    /// The word at an index.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> u32 {
        self.chunks[(index >> CHUNK_SHIFT) as usize][index as usize & (CHUNK - 1)]
    }

    /// The word at an index, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> &mut u32 {
        &mut self.chunks[(index >> CHUNK_SHIFT) as usize][index as usize & (CHUNK - 1)]
    }

    /// The source of the list at an index, to be changed. It is in the chunk of the first reference.
    #[inline]
    pub(crate) fn source_mut(&mut self, index: u32) -> &mut u32 {
        self.get_mut(index - 1)
    }

    /// The nodes of the list at an index.
    pub(crate) fn list(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = Some(index);
        std::iter::from_fn(move || {
            let at = next?;
            let word = self.get(at);
            next = (word & LAST == 0).then(|| at + 1);
            Some(word & NODE)
        })
    }

    /// Hides lists by giving them a source that does not exist: those for which `replaced` holds, given the source and
    /// the index of the list.
    pub(crate) fn hide(&mut self, replaced: impl Fn(u32, u32) -> bool) {
        let mut open = false;
        for (number, chunk) in (0_u32..).zip(&mut self.chunks) {
            for (at, word) in (1_u32..).zip(chunk) {
                if open {
                    open = *word & LAST == 0;
                    continue;
                }
                if replaced(*word, (number << CHUNK_SHIFT) + at) {
                    *word = NODE;
                }
                open = true;
            }
        }
    }

    /// Keeps the lists whose source has a [`MARK`], and in them the nodes for which `keep` holds, given the source
    /// without its mark and the node with its mark. Frees the rest, chunk by chunk.
    pub(crate) fn thin(self, mut keep: impl FnMut(u32, u32) -> bool) -> Pairs {
        // Whether a list is being read, its source, and whether that is written.
        let (mut open, mut source, mut named) = (false, None, false);
        let mut thin = |mut chunk: Vec<u32>| {
            // In the same chunk: a source is written once, and never before it was read.
            let mut written = 0;
            let mut write = |chunk: &mut Vec<u32>, word| {
                chunk[written] = word;
                written += 1;
            };
            for at in 0..chunk.len() {
                let word = chunk[at];
                if !open {
                    (open, source, named) = (true, (word & MARK != 0).then_some(word & NODE), false);
                    continue;
                }
                if let Some(source) = source
                    && keep(source, word & (NODE | MARK))
                {
                    if !named {
                        write(&mut chunk, source | LAST);
                        named = true;
                    }
                    write(&mut chunk, word & NODE);
                }
                open = word & LAST == 0;
            }
            if let Some(source) = source
                && open
                && !named
            {
                // The list continues in the next chunk, which has no room for its source.
                write(&mut chunk, source | LAST);
                named = true;
            }
            chunk.truncate(written);
            chunk.shrink_to_fit();
            chunk
        };
        Pairs(self.chunks.into_iter().map(&mut thin).collect())
    }
}

/// Thinned lists: a source with the bit [`LAST`], its words, the next source.
pub(crate) struct Pairs(Vec<Vec<u32>>);

impl Pairs {
    /// Visits every word with its source, and frees the chunks one by one.
    pub(crate) fn consume(self, mut visit: impl FnMut(u32, u32)) {
        let mut source = 0;
        for chunk in self.0 {
            for word in chunk {
                match word & LAST {
                    0 => visit(source, word),
                    _ => source = word & NODE,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_found_by_position_and_thinned_in_order() {
        let next = AtomicU32::new(0);
        let mut writer = Writer::new(&next, u64::MAX);
        let lists: Vec<Vec<u32>> =
            [1, CHUNK - 3, 5, 2 * CHUNK + 3, 2].iter().map(|n| (0..*n as u32).map(|i| i % 1000).collect()).collect();
        let positions: Vec<u32> =
            lists.iter().enumerate().map(|(source, list)| writer.add(source as u32, list).expect("room")).collect();
        let mut pool = Pool::from_chunks(writer.finish());
        for (list, position) in lists.iter().zip(&positions) {
            assert!(pool.list(*position).eq(list.iter().copied()));
        }
        // The third list is removed, and words of the others by a residue: the longest list keeps none of its first chunk.
        for (source, position) in (10..).zip(&positions).filter(|(source, _)| *source != 12) {
            *pool.source_mut(*position) = source | MARK;
        }
        let picked = |source: u32, at: usize, node: u32| match source {
            13 => at > CHUNK && node.is_multiple_of(7),
            _ => node % 3 != 1,
        };
        let mut read = vec![0; lists.len()];
        let pairs = pool.thin(|source, node| {
            let at = &mut read[source as usize - 10];
            *at += 1;
            picked(source, *at - 1, node)
        });
        assert_eq!(read, [1, CHUNK - 3, 0, 2 * CHUNK + 3, 2]);
        let kept = lists.iter().zip(10..).filter(|(_, source)| *source != 12);
        let mut next = kept.flat_map(|(list, source)| {
            let picked = move |(at, node): &(usize, &u32)| picked(source, *at, **node);
            list.iter().enumerate().filter(picked).map(move |(_, node)| (source, *node))
        });
        pairs.consume(|source, node| assert_eq!(next.next(), Some((source, node))));
        assert_eq!(next.next(), None);
    }

    #[test]
    fn more_references_than_positions_are_refused() {
        let next = AtomicU32::new(CHUNKS - 1);
        let mut writer = Writer::new(&next, 16);
        assert!(writer.add(0, &[1]).is_ok());
        assert!(writer.reserve(1).is_err());
        assert!(writer.add(0, &[]).is_err());
    }
}
