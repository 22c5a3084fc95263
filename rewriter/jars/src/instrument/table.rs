//! The table of a unit, for its bridge class to pass to the runtime (docs/probe-contract.md, "The table").

use std::io::{Seek, Write};

use sha2::{Digest, Sha256};
use tempfile::SpooledTempFile;

use super::scan::InputNode;
use super::shared_text::SharedBytes;
use super::unit::BridgeUnit;
use crate::error::Result;
use crate::jar::temporary;
use weighbridge_bytecode::read::mutf8;
use weighbridge_config::Config;
use weighbridge_probes::MAX_UTF8;
use weighbridge_probes::constructor::Objects;
use weighbridge_probes::table::{ClassLine, ORIGINAL, ProbeTable, dotted};

/// How many skipped classes are listed by name.
const LISTED: usize = 200;

/// The table of a unit, as the constants of its bridge: pieces of modified UTF-8, each after two bytes with its length.
#[derive(Debug)]
pub(super) struct TablePieces {
    /// The pieces, one after the other; a long table is in a temporary file.
    pub(super) pieces: SpooledTempFile,
    /// How many there are.
    pub(super) count: usize,
}

/// More bytes of a table, or of the bridge with it, go into a temporary file.
pub(super) const IN_MEMORY: usize = 1 << 20;
/// Lines that are cut into pieces at once.
const PENDING: usize = 4 * MAX_UTF8;

/// Writes the table of a unit, and adds its text to a digest.
///
/// `original` is the [`super::original::digest`] of the input that the unit is in.
/// It does not list skipped classes without objects (interfaces, modules).
pub(super) fn write(
    unit: &BridgeUnit,
    node: &InputNode,
    original: &str,
    config: &Config,
    descendants: &[SharedBytes],
    digest: &mut Sha256,
) -> Result<TablePieces> {
    let mut cutter = Cutter { pieces: SpooledTempFile::new(IN_MEMORY), count: 0, rest: String::new(), digest };
    let mut table = ProbeTable::default();
    table.line("tool", &[env!("CARGO_PKG_VERSION")]);
    table.line("jar", &[&node.label]);
    table.line("config", &[config.digest()]);
    table.line(ORIGINAL, &[original]);
    table.configured(config.runtime_settings(), config.components.names(), config.components.owned());
    for (id, class) in unit.classes.iter().enumerate() {
        table.class(&ClassLine {
            name: node.class_name(class.entry as usize),
            track: unit.probe(id).track,
            component: class.component.map(|index| config.components.names()[index as usize].as_str()),
            fields: class.fields(config),
            registrar: (class.objects(id) == Objects::Own).then_some(class.registrar as usize),
            blind: class.traits.blind,
            clones: class.traits.clones,
        });
        if table.pending() > PENDING {
            cutter.cut(&table.take_lines())?;
        }
    }
    for name in descendants {
        table.line("descendant", &[&dotted(name)]);
    }
    let missed = || unit.skipped.iter().filter(|class| !class.harmless);
    for class in missed().take(LISTED) {
        table.line("skipped", &[&dotted(node.class_name(class.entry as usize)), &class.reason]);
    }
    table.line("skips", &[&missed().count().to_string()]);
    cutter.cut(&table.take_lines())?;
    cutter.finish()
}

/// Cuts a text into pieces that constants can hold.
struct Cutter<'a> {
    pieces: SpooledTempFile,
    count: usize,
    /// Text that may be the begin of a longer piece.
    rest: String,
    digest: &'a mut Sha256,
}

impl Cutter<'_> {
    fn cut(&mut self, text: &str) -> Result<()> {
        self.digest.update(text);
        self.rest.push_str(text);
        let mut pieces = mutf8::encode_in_pieces(&self.rest, MAX_UTF8);
        // The last piece has room for more.
        let last = pieces.pop().unwrap_or_default();
        self.rest = mutf8::decode(&last).into_owned();
        pieces.iter().try_for_each(|piece| self.push(piece))
    }

    fn push(&mut self, piece: &[u8]) -> Result<()> {
        self.count += 1;
        let length = (piece.len() as u16).to_be_bytes();
        self.pieces.write_all(&length).and_then(|()| self.pieces.write_all(piece)).map_err(temporary::unwritable)
    }

    fn finish(mut self) -> Result<TablePieces> {
        let last = mutf8::encode(&self.rest).into_owned();
        self.push(&last)?;
        self.pieces.rewind().map_err(temporary::unwritable)?;
        Ok(TablePieces { pieces: self.pieces, count: self.count })
    }
}
