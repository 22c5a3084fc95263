//! Lists of references in large chunks, which threads fill each for itself.
//!
//! A list is the number of its owner followed by the references; the last one has the bit [`LAST`]. No lengths are
//! kept, and a pass over all lists needs no table of their starts: it reads memory in order and frees it as it goes.

use std::sync::atomic::{AtomicU32, Ordering};

/// Set in the last reference of a list.
pub(crate) const LAST: u32 = 1 << 31;
/// Free for the use of whoever rewrites the references.
pub(crate) const MARK: u32 = 1 << 30;
/// The bits of a node's number.
pub(crate) const NODE: u32 = MARK - 1;

/// References of a chunk: 32 MiB, which the C library always maps for itself and gives back when it is freed.
const CHUNK_SHIFT: u32 = 23;
const CHUNK: usize = 1 << CHUNK_SHIFT;
/// Positions have 31 bits.
const CHUNKS: u32 = 1 << (31 - CHUNK_SHIFT);

/// More references than positions can tell apart.
#[derive(Debug)]
pub(crate) struct Full;

/// Lists of references, found by the position of their first reference.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool {
    chunks: Vec<Vec<u32>>,
}

/// Adds lists to chunks of its own.
pub(crate) struct Writer<'a> {
    next_chunk: &'a AtomicU32,
    capacity: usize,
    /// Full chunks and the one in use, the last.
    chunks: Vec<(u32, Vec<u32>)>,
}

impl<'a> Writer<'a> {
    /// `most` bounds how many references there can be in all, so that little heaps take little memory.
    pub(crate) fn new(next_chunk: &'a AtomicU32, most: u64) -> Self {
        Writer { next_chunk, capacity: CHUNK.min(usize::try_from(most).unwrap_or(CHUNK)), chunks: Vec::new() }
    }

    /// Adds a list, which is not empty, and gives its position, which is not 0.
    #[inline]
    pub(crate) fn add(&mut self, owner: u32, references: &[u32]) -> Result<u32, Full> {
        let Some((last, rest)) = references.split_last() else { return Err(Full) };
        match self.chunks.last_mut() {
            Some((number, chunk)) if chunk.len() + references.len() < CHUNK => {
                chunk.push(owner);
                let position = *number << CHUNK_SHIFT | chunk.len() as u32;
                chunk.extend_from_slice(rest);
                chunk.push(last | LAST);
                Ok(position)
            }
            _ if references.len() < CHUNK => {
                self.reserve(1)?;
                self.add(owner, references)
            }
            _ => self.add_long(owner, references),
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

    /// A list of more than a chunk goes into neighbours: its positions stay consecutive.
    #[cold]
    fn add_long(&mut self, owner: u32, references: &[u32]) -> Result<u32, Full> {
        let words = references.len() + 1;
        let needed = u32::try_from(words.div_ceil(CHUNK)).map_err(|_| Full)?;
        let first = self.reserve(needed)?;
        let at = self.chunks.len() - needed as usize;
        let last = references.len() - 1;
        let marked = references.iter().enumerate().map(|(i, node)| if i == last { node | LAST } else { *node });
        for (i, word) in std::iter::once(owner).chain(marked).enumerate() {
            self.chunks[at + i / CHUNK].1.push(word);
        }
        Ok((first << CHUNK_SHIFT) + 1)
    }

    pub(crate) fn finish(self) -> Vec<(u32, Vec<u32>)> {
        self.chunks
    }
}

impl Pool {
    /// Puts the writers' chunks in the places that positions name.
    pub(crate) fn of(chunks: impl IntoIterator<Item = (u32, Vec<u32>)>) -> Self {
        let mut pool = Pool::default();
        pool.extend(chunks);
        pool
    }

    /// Adds chunks of writers that continued behind this pool's.
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

    /// The word at a position.
    #[inline]
    pub(crate) fn get(&self, position: u32) -> u32 {
        self.chunks[(position >> CHUNK_SHIFT) as usize][position as usize & (CHUNK - 1)]
    }

    /// The word at a position, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, position: u32) -> &mut u32 {
        &mut self.chunks[(position >> CHUNK_SHIFT) as usize][position as usize & (CHUNK - 1)]
    }

    /// The owner of the list at a position, to be changed. It stands in the chunk of the first reference.
    #[inline]
    pub(crate) fn owner_mut(&mut self, position: u32) -> &mut u32 {
        self.get_mut(position - 1)
    }

    /// The nodes of the list at a position.
    pub(crate) fn list(&self, position: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = Some(position);
        std::iter::from_fn(move || {
            let at = next?;
            let word = self.get(at);
            next = (word & LAST == 0).then(|| at + 1);
            Some(word & NODE)
        })
    }

    /// Gives the lists that were replaced to a node that does not exist: those whose owner, asked for with the list's
    /// position, says so.
    pub(crate) fn disown(&mut self, replaced: impl Fn(u32, u32) -> bool) {
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

    /// Keeps of each list whose owner has a [`MARK`] the nodes that are to be kept; other lists go. Gives back the
    /// memory of what goes, chunk by chunk. `keep` gets the owner without its mark, and a node with its own.
    pub(crate) fn thin(self, mut keep: impl FnMut(u32, u32) -> bool) -> Pairs {
        // Of the list that is being read: whether there is one, its owner, whether that is written.
        let (mut open, mut owner, mut named) = (false, None, false);
        let mut thin = |mut chunk: Vec<u32>| {
            // In place: an owner is written once and behind where it was read, a word for a word.
            let mut written = 0;
            let mut write = |chunk: &mut Vec<u32>, word| {
                chunk[written] = word;
                written += 1;
            };
            for at in 0..chunk.len() {
                let word = chunk[at];
                if !open {
                    (open, owner, named) = (true, (word & MARK != 0).then_some(word & NODE), false);
                    continue;
                }
                if let Some(owner) = owner
                    && keep(owner, word & (NODE | MARK))
                {
                    if !named {
                        write(&mut chunk, owner | LAST);
                        named = true;
                    }
                    write(&mut chunk, word & NODE);
                }
                open = word & LAST == 0;
            }
            if let Some(owner) = owner
                && open
                && !named
            {
                // The list goes on in the next chunk, where its owner would find no room.
                write(&mut chunk, owner | LAST);
                named = true;
            }
            chunk.truncate(written);
            chunk.shrink_to_fit();
            chunk
        };
        Pairs(self.chunks.into_iter().map(&mut thin).collect())
    }
}

/// What is left of lists: an owner with the bit [`LAST`], its words, the next owner.
pub(crate) struct Pairs(Vec<Vec<u32>>);

impl Pairs {
    /// Gives every word with its owner, and frees the chunks one by one.
    pub(crate) fn consume(self, mut visit: impl FnMut(u32, u32)) {
        let mut owner = 0;
        self.0.into_iter().for_each(|chunk| pairs(&chunk, &mut owner, &mut visit));
    }
}

#[inline]
fn pairs(chunk: &[u32], owner: &mut u32, visit: &mut impl FnMut(u32, u32)) {
    for &word in chunk {
        if word & LAST != 0 {
            *owner = word & NODE;
        } else {
            visit(*owner, word);
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
            lists.iter().enumerate().map(|(owner, list)| writer.add(owner as u32, list).expect("room")).collect();
        let mut pool = Pool::of(writer.finish());
        for (list, position) in lists.iter().zip(&positions) {
            assert!(pool.list(*position).eq(list.iter().copied()));
        }
        // The third list goes, and of the others the words that a residue does not pick: the longest list keeps none
        // of its first chunk.
        for (owner, position) in (10..).zip(&positions).filter(|(owner, _)| *owner != 12) {
            *pool.owner_mut(*position) = owner | MARK;
        }
        let picked = |owner: u32, at: usize, node: u32| match owner {
            13 => at > CHUNK && node.is_multiple_of(7),
            _ => node % 3 != 1,
        };
        let mut read = vec![0; lists.len()];
        let pairs = pool.thin(|owner, node| {
            let at = &mut read[owner as usize - 10];
            *at += 1;
            picked(owner, *at - 1, node)
        });
        assert_eq!(read, [1, CHUNK - 3, 0, 2 * CHUNK + 3, 2]);
        let kept = lists.iter().zip(10..).filter(|(_, owner)| *owner != 12);
        let mut next = kept.flat_map(|(list, owner)| {
            let picked = move |(at, node): &(usize, &u32)| picked(owner, *at, **node);
            list.iter().enumerate().filter(picked).map(move |(_, node)| (owner, *node))
        });
        pairs.consume(|owner, node| assert_eq!(next.next(), Some((owner, node))));
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
