//! Objects that are written without the keys whose values are not known.

/// A value of a key that may be left out.
pub(crate) trait Absent {
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for bool {
    fn is_absent(&self) -> bool {
        !self
    }
}

impl Absent for u32 {}
impl Absent for u64 {}
impl Absent for String {}
impl Absent for crate::Jvm {}

/// Structs that are written without their [`Absent`] keys.
macro_rules! keys {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$key:meta])* pub $field:ident: $type:ty,)*
        }
    )*) => {$(
        $(#[$about])*
        pub struct $name {
            $($(#[$key])* #[serde(skip_serializing_if = "crate::keys::Absent::is_absent")] pub $field: $type,)*
        }
    )*};
}
