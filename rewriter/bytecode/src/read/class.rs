//! The `ClassFile` structure (JVMS §4.1), its members and their attributes, read lazily.

use super::annotation::AnnotationTypes;
use super::attribute::Attributes;
use super::cursor::ClassCursor;
use super::pool::{CpIndex, Pool, PoolOffsets};
use super::{code::CodeAttribute, mutf8};
use crate::{BytecodeErrorKind, Error, Result};

/// Access flags that the code names (JVMS tables 4.1-B, 4.5-A, 4.6-A; `IDENTITY` from JEP 401).
#[allow(missing_docs, reason = "the names are the JVMS's")]
pub mod access {
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const SUPER: u16 = 0x0020;
    /// What `SUPER` means in preview class files that may declare value classes.
    pub const IDENTITY: u16 = 0x0020;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const MODULE: u16 = 0x8000;
}

/// A class file as a view over its bytes. The header and the pool are read at once, the rest on demand.
///
/// Reading costs one pass over the constant pool and no allocation.
#[derive(Clone, Copy, Debug)]
pub struct ClassFile<'a> {
    bytes: &'a [u8],
    /// The constants.
    pub pool: Pool<'a>,
    /// `minor_version`; 65,535 means preview features.
    pub minor_version: u16,
    /// `major_version`; 45 is JDK 1.1, 69 JDK 25.
    pub major_version: u16,
    /// `access_flags`.
    pub access_flags: u16,
    /// `this_class`, a Class constant.
    pub this_class: CpIndex,
    /// `super_class`, a Class constant, or 0 for `java/lang/Object` and modules.
    pub super_class: CpIndex,
    interfaces_at: usize,
    fields_at: usize,
}

impl<'a> ClassFile<'a> {
    /// Reads header and constant pool; `memory` can be reused when the view is dropped.
    ///
    /// # Errors
    /// `ClassFormat` when it is no class file or is cut off; `Unsupported` before version 45.3, whose `Code` differs;
    /// `Limit` from 4 GiB on.
    pub fn read(bytes: &'a [u8], memory: &'a mut PoolOffsets) -> Result<Self> {
        let mut cursor = ClassCursor::new(bytes, 0);
        if cursor.u4().ok() != Some(0xCAFE_BABE) {
            return Err(Error::class_format("this is no class file: it does not start with CAFEBABE", 0));
        }
        if u32::try_from(bytes.len()).is_err() {
            return Err(Error::new(BytecodeErrorKind::Limit, "the class file has 4 GiB or more"));
        }
        let (minor_version, major_version) = (cursor.u2()?, cursor.u2()?);
        if major_version < 45 || (major_version == 45 && minor_version < 3) {
            let message = format!("class-file version {major_version}.{minor_version} is older than 45.3");
            return Err(Error::new(BytecodeErrorKind::Unsupported, message).at_offset(4));
        }
        let pool = Pool::read(bytes, memory)?;
        let mut cursor = ClassCursor::new(bytes, pool.end());
        let access_flags = cursor.u2()?;
        let (this_class, super_class) = (CpIndex(cursor.u2()?), CpIndex(cursor.u2()?));
        let interfaces_at = cursor.position();
        let interfaces = usize::from(cursor.u2()?);
        cursor.skip(2 * interfaces)?;
        Ok(ClassFile {
            bytes,
            pool,
            minor_version,
            major_version,
            access_flags,
            this_class,
            super_class,
            interfaces_at,
            fields_at: cursor.position(),
        })
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Internal name of the class.
    pub fn name(&self) -> Result<&'a [u8]> {
        self.pool.class_name(self.this_class)
    }

    /// Internal name of the superclass; `None` for `java/lang/Object` and modules.
    pub fn super_name(&self) -> Result<Option<&'a [u8]>> {
        match self.super_class {
            CpIndex(0) => Ok(None),
            index => self.pool.class_name(index).map(Some),
        }
    }

    /// Internal names of the direct superinterfaces.
    pub fn interfaces(&self) -> impl Iterator<Item = Result<&'a [u8]>> + use<'a> {
        let (pool, indices) = (self.pool, &self.bytes[self.interfaces_at + 2..self.fields_at]);
        indices.chunks_exact(2).map(move |i| pool.class_name(CpIndex(u16::from_be_bytes([i[0], i[1]]))))
    }

    /// The fields, in order.
    pub fn fields(&self) -> Result<Members<'a>> {
        Members::new(ClassCursor::new(self.bytes, self.fields_at), self.pool)
    }

    /// The methods, in order; skips the fields.
    pub fn methods(&self) -> Result<Members<'a>> {
        Members::new(self.fields()?.pass()?, self.pool)
    }

    /// The class's own attributes; skips fields and methods.
    pub fn attributes(&self) -> Result<Attributes<'a>> {
        Attributes::new(self.methods()?.pass()?, self.pool)
    }

    /// The name of the file that it was compiled from (JVMS §4.7.10), if the class says so. Reads past all members.
    pub fn source_file(&self) -> Result<Option<&'a [u8]>> {
        for attribute in self.attributes()? {
            let attribute = attribute?;
            if attribute.name()? == b"SourceFile" {
                let mut info = attribute.info;
                return self.pool.utf8(CpIndex(info.u2()?)).map(Some);
            }
        }
        Ok(None)
    }

    /// Type descriptors (`Lcom/acme/Weighed;`) of the class's annotations, visible and invisible.
    ///
    /// Reads past all members, so it costs more than the rest. The first damaged annotation ends it with an error.
    pub fn annotations(&self) -> Result<impl Iterator<Item = Result<&'a [u8]>> + use<'a>> {
        let pool = self.pool;
        Ok(self
            .attributes()?
            .filter_map(move |attribute| {
                let types = attribute.and_then(|a| match a.name()? {
                    b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => {
                        AnnotationTypes::new(a.info, pool).map(Some)
                    }
                    _ => Ok(None),
                });
                types.transpose()
            })
            .flat_map(|types| {
                let (types, error) = match types {
                    Ok(types) => (Some(types), None),
                    Err(error) => (None, Some(Err(error))),
                };
                types.into_iter().flatten().chain(error)
            }))
    }

    /// Whether it is a `module-info`.
    pub fn is_module(&self) -> bool {
        self.access_flags & access::MODULE != 0
    }

    /// Whether it is an interface (annotations included).
    pub fn is_interface(&self) -> bool {
        self.access_flags & access::INTERFACE != 0
    }

    /// Whether it is a value class: a preview class file with neither `ACC_IDENTITY` nor `ACC_INTERFACE` (JEP 401).
    pub fn is_value(&self) -> bool {
        self.minor_version == u16::MAX
            && self.access_flags & (access::IDENTITY | access::INTERFACE | access::MODULE) == 0
    }
}

/// Fields or methods (JVMS §4.5, §4.6), in order; ends after its first error.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    cursor: ClassCursor<'a>,
    pool: Pool<'a>,
    count: u16,
    next: u16,
}

impl<'a> Members<'a> {
    fn new(mut cursor: ClassCursor<'a>, pool: Pool<'a>) -> Result<Self> {
        let count = cursor.u2()?;
        Ok(Members { cursor, pool, count, next: 0 })
    }

    /// How many there are, those that were given already included.
    pub fn all(&self) -> u16 {
        self.count
    }

    /// Skips the remaining members.
    fn pass(mut self) -> Result<ClassCursor<'a>> {
        for _ in self.next..self.count {
            self.cursor.skip(6)?;
            pass_attributes(&mut self.cursor)?;
        }
        Ok(self.cursor)
    }

    #[inline]
    fn read(&mut self) -> Result<Member<'a>> {
        let offset = self.cursor.position();
        let head = self.cursor.take(6)?;
        let u2 = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        let (access_flags, name, descriptor) = (u2(0), CpIndex(u2(2)), CpIndex(u2(4)));
        let attributes = Attributes::new(self.cursor, self.pool)?;
        pass_attributes(&mut self.cursor)?;
        let (pool, index) = (self.pool, self.next);
        Ok(Member { index, offset, access_flags, name, descriptor, attributes, pool })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.count {
            return None;
        }
        let member = self.read();
        self.next = if member.is_ok() { self.next + 1 } else { self.count };
        Some(member)
    }
}

#[inline]
fn pass_attributes(cursor: &mut ClassCursor<'_>) -> Result<()> {
    for _ in 0..cursor.u2()? {
        cursor.skip(2)?;
        let length = cursor.u4()?;
        cursor.skip(length as usize)?;
    }
    Ok(())
}

/// A field or method.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// Its ordinal among the fields or methods.
    pub index: u16,
    /// Absolute offset of its `access_flags`.
    pub offset: usize,
    /// `access_flags`.
    pub access_flags: u16,
    /// `name_index`, a Utf8.
    pub name: CpIndex,
    /// `descriptor_index`, a Utf8.
    pub descriptor: CpIndex,
    /// Its attributes.
    pub attributes: Attributes<'a>,
    pool: Pool<'a>,
}

impl<'a> Member<'a> {
    /// The bytes of its name.
    #[inline]
    pub fn name(&self) -> Result<&'a [u8]> {
        self.pool.utf8(self.name)
    }

    /// Whether it is a constructor.
    #[inline]
    pub fn is_constructor(&self) -> Result<bool> {
        Ok(self.name()? == b"<init>")
    }

    /// The bytes of its descriptor.
    pub fn descriptor(&self) -> Result<&'a [u8]> {
        self.pool.utf8(self.descriptor)
    }

    /// Its `Code` attribute; `None` for abstract and native methods, and fields.
    pub fn code(&self) -> Result<Option<CodeAttribute<'a>>> {
        for attribute in self.attributes.clone() {
            let attribute = attribute?;
            if attribute.is_named(b"Code")? {
                return CodeAttribute::read(&attribute, self.pool).map(Some);
            }
        }
        Ok(None)
    }

    /// Name and descriptor as text, for messages.
    pub fn title(&self) -> String {
        let text = |index| self.pool.utf8(index).map_or("?".into(), mutf8::decode);
        format!("{}{}", text(self.name), text(self.descriptor))
    }
}
