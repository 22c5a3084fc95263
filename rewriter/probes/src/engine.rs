//! Decides where probes go, then writes them. What was decided can always be written.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{
    Catch, ClassPatch, Insertion, MethodEdit, NewPc, PoolEditor, Sequence, Workspace, room,
};
use weighbridge_bytecode::read::{ClassFile, CpIndex, Member};
use weighbridge_bytecode::{BytecodeErrorKind, Error};

use crate::SkipReason;
use crate::kind::{Guard, MethodSites, ProbeStrategy, Site, Sites, room_for_constants};

/// What became of a class.
#[derive(Debug)]
pub enum Outcome<C> {
    /// It has probes.
    Rewritten(Rewritten<C>),
    /// It stays as it is.
    Skipped(SkipReason),
}

/// A class with probes.
#[derive(Debug)]
pub struct Rewritten<C> {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// Every probe at an instruction, in the order of methods and pcs, and where its code starts.
    pub sites: Vec<(Site<C>, NewPc)>,
    /// How many handlers the probes have.
    pub handlers: usize,
}

/// Puts probes of one kind into classes with reused memory; one per thread.
#[derive(Debug)]
pub struct Engine<C, M> {
    memory: M,
    sites: Sites<C>,
    calls: Calls<C>,
    workspace: Workspace,
}

impl<C, M: Default> Default for Engine<C, M> {
    fn default() -> Self {
        Engine {
            memory: M::default(),
            sites: Sites::default(),
            calls: Calls::default(),
            workspace: Workspace::default(),
        }
    }
}

impl<C: Copy + PartialEq + std::fmt::Debug, M> Engine<C, M> {
    /// What the kind has kept of the last class.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Finds the sites of a class, or the reason to leave it as it is. Checks the JVM's limits and writes nothing.
    ///
    /// # Errors
    /// `ClassFormat` for a damaged class, `Limit` if a JVM limit might be broken: leave the class as it is.
    pub fn decide<K>(&mut self, class: &ClassFile<'_>, kind: &K) -> Result<std::result::Result<&Sites<C>, SkipReason>>
    where
        K: ProbeStrategy<Call = C, Memory = M>,
    {
        Ok(match self.find_sites(class, kind)? {
            Ok(Room::Certain) => Ok(&self.sites),
            Ok(Room::Uncertain) => {
                // Such a class is rare: it is written, to see whether it fits.
                self.write(class, kind)?;
                Ok(&self.sites)
            }
            Err(reason) => Err(reason),
        })
    }

    fn find_sites<K>(&mut self, class: &ClassFile<'_>, kind: &K) -> Result<std::result::Result<Room, SkipReason>>
    where
        K: ProbeStrategy<Call = C, Memory = M>,
    {
        self.sites.clear();
        let Engine { memory, sites, .. } = self;
        let mut found = Room::Certain;
        if let Some(reason) = kind.class(class, memory)? {
            return Ok(Err(reason));
        }
        for method in class.methods()? {
            let method = method?;
            if !kind.may_have_sites(&method, memory)? {
                continue;
            }
            let within = |error: Error| error.in_method(method.title());
            match decide_method(class, kind, &method, memory, sites).map_err(within)? {
                Ok(room) => found = found.max(room),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        if sites.is_empty() {
            return Ok(Err(kind.nothing_found()));
        }
        Ok(Ok(found.max(Room::from_estimate(room_for_constants(class, kind, sites))?)))
    }

    /// Decides on a class, and writes it with its probes.
    ///
    /// # Errors
    /// As [`Engine::decide`]. Code that no JVM accepts may fail with `ClassFormat` only when it is written.
    pub fn rewrite<K>(&mut self, class: &ClassFile<'_>, kind: &K) -> Result<Outcome<C>>
    where
        K: ProbeStrategy<Call = C, Memory = M>,
    {
        match self.find_sites(class, kind)? {
            Ok(_) => self.write(class, kind).map(Outcome::Rewritten),
            Err(reason) => Ok(Outcome::Skipped(reason)),
        }
    }

    /// Writes the sites that were found last.
    fn write<K>(&mut self, class: &ClassFile<'_>, kind: &K) -> Result<Rewritten<C>>
    where
        K: ProbeStrategy<Call = C, Memory = M>,
    {
        self.calls.known.clear();
        let mut patch = ClassPatch::new(class, &mut self.workspace);
        let (mut sites, mut guards) = (&self.sites.sites[..], &self.sites.guards[..]);
        let mut written = Vec::with_capacity(sites.len());
        for method in class.methods()? {
            if sites.is_empty() && guards.is_empty() {
                break;
            }
            let method = method?;
            let own = |site: &Site<C>| site.method == method.index;
            let (here, later) = sites.split_at(sites.iter().take_while(|site| own(site)).count());
            let guarding = guards.iter().take_while(|guard| guard.method == method.index).count();
            let (guards_here, guards_later) = guards.split_at(guarding);
            (sites, guards) = (later, guards_later);
            if here.is_empty() && guards_here.is_empty() {
                continue;
            }
            let locals = &self.sites.locals;
            let locals = match locals.binary_search_by_key(&method.index, |(of, _)| *of) {
                Ok(at) => locals[at].1,
                Err(_) => &[],
            };
            let mut write = || -> Result<()> {
                let code = method.code()?.ok_or_else(no_code)?;
                let calls = self.calls.of_method(class, kind, here, guards_here, &mut patch.pool)?;
                let (of_sites, of_guards) = calls.used.split_at(here.len());
                let insertions: Vec<_> = (here.iter().zip(of_sites))
                    .map(|(site, &call)| Insertion {
                        at: site.at,
                        position: site.position,
                        sequence: &calls.sequences[call],
                    })
                    .collect();
                let catches = (guards_here.iter().zip(of_guards)).map(|(guard, &call)| {
                    Ok(Catch {
                        covered: guard.covered.clone(),
                        catch_type: match kind.caught(guard.call) {
                            Some(name) => patch.pool.class(name.as_bytes())?,
                            None => CpIndex(0),
                        },
                        sequence: &calls.sequences[call],
                    })
                });
                let catches = catches.collect::<Result<Vec<_>>>()?;
                let changes = MethodEdit { insertions: &insertions, catches: &catches, locals };
                let starts = patch.edit(&method, &code, &changes)?;
                written.extend(here.iter().copied().zip(starts.iter().copied()));
                Ok(())
            };
            write().map_err(|error| error.in_method(method.title()))?;
        }
        Ok(Rewritten { bytes: patch.finish(), sites: written, handlers: self.sites.guards.len() })
    }
}

/// Whether JVM limits leave room for the sites of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    /// Even if each site needs as much as any site of the kind may.
    Certain,
    /// Only writing the class tells.
    Uncertain,
}

impl Room {
    fn from_estimate(estimate: Result<()>) -> Result<Room> {
        match estimate {
            Ok(()) => Ok(Room::Certain),
            Err(error) if error.kind() == BytecodeErrorKind::Limit => Ok(Room::Uncertain),
            Err(error) => Err(error),
        }
    }
}

fn decide_method<K: ProbeStrategy>(
    class: &ClassFile<'_>,
    kind: &K,
    method: &Member<'_>,
    memory: &mut K::Memory,
    sites: &mut Sites<K::Call>,
) -> Result<std::result::Result<Room, SkipReason>> {
    let Some(code) = method.code()? else { return Ok(Ok(Room::Certain)) };
    let (before, guards) = (sites.sites.len(), sites.guards.len());
    let mut found = MethodSites { method: method.index, sites };
    if let Some(reason) = kind.method(class, method, &code, memory, &mut found)? {
        return Ok(Err(reason));
    }
    let added = sites.sites.len() - before + sites.guards.len() - guards;
    Ok(Ok(match added {
        0 => Room::Certain,
        added => Room::from_estimate(room(&code, added, K::NEED))?,
    }))
}

#[cold]
fn no_code() -> Error {
    Error::new(BytecodeErrorKind::Internal, "a site is in a method without code")
}

/// The code of the calls of a class, in reused memory.
#[derive(Debug)]
struct Calls<C> {
    /// The call of each sequence of this class; further sequences are of an earlier class.
    known: Vec<C>,
    sequences: Vec<Sequence>,
    /// The sequence of each site of a method, then of each guard.
    used: Vec<usize>,
}

/// How many of the last sequences are searched for an equal call: a class has a few that recur, or many that do not.
const RECENT: usize = 4;

impl<C> Default for Calls<C> {
    fn default() -> Self {
        Calls { known: Vec::new(), sequences: Vec::new(), used: Vec::new() }
    }
}

impl<C: Copy + PartialEq + std::fmt::Debug> Calls<C> {
    /// Writes the code of a method's sites and guards, unless it exists.
    fn of_method<K: ProbeStrategy<Call = C>>(
        &mut self,
        class: &ClassFile<'_>,
        kind: &K,
        sites: &[Site<C>],
        guards: &[Guard<C>],
        pool: &mut PoolEditor<'_>,
    ) -> Result<&Self> {
        self.used.clear();
        for call in sites.iter().map(|site| site.call).chain(guards.iter().map(|guard| guard.call)) {
            let recent = self.known.len().saturating_sub(RECENT);
            let found = self.known[recent..].iter().position(|known| *known == call);
            let index = match found {
                Some(found) => recent + found,
                None => {
                    let index = self.known.len();
                    if index == self.sequences.len() {
                        self.sequences.push(Sequence::new());
                    }
                    let sequence = &mut self.sequences[index];
                    sequence.clear();
                    kind.assemble(call, class, pool, sequence)?;
                    self.known.push(call);
                    index
                }
            };
            self.used.push(index);
        }
        Ok(self)
    }
}
