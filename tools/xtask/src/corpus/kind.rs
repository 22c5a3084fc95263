//! All probe kinds.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::Outcome;
use weighbridge_probes::allocation::{AllocationProbe, Allocations};
use weighbridge_probes::constructor::{Clones, ConstructorProbe, Constructors, Objects, Track};
use weighbridge_probes::field::{FieldProbe, Fields};
use weighbridge_probes::method::{MethodProbe, Methods};

/// A probe kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Constructors register their objects.
    Live,
    /// Constructors count their objects.
    Count,
    /// Calls at the entry of every method and before each return, and a handler around the method.
    Method,
    /// A call with a site number before each `new` and after each array creation.
    Allocation,
    /// A call with a site number before `getfield` and `putfield` and after `getstatic` and `putstatic`.
    Field,
}

/// All kinds, in the order of the report.
pub const KINDS: [Kind; 5] = [Kind::Live, Kind::Count, Kind::Method, Kind::Allocation, Kind::Field];

/// The class that the inserted calls name. It need not exist, because linking does not resolve it.
const BRIDGE: &str = "corpus/Weighbridge$0123456789abcdef";

/// What became of a class.
#[derive(Debug)]
pub enum Change {
    /// Rewritten, with this many insertions.
    Rewritten(Vec<u8>, u64),
    /// Left alone, with the reason.
    Skipped(String),
}

impl Kind {
    /// Its name in the report; `tools/xtask/java/Injected.java` has the same names.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Live => "constructors live",
            Kind::Count => "constructors count",
            Kind::Method => "method entry, return, throw",
            Kind::Allocation => "allocation sites",
            Kind::Field => "field accesses",
        }
    }

    /// The name of the folder for its output.
    pub fn folder(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// The engines with their reused memory; one per thread.
#[derive(Debug, Default)]
pub struct Engine {
    pool: PoolOffsets,
    constructors: Constructors,
    methods: Methods,
    allocations: Allocations,
    fields: Fields,
}

impl Engine {
    /// Rewrites one class; `id` becomes the first id of its probes.
    pub fn rewrite(&mut self, kind: Kind, bytes: &[u8], id: u32) -> Result<Change> {
        let class = ClassFile::read(bytes, &mut self.pool)?;
        let constructor =
            |track| ConstructorProbe { bridge: BRIDGE, id, track, objects: Objects::All, clones: Clones::All };
        Ok(match kind {
            Kind::Live => change(self.constructors.rewrite(&class, &constructor(Track::Live))?),
            Kind::Count => change(self.constructors.rewrite(&class, &constructor(Track::Count))?),
            Kind::Method => change(self.methods.rewrite(
                &class,
                &MethodProbe { bridge: BRIDGE, first_id: id, wanted: |_: &[u8]| true, arguments: false },
            )?),
            Kind::Allocation => {
                change(self.allocations.rewrite(&class, &AllocationProbe { bridge: BRIDGE, first_site: id })?)
            }
            Kind::Field => change(self.fields.rewrite(&class, &FieldProbe { bridge: BRIDGE, first_site: id })?),
        })
    }
}

fn change<C>(outcome: Outcome<C>) -> Change {
    match outcome {
        Outcome::Rewritten(new) => Change::Rewritten(new.bytes, (new.sites.len() + new.handlers) as u64),
        Outcome::Skipped(reason) => {
            // The name of the variant without its fields, so that equal reasons are counted together.
            let reason = format!("{reason:?}");
            Change::Skipped(reason.split([' ', '(', '{']).next().unwrap_or_default().to_owned())
        }
    }
}
