//! What a query needs of a dump: known before the dump is read.

/// What a query needs of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Dominators, for retained bytes.
    pub dominators: bool,
    /// References between objects, which the computation of dominators would use up.
    pub references: bool,
    /// Texts and values of fields: what a report to be shared must not tell.
    pub contents: bool,
}
