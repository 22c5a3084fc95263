//! Appends constants to a pool and reuses equal ones.

use crate::read::{CpIndex, Pool, tag};
use crate::{BytecodeErrorKind, Error, Result};

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
    /// Class, name, descriptor and index of those that were asked for: code with many probes asks for a few, again and again.
    method_refs: Vec<([Box<[u8]>; 3], CpIndex)>,
}

impl<'a> PoolEditor<'a> {
    /// Starts with the constants of a class; only the memory of the buffers is used.
    pub(super) fn new(pool: Pool<'a>, mut added: Vec<u8>, mut added_at: Vec<u32>) -> Self {
        added.clear();
        added_at.clear();
        PoolEditor { pool, added, added_at, method_refs: Vec::new() }
    }

    /// `constant_pool_count` with the appended constants.
    pub fn count(&self) -> u16 {
        (self.pool.count() + self.added_at.len()) as u16
    }

    /// A Utf8 of these modified UTF-8 bytes.
    pub fn utf8(&mut self, text: &[u8]) -> Result<CpIndex> {
        let Ok(length) = u16::try_from(text.len()) else {
            let message = format!("a text of {} bytes is too long for a constant", text.len());
            return Err(Error::new(BytecodeErrorKind::Limit, message));
        };
        let [high, low] = length.to_be_bytes();
        self.intern(&[tag::UTF8, high, low], text, false)
    }

    /// A Class of this internal name or array descriptor.
    pub fn class(&mut self, name: &[u8]) -> Result<CpIndex> {
        let name = self.utf8(name)?;
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
        self.intern(&[tag::INTEGER, a, b, c, d], &[], false)
    }

    /// A Methodref of a class's method, all three given by their bytes.
    pub fn method_ref(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<CpIndex> {
        let key = [class, name, descriptor];
        let known =
            self.method_refs.iter().find(|(known, _)| known.iter().zip(key).all(|(known, part)| **known == *part));
        if let Some((_, index)) = known {
            return Ok(*index);
        }
        let class = self.class(class)?;
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let name_and_type = self.two_operands(tag::NAME_AND_TYPE, name, descriptor)?;
        let index = self.two_operands(tag::METHODREF, class, name_and_type)?;
        self.method_refs.push((key.map(Box::from), index));
        Ok(index)
    }

    fn one_operand(&mut self, tag: u8, operand: CpIndex) -> Result<CpIndex> {
        let [high, low] = operand.0.to_be_bytes();
        self.intern(&[tag, high, low], &[], self.is_added(operand))
    }

    fn two_operands(&mut self, tag: u8, first: CpIndex, second: CpIndex) -> Result<CpIndex> {
        let ([a, b], [c, d]) = (first.0.to_be_bytes(), second.0.to_be_bytes());
        self.intern(&[tag, a, b, c, d], &[], self.is_added(first) || self.is_added(second))
    }

    fn is_added(&self, index: CpIndex) -> bool {
        usize::from(index.0) >= self.pool.count()
    }

    /// The index of a constant, which is appended unless it exists. `text` is that of a Utf8. One that names
    /// an appended constant cannot be in the original.
    fn intern(&mut self, head: &[u8], text: &[u8], names_added: bool) -> Result<CpIndex> {
        // The tag first: most constants have another.
        let is_equal = |constant: &[u8]| {
            constant[0] == head[0] && constant.starts_with(head) && constant[head.len()..].starts_with(text)
        };
        let bytes = self.pool.bytes();
        // Offset 0 means no constant: it is the magic number's first byte, which is no tag.
        let of_original = || self.pool.offsets().iter().position(|&offset| is_equal(&bytes[offset as usize..]));
        // Those that were appended first: they are few, and asked for again.
        let added = self.added_at.iter().position(|&at| is_equal(&self.added[at as usize..]));
        let known = added.map(|index| self.pool.count() + index);
        match known.or_else(|| if names_added { None } else { of_original() }) {
            Some(index) => Ok(CpIndex(index as u16)),
            None => self.append(head, text),
        }
    }

    fn append(&mut self, head: &[u8], text: &[u8]) -> Result<CpIndex> {
        let index = self.pool.count() + self.added_at.len();
        if index >= MAX_COUNT {
            let message = format!("the constant pool is full ({MAX_COUNT} entries)");
            return Err(Error::new(BytecodeErrorKind::Limit, message));
        }
        self.added_at.push(self.added.len() as u32);
        self.added.extend_from_slice(head);
        self.added.extend_from_slice(text);
        Ok(CpIndex(index as u16))
    }
}

#[cold]
fn no_class(index: CpIndex) -> Error {
    Error::new(BytecodeErrorKind::Internal, format!("the appended constant {index} is no Class"))
}
