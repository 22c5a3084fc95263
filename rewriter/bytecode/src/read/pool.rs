//! The constant pool (JVMS §4.4) as a table of offsets over the file's bytes.

use super::cursor::ClassCursor;
use crate::{Error, Result};
use std::fmt;

/// An index into a constant pool; 0 is no constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CpIndex(pub u16);

impl fmt::Display for CpIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Constant tags (JVMS §4.4, table 4.4-A).
#[allow(missing_docs, reason = "the names are the JVMS's")]
pub mod tag {
    pub const UTF8: u8 = 1;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const LONG: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const STRING: u8 = 8;
    pub const FIELDREF: u8 = 9;
    pub const METHODREF: u8 = 10;
    pub const INTERFACE_METHODREF: u8 = 11;
    pub const NAME_AND_TYPE: u8 = 12;
    pub const METHOD_HANDLE: u8 = 15;
    pub const METHOD_TYPE: u8 = 16;
    pub const DYNAMIC: u8 = 17;
    pub const INVOKE_DYNAMIC: u8 = 18;
    pub const MODULE: u8 = 19;
    pub const PACKAGE: u8 = 20;
}

/// Bytes of a constant by its tag, the text of a Utf8 not counted (JVMS §4.4); 0 for a tag that does not exist.
const SIZES: [u8; 256] = {
    let mut sizes = [0; 256];
    let mut tag = 0;
    while tag < sizes.len() {
        sizes[tag] = match tag as u8 {
            tag::UTF8 | tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 3,
            tag::METHOD_HANDLE => 4,
            tag::INTEGER | tag::FLOAT | tag::FIELDREF | tag::METHODREF | tag::INTERFACE_METHODREF => 5,
            tag::NAME_AND_TYPE | tag::DYNAMIC | tag::INVOKE_DYNAMIC => 5,
            tag::LONG | tag::DOUBLE => 9,
            _ => 0,
        };
        tag += 1;
    }
    sizes
};

/// The reusable memory behind a [`Pool`]: one offset per index.
///
/// With one per thread, passed to each [`super::ClassFile::read`], reading a class allocates nothing.
#[derive(Debug, Default)]
pub struct PoolOffsets {
    /// Absolute offset of each constant's tag; 0 for index 0 and for the second half of a long or double.
    offsets: Vec<u32>,
    end: usize,
}

/// A class's constants: borrowed bytes, looked up by index, checked when looked at.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    bytes: &'a [u8],
    memory: &'a PoolOffsets,
}

/// A field, method or interface-method reference, resolved to its three names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// Internal name (or array descriptor) of the class.
    pub class: &'a [u8],
    /// Name of the member.
    pub name: &'a [u8],
    /// Descriptor of the member.
    pub descriptor: &'a [u8],
}

impl<'a> Pool<'a> {
    /// Reads the pool whose `constant_pool_count` is at byte 8.
    ///
    /// The extent of every constant is checked here, its operands when they are looked up.
    ///
    /// # Errors
    /// `ClassFormat` for a truncated pool, a tag outside the JVMS or a count of 0.
    pub(super) fn read(bytes: &'a [u8], memory: &'a mut PoolOffsets) -> Result<Self> {
        let count = usize::from(ClassCursor::new(bytes, 8).u2()?);
        if count == 0 {
            return Err(Error::class_format("constant_pool_count is 0", 8));
        }
        let PoolOffsets { offsets, end } = &mut *memory;
        offsets.clear();
        offsets.resize(count, 0);
        let (mut at, mut index) = (10, 1);
        // Tags come in no order that a processor could foresee, so nothing here depends on one but by arithmetic.
        while index < count {
            let Some(&[tag, high, low]) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
                return Err(pool_ends(index, count, bytes.len()));
            };
            let size = usize::from(SIZES[usize::from(tag)]);
            if size == 0 {
                return Err(unknown_tag(index, tag, at));
            }
            offsets[index] = at as u32;
            let of_utf8 = 0_u16.wrapping_sub(u16::from(tag == tag::UTF8));
            at += size + usize::from(u16::from_be_bytes([high, low]) & of_utf8);
            // A long or double takes two.
            let indices = 1 + usize::from(size == 9);
            if at > bytes.len() || index + indices > count {
                return Err(pool_ends(index, count, bytes.len()));
            }
            index += indices;
        }
        *end = at;
        Ok(Pool { bytes, memory })
    }

    /// `constant_pool_count`: one more than the highest index.
    pub fn count(&self) -> usize {
        self.memory.offsets.len()
    }

    /// Absolute offset of the first byte after the pool.
    pub fn end(&self) -> usize {
        self.memory.end
    }

    /// The indices that hold a constant, in order.
    pub fn indices(&self) -> impl Iterator<Item = CpIndex> + 'a {
        let offsets = &self.memory.offsets;
        (1..offsets.len()).filter(|&i| offsets[i] != 0).map(|i| CpIndex(i as u16))
    }

    /// The absolute offsets of the constants by index; 0 where there is none.
    pub(crate) fn offsets(&self) -> &'a [u32] {
        &self.memory.offsets
    }

    /// The bytes of the class file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Absolute offset of a constant's tag.
    #[inline]
    fn offset(&self, index: CpIndex) -> Result<usize> {
        match self.memory.offsets.get(usize::from(index.0)) {
            Some(&offset) if offset != 0 => Ok(offset as usize),
            _ => Err(self.no_constant(index)),
        }
    }

    #[cold]
    fn no_constant(&self, index: CpIndex) -> Error {
        let count = self.count();
        Error::class_format(format!("there is no constant {index} (constant_pool_count is {count})"), 8)
    }

    /// A constant's tag.
    #[inline]
    pub fn tag(&self, index: CpIndex) -> Result<u8> {
        Ok(self.bytes[self.offset(index)?])
    }

    /// A constant's bytes, tag included.
    pub fn raw(&self, index: CpIndex) -> Result<&'a [u8]> {
        let offset = self.offset(index)?;
        let tag = self.bytes[offset];
        let text = if tag == tag::UTF8 { usize::from(self.u2(offset + 1)) } else { 0 };
        Ok(&self.bytes[offset..offset + usize::from(SIZES[usize::from(tag)]) + text])
    }

    /// A two-byte operand; `read` has checked the extents.
    #[inline]
    fn u2(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    #[inline]
    fn of_tag(&self, index: CpIndex, wanted: u8) -> Result<usize> {
        let offset = self.offset(index)?;
        match self.bytes[offset] {
            found if found == wanted => Ok(offset),
            found => Err(wrong_tag(index, wanted, found, offset)),
        }
    }

    /// The modified UTF-8 bytes of a Utf8 constant, as they are in the file.
    #[inline]
    pub fn utf8(&self, index: CpIndex) -> Result<&'a [u8]> {
        let offset = self.of_tag(index, tag::UTF8)?;
        let length = usize::from(self.u2(offset + 1));
        Ok(&self.bytes[offset + 3..offset + 3 + length])
    }

    /// The internal name (or array descriptor) of a Class constant.
    #[inline]
    pub fn class_name(&self, index: CpIndex) -> Result<&'a [u8]> {
        let offset = self.of_tag(index, tag::CLASS)?;
        self.utf8(CpIndex(self.u2(offset + 1)))
    }

    /// The one Utf8 operand of a String, MethodType, Module, Package or Class constant.
    pub fn utf8_operand(&self, index: CpIndex, wanted: u8) -> Result<&'a [u8]> {
        let offset = self.of_tag(index, wanted)?;
        self.utf8(CpIndex(self.u2(offset + 1)))
    }

    /// Name and descriptor of a NameAndType constant.
    #[inline]
    pub fn name_and_type(&self, index: CpIndex) -> Result<(&'a [u8], &'a [u8])> {
        let offset = self.of_tag(index, tag::NAME_AND_TYPE)?;
        let name = self.utf8(CpIndex(self.u2(offset + 1)))?;
        Ok((name, self.utf8(CpIndex(self.u2(offset + 3)))?))
    }

    /// A Fieldref, Methodref or InterfaceMethodref.
    #[inline]
    pub fn member_ref(&self, index: CpIndex) -> Result<MemberRef<'a>> {
        let offset = self.offset(index)?;
        let found = self.bytes[offset];
        if !matches!(found, tag::FIELDREF | tag::METHODREF | tag::INTERFACE_METHODREF) {
            return Err(wrong_tag(index, tag::METHODREF, found, offset));
        }
        let (name, descriptor) = self.name_and_type(CpIndex(self.u2(offset + 3)))?;
        Ok(MemberRef { class: self.class_name(CpIndex(self.u2(offset + 1)))?, name, descriptor })
    }

    /// The class of a Fieldref, Methodref or InterfaceMethodref.
    #[inline]
    pub fn member_class(&self, index: CpIndex) -> Result<&'a [u8]> {
        let offset = self.offset(index)?;
        match self.bytes[offset] {
            tag::FIELDREF | tag::METHODREF | tag::INTERFACE_METHODREF => self.class_name(CpIndex(self.u2(offset + 1))),
            found => Err(wrong_tag(index, tag::METHODREF, found, offset)),
        }
    }

    /// The descriptor of a reference to a member, a Dynamic or an InvokeDynamic.
    #[inline]
    pub fn member_descriptor(&self, index: CpIndex) -> Result<&'a [u8]> {
        let offset = self.offset(index)?;
        let found = self.bytes[offset];
        match found {
            tag::FIELDREF | tag::METHODREF | tag::INTERFACE_METHODREF | tag::DYNAMIC | tag::INVOKE_DYNAMIC => {
                // Not by `name_and_type`: nearly every instruction of a constructor needs this, but not the name.
                let name_and_type = self.of_tag(CpIndex(self.u2(offset + 3)), tag::NAME_AND_TYPE)?;
                self.utf8(CpIndex(self.u2(name_and_type + 3)))
            }
            _ => Err(wrong_tag(index, tag::METHODREF, found, offset)),
        }
    }
}

impl fmt::Debug for Pool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("count", &self.count()).finish_non_exhaustive()
    }
}

#[cold]
fn pool_ends(index: usize, count: usize, at: usize) -> Error {
    Error::class_format(format!("the constant pool ends inside constant #{index} of {}", count - 1), at)
}

#[cold]
fn unknown_tag(index: usize, tag: u8, at: usize) -> Error {
    Error::class_format(format!("constant #{index} has the unknown tag {tag}"), at)
}

#[cold]
fn wrong_tag(index: CpIndex, wanted: u8, found: u8, offset: usize) -> Error {
    let wanted = match wanted {
        tag::METHODREF => "a reference to a member",
        tag::UTF8 => "a Utf8",
        tag::CLASS => "a Class",
        tag::NAME_AND_TYPE => "a NameAndType",
        _ => "another kind of constant",
    };
    Error::class_format(format!("constant {index} should be {wanted} and has tag {found}"), offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_with(texts: &[String]) -> Vec<u8> {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52];
        bytes.extend((texts.len() as u16 + 3).to_be_bytes());
        bytes.extend([tag::LONG, 0, 0, 0, 0, 0, 0, 0, 7]);
        for text in texts {
            bytes.push(tag::UTF8);
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend([0; 8]);
        bytes
    }

    #[test]
    fn a_long_takes_two_indices_and_its_second_is_no_constant() {
        let bytes = class_with(&["x".to_owned()]);
        let mut memory = PoolOffsets::default();
        let pool = Pool::read(&bytes, &mut memory).unwrap();
        assert_eq!(pool.indices().collect::<Vec<_>>(), [CpIndex(1), CpIndex(3)]);
        assert_eq!(pool.utf8(CpIndex(3)).unwrap(), b"x");
        assert_eq!(
            pool.utf8(CpIndex(2)).unwrap_err().to_string(),
            "there is no constant #2 (constant_pool_count is 4) (at offset 8)"
        );
        assert!(pool.utf8(CpIndex(1)).unwrap_err().to_string().starts_with("constant #1 should be a Utf8"));
    }

    #[test]
    fn every_tag_of_the_jvms_has_its_size_and_no_other_has_one() {
        let sizes: Vec<(u8, u8)> =
            (0..=u8::MAX).map(|tag| (tag, SIZES[usize::from(tag)])).filter(|(_, size)| *size > 0).collect();
        let expected = [
            (1, 3),
            (3, 5),
            (4, 5),
            (5, 9),
            (6, 9),
            (7, 3),
            (8, 3),
            (9, 5),
            (10, 5),
            (11, 5),
            (12, 5),
            (15, 4),
            (16, 3),
            (17, 5),
            (18, 5),
            (19, 3),
            (20, 3),
        ];
        assert_eq!(sizes, expected);
    }
}
