//! Constructors register the object that they complete. The one call of `super(...)` is found by following
//! `uninitializedThis`; the probe stands at each normal return where local 0 is provably `this`, else right after
//! `super(...)`. A `super.clone()` of the JDK registers the copy. What cannot be proven is skipped with
//! its reason, never guessed.

mod call;
mod claims;
mod clones;
mod placement;
mod skip;
mod straight;
mod this_flow;

pub use call::is_blind;
pub use claims::{Claims, Fitness};
pub use placement::Placement;
pub use skip::{NEWEST_MAJOR, SkipReason};

use call::{CallMemory, Calls, Piece};
use placement::{Decision, Place, Placer};
use weighbridge_bytecode::patch::{ClassPatch, Insertion, NewPc, OldPc, Position, Workspace};
use weighbridge_bytecode::read::{ClassFile, ClassSummary, CpIndex, Member, PoolOffsets, access};
use weighbridge_bytecode::{Error, ErrorKind, Result};

/// How much of an object is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// Exact counters and the live population; the object escapes to the runtime.
    Live,
    /// Exact counters only; the object never leaves its constructor, so escape analysis still works.
    Count,
}

/// The largest class id: the runtime passes its complement, and twice it is the index of a counter.
pub const MAX_ID: u32 = (1 << 30) - 1;

/// Whose objects the constructors of a class register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// Its own, and those of subclasses without probes: for the topmost class with probes of its jar.
    All,
    /// Its own: the constructors of a superclass with probes, which run too, register the others.
    Own,
}

/// The probe of one class's constructors.
#[derive(Clone, Copy, Debug)]
pub struct ConstructorProbe<'a> {
    /// Internal name of the jar's bridge class.
    pub bridge: &'a str,
    /// Ordinal of the class in the bridge's table; at most [`MAX_ID`].
    pub id: u32,
    /// What the probe records.
    pub track: Track,
    /// Of which objects.
    pub objects: Objects,
    /// What it does about claims.
    pub claims: Claims,
}

/// What became of a class.
#[derive(Debug)]
pub enum Outcome {
    /// It has probes.
    Rewritten(Rewritten),
    /// It stays as it is.
    Skipped(SkipReason),
}

/// A class with probes.
#[derive(Debug)]
pub struct Rewritten {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// Every probe, in the order of methods and pcs.
    pub sites: Vec<ProbeSite>,
    /// What its constructors could do about claims.
    pub fitness: Fitness,
}

impl Rewritten {
    /// True if a method registers the copies that it makes.
    pub fn copies(&self) -> bool {
        self.sites.iter().any(|site| site.placement == Placement::AfterClone)
    }

    /// How many constructors have probes.
    pub fn constructors(&self) -> usize {
        let in_constructors = self.sites.iter().filter(|site| site.placement != Placement::AfterClone);
        let mut methods: Vec<u16> = in_constructors.map(|site| site.method).collect();
        methods.dedup();
        methods.len()
    }
}

/// One probe in a constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeSite {
    /// Ordinal of the constructor, or of the method that clones, among the methods.
    pub method: u16,
    /// Its descriptor, a Utf8 of both the old and the new class.
    pub descriptor: CpIndex,
    /// Why the probe stands where it does.
    pub placement: Placement,
    /// The `return` that it precedes, or the `super(...)` or `super.clone()` call that it follows.
    pub old_pc: OldPc,
    /// Where its code starts.
    pub new_pc: NewPc,
}

/// Puts constructor probes into classes, one after the other, with the same memory; one per thread.
#[derive(Debug, Default)]
pub struct Instrumenter {
    workspace: Workspace,
    placer: Placer,
    calls: CallMemory,
}

impl Instrumenter {
    /// Rewrites one class.
    ///
    /// # Errors
    /// `ClassFormat` for a damaged class, `Limit` when a JVM limit would be broken: leave the class as it is.
    pub fn constructors(&mut self, class: &ClassFile<'_>, probe: &ConstructorProbe<'_>) -> Result<Outcome> {
        let summary = ClassSummary::of(class)?;
        if let Some(reason) = skip::by_header(&summary)? {
            return Ok(Outcome::Skipped(reason));
        }
        if probe.id > MAX_ID {
            let message = format!("the class id {} is above {MAX_ID}", probe.id);
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let mut patch = ClassPatch::new(class, &mut self.workspace);
        let mut calls = Calls::of(class, probe, &mut self.calls);
        let mut sites = Vec::new();
        let mut fitness = Fitness::of_class(class);
        // A final class has no subclasses that could claim.
        let heeded = probe.claims.heeded && class.access_flags & access::FINAL == 0;
        let claims = Claims { heeded, ..probe.claims };
        let has_objects = probe.objects == Objects::All || class.access_flags & access::ABSTRACT == 0;
        let jdk_clones = clones::jdk_clones(class)?;
        let mut methods = class.methods()?;
        let may_have_probes = |name| Ok(!jdk_clones.is_empty() || class.pool.is_init(name)?);
        while let Some(method) = methods.next_named(may_have_probes) {
            let method = method?;
            let is_constructor = method.is_constructor()?;
            if is_constructor && !has_objects {
                continue;
            }
            let placer = &mut self.placer;
            let mut edit = || -> Result<Option<SkipReason>> {
                let Some(code) = method.code()? else { return Ok(None) };
                let descriptor = method.descriptor()?;
                let decision = match is_constructor {
                    true => placer.decide(&code, descriptor, &class.pool, summary.this_class)?,
                    false => placer.decide_on_clones(&code, &jdk_clones)?,
                };
                if is_constructor {
                    fitness = fitness.and(Fitness::of(&code, &class.pool, placer, &decision)?);
                }
                let placement = match decision {
                    Decision::Probe(placement) => placement,
                    Decision::ProbeStraight { .. } if claims != Claims::default() => Placement::Returns,
                    Decision::ProbeStraight { depth } => {
                        let &[Place { pc, object }] = placer.places.as_slice() else { return Err(no_place()) };
                        let piece = Piece::Register(object, None);
                        calls.prepare(piece, &mut patch.pool)?;
                        let old_pc = OldPc(pc);
                        let new_pc = patch.insert_straight(&method, &code, old_pc, depth, calls.prepared(piece)?)?;
                        let (method, descriptor) = (method.index, method.descriptor);
                        sites.push(ProbeSite { method, descriptor, placement: Placement::Returns, old_pc, new_pc });
                        return Ok(None);
                    }
                    Decision::Nothing => return Ok(None),
                    Decision::Skip(reason) => return Ok(Some(reason)),
                };
                let claims = if is_constructor { claims } else { Claims::default() };
                insert(&mut patch, &mut calls, &code, (placer, placement), claims, &method, &mut sites)?;
                Ok(None)
            };
            if let Some(reason) = edit().map_err(|error| error.in_method(method.title()))? {
                return Ok(Outcome::Skipped(reason));
            }
        }
        Ok(match sites.is_empty() {
            true if has_objects => Outcome::Skipped(SkipReason::NoConstructor),
            true => Outcome::Skipped(SkipReason::OnlySubclasses),
            false => Outcome::Rewritten(Rewritten { bytes: patch.finish(), sites, fitness }),
        })
    }
}

#[cold]
fn no_place() -> Error {
    Error::new(ErrorKind::Internal, "a constructor without branches has not one place for a probe")
}

/// Inserts one method's probes, and what its claims need.
fn insert<'a>(
    patch: &mut ClassPatch<'_, 'a>,
    calls: &mut Calls<'_>,
    code: &weighbridge_bytecode::read::CodeAttribute<'a>,
    (placer, placement): (&Placer, Placement),
    claims: Claims,
    method: &Member<'a>,
    sites: &mut Vec<ProbeSite>,
) -> Result<()> {
    let position = match placement {
        Placement::Returns => Position::Before,
        Placement::AfterSuper | Placement::AfterClone => Position::After,
    };
    let claimed = (claims.heeded && placer.is_straight).then_some(code.max_locals);
    let probe = |place: &Place| (OldPc(place.pc), position, Piece::Register(place.object, claimed));
    // Most constructors return in one place and know no claims, which needs no list.
    let starts = match placer.places.as_slice() {
        [place] if claims == Claims::default() => {
            let (at, position, piece) = probe(place);
            calls.prepare(piece, &mut patch.pool)?;
            patch.insert(method, code, &[Insertion { at, position, sequence: calls.prepared(piece)? }])?
        }
        places => {
            let supers = placer.calls().iter().filter(|call| claims.from.is_some() && !call.delegates);
            let claiming = supers.map(|call| (OldPc(call.pc), Position::Before, Piece::Claim));
            let heeding = claimed.map(|local| (OldPc(0), Position::Entry, Piece::Heed(local)));
            let pieces: Vec<_> = places.iter().map(probe).chain(claiming).chain(heeding).collect();
            for &(.., piece) in &pieces {
                calls.prepare(piece, &mut patch.pool)?;
            }
            let insertion = |&(at, position, piece)| Ok(Insertion { at, position, sequence: calls.prepared(piece)? });
            let insertions = pieces.iter().map(insertion).collect::<Result<Vec<_>>>()?;
            patch.insert(method, code, &insertions)?
        }
    };
    // The probes come first.
    sites.extend(placer.places.iter().zip(starts).map(|(place, &new_pc)| ProbeSite {
        method: method.index,
        descriptor: method.descriptor,
        placement,
        old_pc: OldPc(place.pc),
        new_pc,
    }));
    Ok(())
}

/// Rewrites one class; [`Instrumenter`] does the same for many classes without allocating anew.
///
/// # Errors
/// As [`ClassFile::read`] and [`Instrumenter::constructors`].
pub fn instrument_constructors(class: &[u8], probe: &ConstructorProbe<'_>) -> Result<Outcome> {
    let mut memory = PoolOffsets::default();
    Instrumenter::default().constructors(&ClassFile::read(class, &mut memory)?, probe)
}
