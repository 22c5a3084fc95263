//! Calls of methods without code that store references or make objects.

use weighbridge_bytecode::read::MemberRef;

/// What a call of such a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Native {
    /// `System.arraycopy`.
    Copy,
    /// Makes an object without a constructor: `Object.clone`, `Unsafe`, `Array.newInstance`.
    Make,
    /// Sets an element: `(Object, int, Object)`.
    Element,
    /// Sets static fields of a class: `(Class)`.
    Restore,
    /// Sets memory of an object: `(Object, long, Object)`.
    Put,
    /// Sets it if it was as expected: `(Object, long, Object, Object)boolean`.
    Swap,
    /// As `Swap`, and gives what it was.
    Exchange,
}

/// The classes through which the JDK reaches memory; their own code has no probes, that which calls them has.
pub(super) const UNSAFE: &[u8] = b"jdk/internal/misc/Unsafe";

/// What a call does, by the class and the method that it names.
pub(super) fn classify_call(member: &MemberRef<'_>) -> Option<Native> {
    match (member.class, member.name, member.descriptor) {
        (b"java/lang/System", b"arraycopy", _) => Some(Native::Copy),
        (_, b"clone", b"()Ljava/lang/Object;") => Some(Native::Make),
        (b"java/lang/reflect/Array", b"newArray" | b"multiNewArray", _) => Some(Native::Make),
        (b"java/lang/reflect/Array", b"set", b"(Ljava/lang/Object;ILjava/lang/Object;)V") => Some(Native::Element),
        (_, b"initializeFromArchive", b"(Ljava/lang/Class;)V") => Some(Native::Restore),
        (UNSAFE, _, descriptor) => match descriptor {
            b"(Ljava/lang/Object;JLjava/lang/Object;)V" => Some(Native::Put),
            b"(Ljava/lang/Object;JLjava/lang/Object;)Ljava/lang/Object;" => Some(Native::Put),
            b"(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z" => Some(Native::Swap),
            b"(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;" => Some(Native::Exchange),
            b"(Ljava/lang/Class;)Ljava/lang/Object;" | b"(Ljava/lang/Class;I)Ljava/lang/Object;" => Some(Native::Make),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a method sets a field of its second parameter in a way that no probe sees: by a method handle, since Java 18.
pub(super) fn sets_field(class: &[u8], method: &[u8], descriptor: &[u8]) -> bool {
    (class, method, descriptor) == (b"java/lang/reflect/Field", b"set", b"(Ljava/lang/Object;Ljava/lang/Object;)V")
}

/// Whether a method makes the object whose constructor a method handle calls next: that tells it.
pub(super) fn before_constructor(class: &[u8], method: &[u8]) -> bool {
    class == b"java/lang/invoke/DirectMethodHandle" && method == b"allocateInstance"
}
