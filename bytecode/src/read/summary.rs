//! The header of a class, which matching needs of every class of a jar.

use super::annotation::AnnotationTypes;
use super::class::{ClassFile, access};
use crate::Result;

/// The header of a class, borrowed; made from a [`ClassFile`] without allocation.
#[derive(Clone, Copy, Debug)]
pub struct ClassSummary<'a> {
    /// Internal name (`com/acme/Cache$Node`), in modified UTF-8.
    pub this_class: &'a [u8],
    /// Internal name of the superclass; `None` for `java/lang/Object` and modules.
    pub super_class: Option<&'a [u8]>,
    /// `access_flags`.
    pub access_flags: u16,
    /// `major_version`.
    pub major_version: u16,
    /// `minor_version`; 65,535 means preview features.
    pub minor_version: u16,
    class: ClassFile<'a>,
}

impl<'a> ClassSummary<'a> {
    /// Resolves the names of a class's header.
    ///
    /// # Errors
    /// `ClassFormat` when `this_class` or `super_class` names no class.
    pub fn of(class: &ClassFile<'a>) -> Result<Self> {
        Ok(ClassSummary {
            this_class: class.name()?,
            super_class: class.super_name()?,
            access_flags: class.access_flags,
            major_version: class.major_version,
            minor_version: class.minor_version,
            class: *class,
        })
    }

    /// Internal names of the direct superinterfaces.
    pub fn interfaces(&self) -> impl Iterator<Item = Result<&'a [u8]>> + use<'a> {
        self.class.interfaces()
    }

    /// Type descriptors (`Lcom/acme/Weighed;`) of the class's annotations, visible and invisible.
    ///
    /// Reads past all members, so it costs more than the rest. The first damaged annotation ends it with an error.
    pub fn annotations(&self) -> Result<impl Iterator<Item = Result<&'a [u8]>> + use<'a>> {
        let pool = self.class.pool;
        let attributes = self.class.attributes()?;
        Ok(attributes
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
