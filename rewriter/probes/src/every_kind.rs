//! The list of all kinds of probes, for those who must miss none: the oracles of the tests, the fuzz targets, the corpus run.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, Member};

use crate::constructor::{Clones, ConstructorProbe, Constructors, MAX_ID, Objects, Track};
use crate::coverage::{Coverage, CoverageProbe};
use crate::entry::{Entries, EntryProbe, OpenedEntry};
use crate::events::{EventProbe, Events, Numbers};
use crate::method::{MethodProbe, Methods};
use crate::usage::{UsageProbe, Usages};
use crate::work::{Role, Roles, WorkProbe, Works};
use crate::{Engine, ProbeStrategy};

macro_rules! probe_kinds {
    ($(#[doc = $doc:literal] $kind:ident,)*) => {
        /// A kind of probe. Whoever handles each kind matches on this, and does not compile while a new one is missing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProbeKind {
            $(#[doc = $doc] $kind,)*
        }

        impl ProbeKind {
            /// All kinds.
            pub const ALL: &[ProbeKind] = &[$(ProbeKind::$kind),*];
        }
    };
}

probe_kinds! {
    /// Constructors register their objects.
    Live,
    /// Constructors count their objects.
    Count,
    /// Methods tell their entry and their end.
    Method,
    /// Lines tell that they are reached.
    Coverage,
    /// Objects tell that they are used.
    Usage,
    /// Methods open scopes.
    Entry,
    /// Calls of methods may be refused, ended or repeated.
    Work,
    /// Every event that decides how long objects live.
    Events,
}

/// What is done with a probe of any kind.
pub trait ProbeVisitor {
    /// What it gives.
    type Answer;

    /// Is called with the probe and the engine of its kind.
    fn visit<K: ProbeStrategy>(&mut self, engine: &mut Engine<K::Call, K::Memory>, probe: &K) -> Self::Answer;
}

/// The engines of all kinds, with their reused memory; one per thread.
#[derive(Debug, Default)]
pub struct Engines {
    constructors: Constructors,
    methods: Methods,
    coverage: Coverage,
    usages: Usages,
    entries: Entries,
    works: Works,
    events: Events,
}

impl Engines {
    /// Calls the visitor with a probe that wants all that its kind can have. Its calls name `bridge`, and pass `first_id` or
    /// more where the kind leaves that open.
    pub fn visit<V: ProbeVisitor>(
        &mut self,
        kind: ProbeKind,
        bridge: &str,
        first_id: u32,
        visitor: &mut V,
    ) -> V::Answer {
        let constructor = |track| {
            let id = first_id.min(MAX_ID);
            ConstructorProbe { bridge, id, track, objects: Objects::All, clones: Clones::All }
        };
        match kind {
            ProbeKind::Live => visitor.visit(&mut self.constructors, &constructor(Track::Live)),
            ProbeKind::Count => visitor.visit(&mut self.constructors, &constructor(Track::Count)),
            ProbeKind::Method => {
                let probe = MethodProbe { bridge, first_id, wanted: |_: &[u8]| true, arguments: false };
                visitor.visit(&mut self.methods, &probe)
            }
            ProbeKind::Coverage => visitor.visit(&mut self.coverage, &CoverageProbe { bridge, first_id }),
            ProbeKind::Usage => {
                visitor.visit(&mut self.usages, &UsageProbe { bridge, id: first_id, wanted: |_: &[u8]| true })
            }
            ProbeKind::Entry => {
                // Some tell `this`, some an argument.
                let argument = |name: &[u8]| name.len().is_multiple_of(2).then_some(0);
                let entry = |name: &[u8]| Some(OpenedEntry { id: first_id, argument: argument(name) });
                visitor.visit(&mut self.entries, &EntryProbe { bridge, made: Some(first_id), entry })
            }
            ProbeKind::Work => {
                let role = Role::new(0);
                let roles = |_: &[u8]| Roles { permit: role, admit: role, retry: role, checkpoint: true };
                visitor.visit(&mut self.works, &WorkProbe { bridge, roles })
            }
            ProbeKind::Events => visitor.visit(&mut self.events, &EventProbe { bridge, numbers: SameNumber(first_id) }),
        }
    }
}

/// Everything has the same number.
struct SameNumber(u32);

impl Numbers for SameNumber {
    fn method(&self, _: &ClassFile<'_>, _: &Member<'_>, _: u16) -> Result<u32> {
        Ok(self.0)
    }

    fn field(&self, _: &[u8], _: &[u8]) -> u32 {
        self.0
    }

    fn site(&self, _: u32, _: u16, _: &[u8]) -> u32 {
        self.0
    }

    fn skip_method(&self, _: &ClassFile<'_>, _: &Member<'_>, _: String) {}
}
