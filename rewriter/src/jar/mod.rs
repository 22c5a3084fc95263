//! Archives, byte for byte: reading zip files as they lie on disk and writing them again with some entries changed.
//!
//! An archive is a sequence of extents: each reaches from a local header to the next one (or to the central
//! directory) and thus holds header, data, descriptor and whatever a tool put behind them. Extents that are kept are
//! copied as raw runs, so nothing about them has to be understood, and an archive without changes comes out with the
//! same bytes. This layer knows nothing of classes.

mod archive;
mod content;
mod directory;
mod edit;
mod record;
mod sink;
mod source;
mod writer;

pub use archive::{Archive, Entry};
pub use content::Budget;
pub use edit::{Addition, Edit, Edits, Payload};
pub use sink::Sink;
pub use source::Source;
pub(crate) use source::unwritable;
pub use writer::write;
