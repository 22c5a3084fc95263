//! What the probes of a class's constructors record.

/// How much of an object is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// Exact counters and the live population; the object escapes to the runtime.
    Live,
    /// Exact counters only; the object never leaves its constructor, so escape analysis still works.
    Count,
}

/// The largest class id: the runtime uses its complement, and an index that is twice the id.
pub const MAX_ID: u32 = (1 << 30) - 1;

/// Whose objects the constructors of a class register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// Its own and those of subclasses without probes: for the topmost class with probes in its jar.
    All,
    /// Its own. The constructors of a superclass with probes, which run too, register the others.
    Own,
    /// None: the class only tells the copies that it makes.
    Copies,
}

/// Which calls of `clone()` tell their copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clones {
    /// All; the runtime asks which class counts a copy.
    All,
    /// Those of `super.clone()` that name a superclass of the JDK.
    OfJdkBySuper,
}

/// The probes of one class's constructors.
#[derive(Clone, Copy, Debug)]
pub struct ConstructorProbe<'a> {
    /// Internal name of the jar's bridge class.
    pub bridge: &'a str,
    /// Ordinal of the class in the bridge's table; at most [`MAX_ID`].
    pub id: u32,
    /// What the probe records.
    pub track: Track,
    /// Whose objects it registers.
    pub objects: Objects,
    /// Which calls of `clone()` have one.
    pub clones: Clones,
}
