//! The recording format: the contract between the Java runtime, which writes recordings, and the Rust code that reads
//! them.
//!
//! `docs/recording-format.md` is the specification; this crate reads every version that was ever released.
//!
//! - [`Reader`] yields typed [`Line`]s one at a time. Memory is bounded by one gzip member ([`Limits`]), never by the
//!   file; [`Reader::read_ahead`] uses several threads. A cut or damaged tail ends the lines. The lines before it are
//!   delivered, and [`Reader::damage`] gives its byte offset in the file.
//! - [`Follower`] reads a file that a JVM still writes, each time from where it stopped.
//! - [`Writer`] writes lines into gzip members, the same bytes for the same lines.
//!
//! ```
//! use weighbridge_recording::{Header, Line, Note, Reader, Writer};
//!
//! let mut writer = Writer::new(Vec::new());
//! writer.line(&Line::Header(Header::new("0.1.0", "00000000-0000-0000-0000-000000000000")))?;
//! writer.line(&Line::Note(Note { at_ms: Some(7), text: "an example".into() }))?;
//! let bytes = writer.finish()?;
//!
//! let mut reader = Reader::new("example.wbr", bytes.as_slice())?;
//! assert_eq!(reader.by_ref().count(), 2);
//! assert!(reader.damage().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod keys;

mod ahead;
mod class_rows;
mod error;
mod follow;
mod heap_components;
mod holders;
mod intact;
mod limits;
mod line;
mod live_count;
mod member;
mod reader;
mod shortage;
mod snapshot;
mod surrogates;
mod writer;

pub use class_rows::{ClassRow, SampledFor};
pub use error::{Damage, DamageKind, Error, RecordingErrorKind};
pub use follow::{FollowStep, Follower};
pub use heap_components::{HeapComponent, HeapComponents};
pub use holders::{ClassHolders, HolderChain};
pub use intact::copy_intact;
pub use limits::ReadLimits;
pub use line::{ClassLine, Cost, Footer, Header, Jvm, Line, LinkLine, Note, ProcessIdentity, Track, UnrewrittenClass};
pub use live_count::{LiveCount, SiteNode, SiteObjects, Sites};
pub use reader::Reader;
pub use shortage::{ShortageCandidate, ShortageDecision};
pub use snapshot::{
    Collections, ComponentRow, Dumped, Interval, JvmHeap, Marking, OriginRow, Snapshot, TagRow, ThreadRow, Total,
    WalkOutcome,
};
pub use writer::Writer;

/// The newest format version this crate reads, and the one it writes.
pub const FORMAT: u32 = 1;
