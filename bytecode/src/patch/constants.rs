//! Appends constants to a pool and reuses equal ones.

use crate::read::{CpIndex, Pool, tag};
use crate::{Error, ErrorKind, Result};

/// The highest `constant_pool_count` (JVMS §4.1: a `u2`).
const MAX_COUNT: usize = 65_535;

/// A constant pool that only grows: no index of the original changes its meaning.
///
/// Every method returns the index of an equal constant of the original or of an earlier call, else appends one. It fails
/// with `Limit` when the pool is full or a text is longer than 65,535 bytes.
#[derive(Debug)]
pub struct PoolEditor<'a> {
    pool: Pool<'a>,
    pub(super) added: Vec<u8>,
    /// Offset in `added` by index, counted from the original's `constant_pool_count`.
    pub(super) added_at: Vec<u32>,
}

impl<'a> PoolEditor<'a> {
    /// Starts with the constants of a class; only the memory of the buffers is used.
    pub(super) fn new(pool: Pool<'a>, mut added: Vec<u8>, mut added_at: Vec<u32>) -> Self {
        added.clear();
        added_at.clear();
        PoolEditor { pool, added, added_at }
    }

    /// `constant_pool_count` with the appended constants.
    pub fn count(&self) -> u16 {
        (self.pool.count() + self.added_at.len()) as u16
    }

    /// A Utf8 of these modified UTF-8 bytes.
    pub fn utf8(&mut self, bytes: &[u8]) -> Result<CpIndex> {
        self.utf8s([bytes]).map(|[index]| index)
    }

    /// Several Utf8s in one pass over the pool.
    pub fn utf8s<const N: usize>(&mut self, wanted: [&[u8]; N]) -> Result<[CpIndex; N]> {
        // Lengths modulo 64: most constants are rejected by their length alone.
        let lengths = wanted.iter().fold(0u64, |mask, text| mask | 1 << (text.len() % 64));
        let mut found = [CpIndex(0); N];
        let bytes = self.pool.bytes();
        for (index, &offset) in self.pool.offsets().iter().enumerate().skip(1) {
            let offset = offset as usize;
            let Some(&[tag, high, low]) = bytes.get(offset..offset + 3) else { continue };
            let length = usize::from(u16::from_be_bytes([high, low]));
            // One branch that is nearly always taken, not one that depends on the tag.
            if lengths >> (length % 64) & u64::from(tag == tag::UTF8) == 0 {
                continue;
            }
            let rest = &bytes[offset + 3..];
            for (found, text) in found.iter_mut().zip(wanted) {
                if found.0 == 0 && text.len() == length && rest[..length] == *text {
                    *found = CpIndex(index as u16);
                }
            }
        }
        for (found, text) in found.iter_mut().zip(wanted) {
            if found.0 == 0 {
                *found = self.utf8_not_in_original(text)?;
            }
        }
        Ok(found)
    }

    fn utf8_not_in_original(&mut self, text: &[u8]) -> Result<CpIndex> {
        let head = utf8_head(text)?;
        match self.find_added(|added| added.starts_with(&head) && added[3..].starts_with(text)) {
            Some(index) => Ok(index),
            None => self.append(&head, text),
        }
    }

    /// A Class of this internal name or array descriptor.
    pub fn class(&mut self, name: &[u8]) -> Result<CpIndex> {
        let name = self.utf8(name)?;
        self.class_of(name)
    }

    /// A Class whose name is a Utf8 of this editor.
    pub fn class_of(&mut self, name: CpIndex) -> Result<CpIndex> {
        self.one_operand(tag::CLASS, name)
    }

    /// The name of a Class, original or appended.
    pub fn class_name(&self, index: CpIndex) -> Result<Vec<u8>> {
        if !self.is_added(index) {
            return self.pool.class_name(index).map(<[u8]>::to_vec);
        }
        let Some(&[tag::CLASS, high, low, ..]) = self.added_constant(index) else { return Err(no_class(index)) };
        let name = CpIndex(u16::from_be_bytes([high, low]));
        if !self.is_added(name) {
            return self.pool.utf8(name).map(<[u8]>::to_vec);
        }
        let Some([tag::UTF8, high, low, text @ ..]) = self.added_constant(name) else { return Err(no_class(index)) };
        Ok(text[..usize::from(u16::from_be_bytes([*high, *low]))].to_vec())
    }

    fn added_constant(&self, index: CpIndex) -> Option<&[u8]> {
        let at = *self.added_at.get(usize::from(index.0).checked_sub(self.pool.count())?)?;
        self.added.get(at as usize..)
    }

    /// A String of these modified UTF-8 bytes.
    pub fn string(&mut self, bytes: &[u8]) -> Result<CpIndex> {
        let text = self.utf8(bytes)?;
        self.one_operand(tag::STRING, text)
    }

    /// An Integer.
    pub fn integer(&mut self, value: i32) -> Result<CpIndex> {
        let [a, b, c, d] = value.to_be_bytes();
        self.intern(&[tag::INTEGER, a, b, c, d], false)
    }

    /// A NameAndType of two Utf8s of this editor.
    pub fn name_and_type(&mut self, name: CpIndex, descriptor: CpIndex) -> Result<CpIndex> {
        self.two_operands(tag::NAME_AND_TYPE, name, descriptor)
    }

    /// A Methodref of a class's method, all three given by their bytes.
    pub fn method_ref(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<CpIndex> {
        let [class, name, descriptor] = self.utf8s([class, name, descriptor])?;
        let class = self.class_of(class)?;
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.two_operands(tag::METHODREF, class, name_and_type)
    }

    /// A Methodref whose texts are not looked up among the original's constants, which would take longer than the rest
    /// of a small patch. At worst the pool has a text twice.
    pub fn own_method_ref(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<CpIndex> {
        if self.added_at.is_empty() && class != name && name != descriptor && descriptor != class {
            // The first appended constants, so there is no equal one. This saves 3 percent of the engine's CPU.
            let [class, name, descriptor] =
                [class, name, descriptor].map(|text| utf8_head(text).and_then(|head| self.append(&head, text)));
            let ([a, b], [c, d]) = (name?.0.to_be_bytes(), descriptor?.0.to_be_bytes());
            let [high, low] = class?.0.to_be_bytes();
            let class = self.append(&[tag::CLASS, high, low], &[])?;
            let name_and_type = self.append(&[tag::NAME_AND_TYPE, a, b, c, d], &[])?;
            let ([a, b], [c, d]) = (class.0.to_be_bytes(), name_and_type.0.to_be_bytes());
            return self.append(&[tag::METHODREF, a, b, c, d], &[]);
        }
        let class = self.utf8_not_in_original(class)?;
        let (name, descriptor) = (self.utf8_not_in_original(name)?, self.utf8_not_in_original(descriptor)?);
        let class = self.class_of(class)?;
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.two_operands(tag::METHODREF, class, name_and_type)
    }

    fn one_operand(&mut self, tag: u8, operand: CpIndex) -> Result<CpIndex> {
        let [high, low] = operand.0.to_be_bytes();
        self.intern(&[tag, high, low], self.is_added(operand))
    }

    fn two_operands(&mut self, tag: u8, first: CpIndex, second: CpIndex) -> Result<CpIndex> {
        let ([a, b], [c, d]) = (first.0.to_be_bytes(), second.0.to_be_bytes());
        let names_added = self.is_added(first) || self.is_added(second);
        self.intern(&[tag, a, b, c, d], names_added)
    }

    fn is_added(&self, index: CpIndex) -> bool {
        usize::from(index.0) >= self.pool.count()
    }

    /// With `names_added` an operand is an appended constant, so no constant of the original can be equal.
    fn intern(&mut self, constant: &[u8], names_added: bool) -> Result<CpIndex> {
        if !names_added {
            let bytes = self.pool.bytes();
            // Offset 0 means no constant. The first byte of the file, 0xCA, is no tag.
            let position = self.pool.offsets().iter().position(|&o| bytes[o as usize..].starts_with(constant));
            if let Some(index) = position {
                return Ok(CpIndex(index as u16));
            }
        }
        match self.find_added(|added| added.starts_with(constant)) {
            Some(index) => Ok(index),
            None => self.append(constant, &[]),
        }
    }

    fn find_added(&self, is_equal: impl Fn(&[u8]) -> bool) -> Option<CpIndex> {
        let position = self.added_at.iter().position(|&at| is_equal(&self.added[at as usize..]))?;
        Some(CpIndex((self.pool.count() + position) as u16))
    }

    fn append(&mut self, head: &[u8], text: &[u8]) -> Result<CpIndex> {
        let index = self.pool.count() + self.added_at.len();
        if index >= MAX_COUNT {
            let message = format!("the constant pool is full ({MAX_COUNT} entries)");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        self.added_at.push(self.added.len() as u32);
        self.added.extend_from_slice(head);
        self.added.extend_from_slice(text);
        Ok(CpIndex(index as u16))
    }
}

/// Tag and length of a Utf8.
fn utf8_head(text: &[u8]) -> Result<[u8; 3]> {
    let Ok(length) = u16::try_from(text.len()) else {
        let message = format!("a text of {} bytes is too long for a constant", text.len());
        return Err(Error::new(ErrorKind::Limit, message));
    };
    let [high, low] = length.to_be_bytes();
    Ok([tag::UTF8, high, low])
}

#[cold]
fn no_class(index: CpIndex) -> Error {
    Error::new(ErrorKind::Internal, format!("the appended constant {index} is no Class"))
}
