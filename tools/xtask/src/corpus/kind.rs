//! All probe kinds, as the corpus run needs them.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::every_kind::{Engines, ProbeKind, ProbeVisitor};
use weighbridge_probes::{Outcome, ProbeStrategy};

/// The class that the inserted calls name. It need not exist, because linking does not resolve it.
const BRIDGE: &str = "corpus/Weighbridge$0123456789abcdef";

/// What became of a class.
#[derive(Debug)]
pub enum ClassChange {
    /// Rewritten, with this many insertions.
    Rewritten(Vec<u8>, u64),
    /// Left alone, with the reason.
    Skipped(String),
}

/// Its name in the report; `tools/xtask/java/Injected.java` has the same names.
pub fn name(kind: ProbeKind) -> &'static str {
    match kind {
        ProbeKind::Live => "constructors live",
        ProbeKind::Count => "constructors count",
        ProbeKind::Method => "method entry, return, throw",
        ProbeKind::Coverage => "lines",
        ProbeKind::Usage => "uses of objects",
        ProbeKind::Entry => "scopes",
        ProbeKind::Work => "work",
        ProbeKind::Events => "every event",
    }
}

/// The name of the folder for its output.
pub fn folder(kind: ProbeKind) -> String {
    format!("{kind:?}").to_lowercase()
}

/// Whether `Injected.java` knows where its calls must be, so that the texts without them can be compared. The others are held
/// against the other oracles.
pub fn has_known_positions(kind: ProbeKind) -> bool {
    match kind {
        ProbeKind::Live | ProbeKind::Count | ProbeKind::Method | ProbeKind::Coverage | ProbeKind::Usage => true,
        ProbeKind::Entry | ProbeKind::Work | ProbeKind::Events => false,
    }
}

/// The engines with their reused memory; one per thread.
#[derive(Debug, Default)]
pub struct Engine {
    pool: PoolOffsets,
    engines: Engines,
}

impl Engine {
    /// Rewrites one class; `id` becomes the first id of its probes.
    pub fn rewrite(&mut self, kind: ProbeKind, bytes: &[u8], id: u32) -> Result<ClassChange> {
        let mut rewriting = Rewriting { class: &ClassFile::read(bytes, &mut self.pool)? };
        self.engines.visit(kind, BRIDGE, id, &mut rewriting)
    }
}

/// Rewrites a class with a probe.
struct Rewriting<'c> {
    class: &'c ClassFile<'c>,
}

impl ProbeVisitor for Rewriting<'_> {
    type Answer = Result<ClassChange>;

    fn visit<K: ProbeStrategy>(
        &mut self,
        engine: &mut weighbridge_probes::Engine<K::Call, K::Memory>,
        probe: &K,
    ) -> Result<ClassChange> {
        Ok(match engine.rewrite(self.class, probe)? {
            Outcome::Rewritten(new) => ClassChange::Rewritten(new.bytes, (new.sites.len() + new.handlers) as u64),
            Outcome::Skipped(reason) => {
                // The name of the variant without its fields, so that equal reasons are counted together.
                let reason = format!("{reason:?}");
                ClassChange::Skipped(reason.split([' ', '(', '{']).next().unwrap_or_default().to_owned())
            }
        })
    }
}
