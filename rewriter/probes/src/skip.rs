//! Why a class is left as it is.

use std::fmt;

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::ClassFile;

use crate::is_bridge_name;

/// The newest `major_version` that is known: JDK 26.
pub const NEWEST_MAJOR: u16 = 70;

/// A reason not to rewrite a class that matched; `Display` is the text for users.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// An interface or annotation: it has no constructors.
    Interface,
    /// A `module-info`.
    Module,
    /// A value class (JEP 401): its objects have no identity to track.
    ValueClass,
    /// A class-file version above [`NEWEST_MAJOR`].
    FutureVersion {
        /// Its `major_version`.
        major: u16,
    },
    /// A bridge class.
    Bridge,
    /// A constructor already calls a bridge class.
    AlreadyRewritten,
    /// `java/lang/Object`: every constructor runs through it.
    RootClass,
    /// Only the JDK may define classes of its package (`java.*`); another loader would refuse the bridge there.
    PackageOfJdk,
    /// The classes of its jar compare their own bytes with a digest when they start.
    ChecksItself {
        /// The entry that holds the digest.
        digest: String,
    },
    /// Its jar is an OSGi bundle that imports all of its packages, and a module that lists them: no package is left in which
    /// a loader would find the bridge.
    NoPackageForBridge,
    /// No instruction that a probe of the kind belongs to.
    NoSite,
    /// No constructor calls `super(...)` and completes.
    NoConstructor,
    /// It is abstract, and a superclass registers the objects of its subclasses.
    OnlySubclasses,
    /// A constructor has `jsr` or `ret` before `super(...)`.
    SubroutineBeforeSuper {
        /// Its descriptor.
        constructor: String,
    },
    /// No local variable holds `this` when `super(...)` returns.
    ThisNotKept {
        /// The constructor's descriptor.
        constructor: String,
    },
    /// The paths to `super(...)` are too many to follow.
    TooComplex {
        /// The constructor's descriptor.
        constructor: String,
    },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interface => f.write_str("an interface has no constructors"),
            Self::Module => f.write_str("a module-info has no constructors"),
            Self::ValueClass => f.write_str("objects of a value class have no identity"),
            Self::FutureVersion { major } => {
                write!(f, "class-file version {major} is newer than {NEWEST_MAJOR}, the newest known one")
            }
            Self::Bridge => f.write_str("it has the name of a bridge class of weighbridge"),
            Self::AlreadyRewritten => f.write_str("it is already rewritten"),
            Self::RootClass => f.write_str("every constructor runs through java.lang.Object's"),
            Self::PackageOfJdk => f.write_str("only the JDK may define classes of its package"),
            Self::NoPackageForBridge => f.write_str(
                "its jar is a bundle that imports each of its packages, and a module that lists them: no bridge would be found",
            ),
            Self::ChecksItself { digest } => {
                write!(f, "the jar checks its own classes ({digest}) and would refuse to work")
            }
            Self::NoSite => f.write_str("nothing in it is what the probes are for"),
            Self::NoConstructor => f.write_str("no constructor both calls super(...) and returns"),
            Self::OnlySubclasses => {
                f.write_str("abstract: its objects are those of subclasses, which a superclass sees")
            }
            Self::SubroutineBeforeSuper { constructor } => {
                write!(f, "the constructor {constructor} has jsr or ret before super(...)")
            }
            Self::ThisNotKept { constructor } => {
                write!(f, "no local variable holds `this` after super(...) in the constructor {constructor}")
            }
            Self::TooComplex { constructor } => {
                write!(f, "the paths to super(...) in the constructor {constructor} are too many to follow")
            }
        }
    }
}

/// Why a class with this header gets no probe of any kind; `None` if it can.
pub(crate) fn of_any_kind(class: &ClassFile<'_>) -> Result<Option<SkipReason>> {
    let name = class.name()?;
    // A header with a wrong superclass is an error for every kind.
    class.super_name()?;
    Ok(if class.major_version > NEWEST_MAJOR {
        Some(SkipReason::FutureVersion { major: class.major_version })
    } else if class.is_module() {
        Some(SkipReason::Module)
    } else if is_bridge_name(name) {
        Some(SkipReason::Bridge)
    } else {
        None
    })
}

/// Why objects of a class with this header are not registered; `None` if they can be.
pub(crate) fn by_header(class: &ClassFile<'_>) -> Result<Option<SkipReason>> {
    let reason = of_any_kind(class)?;
    Ok(if reason.is_some() {
        reason
    } else if class.is_interface() {
        Some(SkipReason::Interface)
    } else if class.is_value() {
        Some(SkipReason::ValueClass)
    } else if class.super_name()?.is_none() {
        Some(SkipReason::RootClass)
    } else {
        None
    })
}
