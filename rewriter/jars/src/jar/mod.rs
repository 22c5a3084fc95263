//! Reads zip files and writes them again with some entries changed.
//!
//! An archive is a sequence of extents. Each extends from a local header to the next one, or to the central directory: it
//! contains header, data, descriptor and whatever a tool wrote after them. Unchanged extents are copied as raw bytes, so
//! an archive without changes keeps its bytes. This layer knows nothing about classes.

mod archive;
mod content;
mod directory;
mod edit;
mod record;
mod sink;
mod source;
pub mod temporary;
mod writer;

pub use archive::{Archive, ArchiveEntry};
pub use content::InflateBudget;
pub use edit::{Addition, Edit, Edits, Payload};
pub(crate) use record::{IN_ZIP64, LOCAL, LOCAL_SIZE, u16_at, u32_at};
pub use sink::Sink;
pub use source::ByteSource;
pub(crate) use source::unwritable;
pub use writer::{WriteOptions, write};
