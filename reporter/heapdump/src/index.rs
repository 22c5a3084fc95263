//! [`AddressIndex`] numbers objects in the order of their addresses.

use std::collections::HashMap;

/// Heap bytes of a page of the bitmap.
const PAGE_SHIFT: u32 = 18;
/// Heap bytes of one word of the bitmap: 64 granules of 8 bytes.
const SLOT_SHIFT: u32 = 9;
const SLOTS: usize = 1 << (PAGE_SHIFT - SLOT_SHIFT);
const ABSENT: u32 = u32::MAX;

/// An object's index among all objects, in the order of their addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectIndex(pub(crate) u32);

impl ObjectIndex {
    /// As an index into an array with an element for each object.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// The addresses that one thread has seen, as a bitmap of pages.
#[derive(Default)]
pub(crate) struct AddressMarks {
    pages: HashMap<u64, u32>,
    bitmaps: Vec<Box<[u64; SLOTS]>>,
    last: Option<(u64, u32)>,
    marked: u64,
    /// An address does not fit a bitmap, or the bitmap would be larger than a list.
    unsuited: bool,
}

impl AddressMarks {
    /// How many addresses were seen, duplicates included.
    pub(crate) fn marked(&self) -> u64 {
        self.marked
    }

    #[inline]
    pub(crate) fn mark(&mut self, address: u64) {
        let page = address >> PAGE_SHIFT;
        let at = match self.last {
            Some((last, at)) if last == page => at,
            _ => self.turn(page),
        };
        self.marked += 1;
        self.unsuited |= address & 7 != 0;
        if let Some(bitmap) = self.bitmaps.get_mut(at as usize) {
            bitmap[(address >> SLOT_SHIFT) as usize & (SLOTS - 1)] |= 1 << ((address >> 3) & 63);
        }
    }

    #[inline(never)]
    fn turn(&mut self, page: u64) -> u32 {
        // A page costs 4 KiB here and 6 in the index: a list is smaller below 512 objects a page. An object takes at
        // least 17 bytes of the file, so sparse addresses cannot make the index much larger than the dump.
        self.unsuited |= self.bitmaps.len() as u64 > 256 + self.marked / 64;
        if self.unsuited {
            return ABSENT;
        }
        let at = *self.pages.entry(page).or_insert(self.bitmaps.len() as u32);
        if at as usize == self.bitmaps.len() {
            self.bitmaps.push(Box::new([0; SLOTS]));
        }
        self.last = Some((page, at));
        at
    }
}

/// Numbers the objects of a heap and finds them by address.
///
/// If addresses are dense multiples of 8: 12 bytes per 512 bytes of heap, and a look-up touches one cache line. Otherwise
/// a sorted list, 8 bytes an object.
#[derive(Debug)]
pub(crate) enum AddressIndex {
    Paged(Pages),
    Sorted(Vec<u64>),
}

#[derive(Debug)]
pub(crate) struct Pages {
    /// First page of the range that `directory` covers.
    lowest: u64,
    /// Index of a page in `numbers`.
    directory: Vec<u32>,
    slots: Vec<Slot>,
    /// Page numbers, ascending.
    numbers: Vec<u64>,
    objects: u32,
}

/// Packed: 12 bytes instead of 16.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed)]
struct Slot {
    bits: u64,
    /// Objects before this slot.
    base: u32,
}

impl AddressIndex {
    /// Merges the marks of threads. `None` if a list is needed, or if there are more than 2^32 objects.
    pub(crate) fn of_marks(all: Vec<AddressMarks>) -> Option<Self> {
        if all.iter().any(|marks| marks.unsuited) {
            return None;
        }
        let mut merged: HashMap<u64, Box<[u64; SLOTS]>> = HashMap::new();
        for marks in all {
            let mut bitmaps: Vec<Option<Box<[u64; SLOTS]>>> = marks.bitmaps.into_iter().map(Some).collect();
            for (page, at) in marks.pages {
                let Some(bitmap) = bitmaps[at as usize].take() else { continue };
                match merged.get_mut(&page) {
                    Some(present) => present.iter_mut().zip(bitmap.iter()).for_each(|(a, b)| *a |= b),
                    None => drop(merged.insert(page, bitmap)),
                }
            }
        }
        let mut numbers: Vec<u64> = merged.keys().copied().collect();
        numbers.sort_unstable();
        let (lowest, highest) = (*numbers.first()?, *numbers.last()?);
        let range = highest - lowest + 1;
        if range > numbers.len() as u64 * 16 + (1 << 20) {
            return None;
        }
        let mut directory = vec![ABSENT; range as usize];
        let mut slots = Vec::with_capacity(numbers.len() * SLOTS);
        let mut objects = 0_u32;
        for (index, page) in numbers.iter().enumerate() {
            directory[(page - lowest) as usize] = index as u32;
            let bitmap = merged.remove(page)?;
            for &bits in bitmap.iter() {
                slots.push(Slot { bits, base: objects });
                objects = objects.checked_add(bits.count_ones())?;
            }
        }
        Some(AddressIndex::Paged(Pages { lowest, directory, slots, numbers, objects }))
    }

    /// Numbers the addresses of a list in any order.
    pub(crate) fn of_list(mut addresses: Vec<u64>) -> Self {
        addresses.sort_unstable();
        addresses.dedup();
        addresses.shrink_to_fit();
        AddressIndex::Sorted(addresses)
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> usize {
        match self {
            AddressIndex::Paged(pages) => pages.objects as usize,
            AddressIndex::Sorted(addresses) => addresses.len(),
        }
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            AddressIndex::Paged(pages) => {
                (pages.slots.len() * 12 + pages.numbers.len() * 8 + pages.directory.len() * 4) as u64
            }
            AddressIndex::Sorted(addresses) => addresses.len() as u64 * 8,
        }
    }

    /// The object at an address.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<u32> {
        match self {
            AddressIndex::Paged(pages) => pages.find(address),
            AddressIndex::Sorted(addresses) => addresses.binary_search(&address).ok().map(|index| index as u32),
        }
    }

    /// The address of an object.
    pub(crate) fn address(&self, object: u32) -> u64 {
        match self {
            AddressIndex::Paged(pages) => pages.address(object),
            AddressIndex::Sorted(addresses) => addresses[object as usize],
        }
    }

    /// The next object's address after this one.
    pub(crate) fn find_next_address(&self, address: u64) -> Option<u64> {
        match self {
            AddressIndex::Paged(pages) => pages.find_next_address(address),
            AddressIndex::Sorted(addresses) => {
                addresses.get(addresses.partition_point(|other| *other <= address)).copied()
            }
        }
    }

    /// Visits all addresses, ascending: those of the objects 0, 1, 2 and so on.
    pub(crate) fn each_address(&self, visit: impl FnMut(u64)) {
        match self {
            AddressIndex::Paged(pages) => pages.each_address(visit),
            AddressIndex::Sorted(addresses) => addresses.iter().copied().for_each(visit),
        }
    }

    /// The bits that are set in any address.
    pub(crate) fn address_bits(&self) -> u64 {
        match self {
            AddressIndex::Paged(pages) => pages.address_bits(),
            AddressIndex::Sorted(addresses) => addresses.iter().fold(0, |bits, address| bits | address),
        }
    }
}

impl Pages {
    /// The index of an address's slot.
    #[inline]
    fn slot_of(&self, address: u64) -> Option<usize> {
        let page = (address >> PAGE_SHIFT).wrapping_sub(self.lowest);
        let index = *self.directory.get(usize::try_from(page).ok()?)?;
        (index != ABSENT).then(|| index as usize * SLOTS + ((address >> SLOT_SHIFT) as usize & (SLOTS - 1)))
    }

    #[inline]
    fn find(&self, address: u64) -> Option<u32> {
        let slot = self.slots[self.slot_of(address).filter(|_| address & 7 == 0)?];
        let bit = 1_u64 << ((address >> 3) & 63);
        (slot.bits & bit != 0).then(|| slot.base + (slot.bits & (bit - 1)).count_ones())
    }

    fn find_next_address(&self, address: u64) -> Option<u64> {
        let at = self.slot_of(address)?;
        // The bits after that of the address; a shift by 64 leaves none.
        let after = u64::MAX.checked_shl((address >> 3 & 63) as u32 + 1).unwrap_or(0);
        let first = std::iter::once(self.slots[at].bits & after);
        let mut bits = first.chain(self.slots[at + 1..].iter().map(|slot| slot.bits)).zip(at..);
        let (bits, at) = bits.find(|(bits, _)| *bits != 0)?;
        Some(self.start(at) | u64::from(bits.trailing_zeros()) << 3)
    }

    fn address(&self, object: u32) -> u64 {
        // The last slot whose base is not greater. Empty slots before the next one have the base of that.
        let at = self.slots.partition_point(|slot| slot.base <= object) - 1;
        let slot = self.slots[at];
        let mut bits = slot.bits;
        for _ in 0..object - slot.base {
            bits &= bits - 1;
        }
        self.start(at) | u64::from(bits.trailing_zeros()) << 3
    }

    fn start(&self, slot: usize) -> u64 {
        self.numbers[slot / SLOTS] << PAGE_SHIFT | ((slot % SLOTS) as u64) << SLOT_SHIFT
    }

    fn each_address(&self, mut visit: impl FnMut(u64)) {
        for (at, slot) in self.slots.iter().enumerate() {
            let start = self.start(at);
            let mut bits = slot.bits;
            while bits != 0 {
                visit(start | u64::from(bits.trailing_zeros()) << 3);
                bits &= bits - 1;
            }
        }
    }

    fn address_bits(&self) -> u64 {
        let taken = self.slots.iter().enumerate().filter(|(_, slot)| slot.bits != 0);
        let (starts, taken) =
            taken.fold((0, 0), |(starts, bits), (at, slot)| (starts | self.start(at), bits | slot.bits));
        (0..64).filter(|bit| taken >> bit & 1 == 1).fold(starts, |bits, bit| bits | bit << 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paged(addresses: &[u64]) -> Option<AddressIndex> {
        let (mut a, mut b) = (AddressMarks::default(), AddressMarks::default());
        for (i, address) in addresses.iter().enumerate() {
            if i % 2 == 0 { a.mark(*address) } else { b.mark(*address) }
        }
        AddressIndex::of_marks(vec![a, b])
    }

    #[test]
    fn both_forms_number_objects_by_address_and_give_the_addresses_back() {
        let mut addresses: Vec<u64> = (0..5_000).map(|i| 0x7_0000_0000 + i * 8 * (1 + i % 13)).collect();
        addresses.push(0x7_4000_0000);
        let mut sorted = addresses.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let forms = [paged(&addresses).expect("a bitmap"), AddressIndex::of_list(addresses)];
        assert!(matches!(forms, [AddressIndex::Paged(_), AddressIndex::Sorted(_)]));
        for index in forms {
            assert_eq!(index.len(), sorted.len());
            let mut given = Vec::new();
            index.each_address(|address| given.push(address));
            assert_eq!(given, sorted);
            assert_eq!(index.address_bits(), sorted.iter().fold(0, |bits, address| bits | address));
            for (number, address) in sorted.iter().enumerate() {
                assert_eq!(index.find(*address), Some(number as u32));
                assert_eq!(index.address(number as u32), *address);
                assert_eq!(index.find(*address + 4), None);
                assert_eq!(index.find_next_address(*address), sorted.get(number + 1).copied());
            }
            for absent in [0, 8, 0x6_FFFF_FFF8, 0x7_4000_0008, u64::MAX] {
                assert_eq!(index.find(absent), None);
            }
        }
    }

    #[test]
    fn addresses_that_are_unaligned_or_far_apart_need_a_list() {
        assert!(paged(&[16, 20]).is_none());
        assert!(paged(&[8, u64::MAX - 7]).is_none());
        let sparse: Vec<u64> = (0..10_000).map(|i| i << 30).collect();
        assert!(paged(&sparse).is_none());
        assert!(paged(&[]).is_none());
    }
}
