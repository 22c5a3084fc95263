//! The sub-records of a heap segment, one value each.

use super::window::{Missing, Window};

/// The type of a field or of an array's elements, as numbered by the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldType {
    /// A reference.
    Object,
    /// `boolean`, one byte.
    Boolean,
    /// `char`, two bytes.
    Char,
    /// `float`, four bytes.
    Float,
    /// `double`, eight bytes.
    Double,
    /// `byte`, one byte.
    Byte,
    /// `short`, two bytes.
    Short,
    /// `int`, four bytes.
    Int,
    /// `long`, eight bytes.
    Long,
}

impl FieldType {
    /// All primitive types, in the order of their numbers in the file, from 4.
    pub const PRIMITIVE: [FieldType; 8] = [
        FieldType::Boolean,
        FieldType::Char,
        FieldType::Float,
        FieldType::Double,
        FieldType::Byte,
        FieldType::Short,
        FieldType::Int,
        FieldType::Long,
    ];

    /// The type of a number in the file.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        match code {
            2 => Some(FieldType::Object),
            _ => FieldType::PRIMITIVE.get(usize::from(code).checked_sub(4)?).copied(),
        }
    }

    /// Its number in the file.
    pub(crate) fn code(self) -> u8 {
        match FieldType::PRIMITIVE.iter().position(|kind| *kind == self) {
            Some(at) => at as u8 + 4,
            None => 2,
        }
    }

    /// Bytes of a value in the file; a reference has `id` bytes.
    #[inline]
    pub fn bytes(self, id: u32) -> u32 {
        match self {
            FieldType::Object => id,
            FieldType::Boolean | FieldType::Byte => 1,
            FieldType::Char | FieldType::Short => 2,
            FieldType::Float | FieldType::Int => 4,
            FieldType::Double | FieldType::Long => 8,
        }
    }

    /// The name in the Java language; `Object` for a reference.
    pub fn name(self) -> &'static str {
        match self {
            FieldType::Object => "Object",
            FieldType::Boolean => "boolean",
            FieldType::Char => "char",
            FieldType::Float => "float",
            FieldType::Double => "double",
            FieldType::Byte => "byte",
            FieldType::Short => "short",
            FieldType::Int => "int",
            FieldType::Long => "long",
        }
    }

    /// A primitive value from its bits, as the Java language prints it.
    pub(crate) fn format_value(self, bits: u64) -> String {
        match self {
            FieldType::Boolean => (bits != 0).to_string(),
            FieldType::Char => {
                char::from_u32(bits as u32).map_or_else(|| format!("\\u{bits:04x}"), |c| format!("{c:?}"))
            }
            FieldType::Float => f32::from_bits(bits as u32).to_string(),
            FieldType::Double => f64::from_bits(bits).to_string(),
            FieldType::Byte => (bits as u8).cast_signed().to_string(),
            FieldType::Short => (bits as u16).cast_signed().to_string(),
            FieldType::Int => (bits as u32).cast_signed().to_string(),
            FieldType::Long => bits.cast_signed().to_string(),
            FieldType::Object => crate::address::address_text(bits),
        }
    }

    /// The letter of its descriptor (JVMS 4.3.2).
    pub(crate) fn descriptor(self) -> char {
        match self {
            FieldType::Object => 'L',
            FieldType::Boolean => 'Z',
            FieldType::Char => 'C',
            FieldType::Float => 'F',
            FieldType::Double => 'D',
            FieldType::Byte => 'B',
            FieldType::Short => 'S',
            FieldType::Int => 'I',
            FieldType::Long => 'J',
        }
    }
}

/// A declared instance field: the id of its name, and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeclaredField {
    /// Id of the string record with its name.
    pub name: u64,
    /// Its type.
    pub kind: FieldType,
}

/// A static field and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Static {
    /// Id of the string record with its name.
    pub name: u64,
    /// Its type.
    pub kind: FieldType,
    /// The address for a reference, 0 for `null`; the bits of a primitive value.
    pub value: u64,
}

/// A class: HPROF's CLASS_DUMP. It is also the record of the class's `java.lang.Class` object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassRecord {
    /// Its address.
    pub address: u64,
    /// Address of the superclass, 0 for `java.lang.Object`.
    pub superclass: u64,
    /// Address of the class loader, 0 for the boot loader.
    pub loader: u64,
    /// Address of the signers array, or 0.
    pub signers: u64,
    /// Address of the protection domain, or 0.
    pub protection_domain: u64,
    /// Bytes of an instance as the dump states them; HotSpot counts the fields without header and padding.
    pub instance_bytes: u32,
    /// Static fields.
    pub statics: Vec<Static>,
    /// Instance fields that the class itself declares, in the order of their values in instance records.
    pub fields: Vec<DeclaredField>,
}

/// Why the virtual machine holds an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GcRoot {
    /// No reason is given.
    Unknown(u64),
    /// A global reference of native code.
    JniGlobal(u64),
    /// A local reference of native code: object, serial number of the thread, index of the frame (or -1).
    JniLocal(u64, u32, u32),
    /// A local variable or operand: object, serial number of the thread, index of the frame from the top.
    JavaFrame(u64, u32, u32),
    /// An argument of native code: object, serial number of the thread.
    NativeStack(u64, u32),
    /// A class that is never unloaded.
    StickyClass(u64),
    /// Held by a thread's block: object, serial number of the thread.
    ThreadBlock(u64, u32),
    /// A monitor in use.
    Monitor(u64),
    /// Android: interned strings, and what the runtime, its debugger or its reference processing hold.
    VmInternal(u64),
    /// A thread: its object, its serial number, and the serial number of its stack trace.
    Thread(u64, u32, u32),
}

/// One sub-record of a heap segment.
pub enum Record<'r, 'f> {
    /// A root.
    Root(GcRoot),
    /// A class. Boxed, because it is much larger than the frequent records.
    Class(Box<ClassRecord>),
    /// An object that is no array.
    Instance {
        /// Its address.
        address: u64,
        /// Address of its class.
        class: u64,
        /// Field values: those of its class, then those of each superclass.
        fields: &'r [u8],
    },
    /// An array of references.
    Objects {
        /// Its address.
        address: u64,
        /// Address of its class.
        class: u64,
        /// Number of elements.
        length: u32,
        /// The elements.
        elements: Elements<'r, 'f>,
    },
    /// An array of primitive values.
    Primitives {
        /// Its address.
        address: u64,
        /// Type of an element.
        kind: FieldType,
        /// Number of elements.
        length: u32,
        /// The elements.
        elements: Elements<'r, 'f>,
    },
}

impl Record<'_, '_> {
    /// The address of the record's object; `None` for a root.
    #[inline]
    pub fn address(&self) -> Option<u64> {
        match self {
            Record::Root(_) => None,
            Record::Class(class) => Some(class.address),
            Record::Instance { address, .. } | Record::Objects { address, .. } | Record::Primitives { address, .. } => {
                Some(*address)
            }
        }
    }
}

/// The values of an array, read on demand, piece by piece.
pub struct Elements<'r, 'f> {
    window: &'r mut Window<'f>,
    remaining: u64,
    /// A failed read is stored here; the walker then ends the pass with it.
    failure: &'r mut Option<Missing>,
}

/// Bytes of a piece: a multiple of every element's size.
const PIECE: u64 = 1 << 16;

impl<'r, 'f> Elements<'r, 'f> {
    pub(super) fn new(window: &'r mut Window<'f>, remaining: u64, failure: &'r mut Option<Missing>) -> Self {
        Elements { window, remaining, failure }
    }

    /// The next bytes: at most 64 KiB, of whole elements; `None` at the end.
    pub fn next_piece(&mut self) -> Option<&[u8]> {
        let n = self.remaining.min(PIECE);
        if n == 0 {
            return None;
        }
        self.remaining -= n;
        match self.window.take(n as usize) {
            Ok(piece) => Some(piece),
            Err(missing) => {
                self.remaining = 0;
                *self.failure = Some(missing);
                None
            }
        }
    }
}
