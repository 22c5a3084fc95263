//! What all kinds of probes share: a kind finds its sites in a class and writes the calls at them.

use std::fmt::Debug;
use std::ops::Range;

use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, VerificationType, op};
use weighbridge_bytecode::{BytecodeErrorKind, Result};

use crate::skip::{self, SkipReason};

/// A kind of probe, for one class. Each kind has a folder in this crate.
pub trait ProbeStrategy {
    /// What is done at a site.
    type Call: Copy + Debug + PartialEq;
    /// Reusable memory for deciding.
    type Memory: Default;

    /// The most that the code at one site needs.
    const NEED: Need;

    /// Starts a class; returns a reason if it gets no probes of this kind, whatever its methods are.
    ///
    /// # Errors
    /// `ClassFormat` for a damaged class, as of all methods here.
    fn class(&self, class: &ClassFile<'_>, memory: &mut Self::Memory) -> Result<Option<SkipReason>> {
        let _ = memory;
        skip::of_any_kind(class)
    }

    /// Whether a method can have sites; the code of others is not read.
    fn may_have_sites(&self, method: &Member<'_>, memory: &Self::Memory) -> Result<bool> {
        let _ = (method, memory);
        Ok(true)
    }

    /// Finds the sites of a method with code; a reason if the whole class is to be left alone.
    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        memory: &mut Self::Memory,
        sites: &mut MethodSites<'_, Self::Call>,
    ) -> Result<Option<SkipReason>>;

    /// The reason if no site was found.
    fn nothing_found(&self) -> SkipReason {
        SkipReason::NoSite
    }

    /// The number that the code of a call loads; a large one needs a constant.
    fn number(&self, call: Self::Call) -> u32;

    /// The class that the handler of a guard catches; `None` for all. In internal form.
    fn caught(&self, call: Self::Call) -> Option<&'static str> {
        let _ = call;
        None
    }

    /// Writes the code of a call. Neighbouring sites with equal calls share it.
    fn assemble(
        &self,
        call: Self::Call,
        class: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()>;
}

/// Where a probe is in the original class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site<C> {
    /// Ordinal of the method.
    pub method: u16,
    /// An instruction of its code.
    pub at: OldPc,
    /// On which side of it.
    pub position: Position,
    /// What is done there.
    pub call: C,
}

/// A handler of a kind: for what the covered instructions throw, and the method itself does not catch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard<C> {
    /// Ordinal of the method.
    pub method: u16,
    /// The instructions that it covers.
    pub covered: Range<OldPc>,
    /// What is done; [`Kind::assemble`] writes the handler's code.
    pub call: C,
}

/// All that was decided for a class.
#[derive(Clone, Debug)]
pub struct Sites<C> {
    /// In the order of the methods; of one method in the order of the pcs.
    pub sites: Vec<Site<C>>,
    /// In the order of the methods.
    pub guards: Vec<Guard<C>>,
    /// Methods with local variables for the probes, in the order of the methods.
    pub(crate) locals: Vec<(u16, &'static [VerificationType])>,
}

impl<C> Default for Sites<C> {
    fn default() -> Self {
        Sites { sites: Vec::new(), guards: Vec::new(), locals: Vec::new() }
    }
}

impl<C> Sites<C> {
    pub(crate) fn clear(&mut self) {
        self.sites.clear();
        self.guards.clear();
        self.locals.clear();
    }

    /// True if there is no site.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty() && self.guards.is_empty()
    }
}

/// Collects the sites of one method.
#[derive(Debug)]
pub struct MethodSites<'s, C> {
    pub(crate) method: u16,
    pub(crate) sites: &'s mut Sites<C>,
}

impl<C> MethodSites<'_, C> {
    /// How many sites the class has so far.
    pub fn site_count(&self) -> u32 {
        self.sites.sites.len() as u32
    }

    /// Adds a probe at an instruction.
    pub fn add(&mut self, at: OldPc, position: Position, call: C) {
        self.sites.sites.push(Site { method: self.method, at, position, call });
    }

    /// Sorts the sites of this method by pc; those at one insertion point keep their order.
    pub(crate) fn sort(&mut self) {
        let method = self.method;
        let first = self.sites.sites.partition_point(|site| site.method < method);
        self.sites.sites[first..].sort_by_key(|site| (site.at, site.position));
    }

    /// Adds a handler around instructions. Of one method, the first that fits decides.
    pub fn guard(&mut self, covered: Range<OldPc>, call: C) {
        self.sites.guards.push(Guard { method: self.method, covered, call });
    }

    /// Adds local variables from `max_locals`; a site at the entry must store them.
    pub fn add_locals(&mut self, types: &'static [VerificationType]) {
        self.sites.locals.push((self.method, types));
    }
}

/// The number whose constant [`push`] needs, if it is a large one.
pub(crate) fn base(first: u32, id: u32) -> u32 {
    if id <= i16::MAX as u32 || id - first > i16::MAX as u32 { id } else { first }
}

/// Pushes one of the ids of a class, which are `first` and more. All large ones share a constant: a JVM that transforms a loaded
/// class compares each new constant with all others.
pub(crate) fn push<'s>(
    first: u32,
    id: u32,
    pool: &mut PoolEditor<'_>,
    sequence: &'s mut Sequence,
) -> Result<&'s mut Sequence> {
    let base = base(first, id);
    sequence.int(base as i32, pool)?;
    match id - base {
        0 => Ok(sequence),
        offset => Ok(sequence.int(offset as i32, pool)?.raw(&[op::IADD], 2, 1)),
    }
}

/// An error unless the constant pool has room for the constants of the calls.
pub(crate) fn room_for_constants<K: ProbeStrategy>(
    class: &ClassFile<'_>,
    kind: &K,
    sites: &Sites<K::Call>,
) -> Result<()> {
    let calls = sites.sites.iter().map(|site| site.call).chain(sites.guards.iter().map(|guard| guard.call));
    let mut last = None;
    let is_new = |number: &u32| last.replace(*number) != Some(*number);
    let numbers = calls.map(|call| kind.number(call)).filter(|&number| number > i16::MAX as u32).filter(is_new).count();
    let (now, more) = (class.pool.count(), numbers + usize::from(K::NEED.constants));
    match now + more <= usize::from(u16::MAX) {
        true => Ok(()),
        false => Err(weighbridge_bytecode::Error::new(
            BytecodeErrorKind::Limit,
            format!("the constant pool of {now} may grow by {more}; it may have {}", u16::MAX),
        )),
    }
}
