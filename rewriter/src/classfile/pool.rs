//! The constant pool (JVMS §4.4) as a table of offsets over the file's bytes.

use super::cursor::Cursor;
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

/// Bytes of a constant by tag, its tag included; 0 for tags that do not exist, 3 plus its text for Utf8.
const SIZE: [u8; 256] = {
    let mut size = [0u8; 256];
    let (mut i, three) = (0, [1, 7, 8, 16, 19, 20]);
    while i < three.len() {
        size[three[i]] = 3;
        i += 1;
    }
    let (mut i, five) = (0, [3, 4, 9, 10, 11, 12, 17, 18]);
    while i < five.len() {
        size[five[i]] = 5;
        i += 1;
    }
    size[tag::LONG as usize] = 9;
    size[tag::DOUBLE as usize] = 9;
    size[tag::METHOD_HANDLE as usize] = 4;
    size
};

/// The reusable memory behind a [`Pool`]: one offset per index.
///
/// Keep one per thread and pass it to each [`super::ClassFile::read`], and reading a class allocates nothing.
#[derive(Debug, Default)]
pub struct PoolOffsets(Vec<u32>);

/// A class's constants: borrowed bytes, looked up by index, checked when looked at.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    bytes: &'a [u8],
    /// Absolute offset of each constant's tag; 0 for index 0 and for the second half of a long or double.
    offsets: &'a [u32],
    end: usize,
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
    /// Reads the pool whose `constant_pool_count` stands at byte 8.
    ///
    /// Every constant's extent is checked here, its references when they are followed.
    ///
    /// # Errors
    /// `ClassFormat` for a truncated pool, a tag outside the JVMS or a count of 0.
    pub(super) fn read(bytes: &'a [u8], memory: &'a mut PoolOffsets) -> Result<Self> {
        let count = usize::from(Cursor::new(bytes, 8).u2()?);
        if count == 0 {
            return Err(Error::class_format("constant_pool_count is 0", 8));
        }
        let offsets = &mut memory.0;
        offsets.clear();
        offsets.reserve(count);
        offsets.push(0);
        let mut at = 10;
        while offsets.len() < count {
            let Some(&tag) = bytes.get(at) else {
                return Err(pool_ends(offsets.len(), count, at));
            };
            offsets.push(at as u32);
            match tag {
                tag::UTF8 => {
                    let Some(&[high, low]) = bytes.get(at + 1..at + 3) else {
                        return Err(pool_ends(offsets.len() - 1, count, at));
                    };
                    at += 3 + usize::from(u16::from_be_bytes([high, low]));
                }
                tag::LONG | tag::DOUBLE => {
                    offsets.push(0);
                    at += 9;
                }
                _ => {
                    let size = usize::from(SIZE[usize::from(tag)]);
                    if size == 0 {
                        let index = offsets.len() - 1;
                        let message = format!("constant #{index} has the unknown tag {tag}");
                        return Err(Error::class_format(message, at));
                    }
                    at += size;
                }
            }
        }
        if at > bytes.len() || offsets.len() > count {
            return Err(pool_ends(count - 1, count, bytes.len()));
        }
        Ok(Pool { bytes, offsets: &memory.0, end: at })
    }

    /// `constant_pool_count`: one more than the highest index.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// Absolute offset of the first byte after the pool.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The indices that hold a constant, in order.
    pub fn indices(&self) -> impl Iterator<Item = CpIndex> + 'a {
        let offsets = self.offsets;
        (1..offsets.len()).filter(|&i| offsets[i] != 0).map(|i| CpIndex(i as u16))
    }

    /// The absolute offsets of the constants by index; 0 where there is none.
    pub(crate) fn offsets(&self) -> &'a [u32] {
        self.offsets
    }

    /// The bytes of the class file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Absolute offset of a constant's tag.
    #[inline]
    fn offset(&self, index: CpIndex) -> Result<usize> {
        match self.offsets.get(usize::from(index.0)) {
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
        let size = match self.bytes[offset] {
            tag::UTF8 => 3 + usize::from(self.u2(offset + 1)),
            tag => usize::from(SIZE[usize::from(tag)]),
        };
        Ok(&self.bytes[offset..offset + size])
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
    pub fn named(&self, index: CpIndex, wanted: u8) -> Result<&'a [u8]> {
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

    /// The descriptor of whatever a field, invoke or `ldc` instruction names: references, Dynamic, InvokeDynamic.
    #[inline]
    pub fn member_descriptor(&self, index: CpIndex) -> Result<&'a [u8]> {
        let offset = self.offset(index)?;
        let found = self.bytes[offset];
        match found {
            tag::FIELDREF | tag::METHODREF | tag::INTERFACE_METHODREF | tag::DYNAMIC | tag::INVOKE_DYNAMIC => {
                Ok(self.name_and_type(CpIndex(self.u2(offset + 3)))?.1)
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
