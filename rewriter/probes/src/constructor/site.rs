//! An insertion point in the code of a method, where an object is told.

/// Where the probe of a constructor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Before each `return`: the object is complete. An object whose constructor throws is not registered.
    Returns,
    /// Directly after each `super(...)`, if the constructor later stores something else in local 0.
    AfterSuper,
    /// Directly before a `clone()` of an object, which is kept for the probe after it.
    BeforeClone,
    /// Directly after a `clone()` in any method, because no constructor of the copy runs.
    AfterClone,
}

/// Where a probe finds the object that it registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectOperand {
    /// In a local variable; of a `clone()` the original.
    Local(u16),
    /// On top of the operand stack, where the probe leaves it: the result of a `super.clone()`.
    Top,
}

/// What is done at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstructorProbeCall {
    /// The new object.
    pub object: ObjectOperand,
    /// Where the probe is.
    pub placement: Placement,
}
