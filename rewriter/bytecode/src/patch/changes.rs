//! What changes in a method, and where.

use std::ops::Range;

use super::{PoolEditor, Sequence};
use crate::read::{ClassFile, CodeAttribute, CpIndex, Member, VerificationType};

/// A pc of the original code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OldPc(pub u32);

/// A pc of the code with the insertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NewPc(pub u32);

/// Where code is inserted, relative to the instruction at a pc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// At the method's entry; the pc is 0.
    Entry,
    /// Before the instruction.
    Before,
    /// After the instruction, if control continues at the next one; not possible after `goto`, a return, `athrow` or a switch.
    After,
}

/// Code to insert; insertions at the same pc and position keep their order.
#[derive(Clone, Copy, Debug)]
pub struct Insertion<'s> {
    /// The instruction's pc.
    pub at: OldPc,
    /// On which side of it.
    pub position: Position,
    /// What to insert.
    pub sequence: &'s Sequence,
}

/// Code at the method's end that runs when covered instructions throw and no handler of the program catches it.
#[derive(Clone, Debug)]
pub struct Catch<'s> {
    /// The instructions that it covers, with the code inserted at them, except code at the entry. Up to the end of the code
    /// means: with the code of the handlers before it.
    pub covered: Range<OldPc>,
    /// The class that it catches; 0 for all.
    pub catch_type: CpIndex,
    /// The handler's code ([`Sequence::start_handler`]). It can use the added local variables, and if it restarts the method
    /// ([`Sequence::restart`]) also the parameters.
    pub sequence: &'s Sequence,
}

/// What changes in a method.
#[derive(Clone, Debug, Default)]
pub struct MethodEdit<'s> {
    /// Code between the method's instructions.
    pub insertions: &'s [Insertion<'s>],
    /// Handlers, after those of the method.
    pub catches: &'s [Catch<'s>],
    /// Types of added local variables, from `max_locals`. Code at the entry must store them; they then keep their types to
    /// the end of the method.
    pub locals: &'s [VerificationType],
}

impl MethodEdit<'_> {
    pub(super) fn sequences(&self) -> impl Iterator<Item = &Sequence> {
        self.insertions.iter().map(|i| i.sequence).chain(self.catches.iter().map(|c| c.sequence))
    }
}

/// The method whose tables are written.
pub(super) struct MethodContext<'m, 'a> {
    pub(super) class: &'m ClassFile<'a>,
    pub(super) method: &'m Member<'a>,
    pub(super) code: &'m CodeAttribute<'a>,
    pub(super) changes: &'m MethodEdit<'m>,
    /// For the classes in new stack map frames.
    pub(super) pool: &'m mut PoolEditor<'a>,
}
