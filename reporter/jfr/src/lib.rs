//! Reads recordings of Java Flight Recorder (JEP 328), of any JVM from 11 on and of other writers of the format.
//!
//! A file is a sequence of chunks. A [`Chunk`] has all that its events need: the [types](Type) of their fields, and pools of
//! constants, to which fields refer. One chunk is in memory at a time, as the bytes of the file; values are read from them when
//! they are asked for.
//!
//! The format is described by HotSpot's sources only (`jdk.jfr.internal.consumer`, `jfrChunkWriter.cpp`). All numbers are in
//! big-endian order or of variable length (LEB128 of at most nine bytes).
//!
//! Any input is safe: a file that is no recording, or is damaged, is an [`Error`] that names the file and the byte. Memory
//! is that of the largest chunk, and some forty bytes for each of its constants.

mod body;
mod bytes;
mod chunk;
mod error;
mod event;
mod header;
mod pools;
mod recording;
mod stack;
mod types;
mod value;

pub use chunk::Chunk;
pub use error::{Error, JfrErrorKind};
pub use event::{ChunkEvents, Event};
pub use header::Header;
pub use recording::{Chunks, Recording};
pub use stack::{Frame, Stack};
pub use types::{FieldUnit, Type, TypeField};
pub use value::{Object, RecordedValue, ValueList, as_java_writes_it};
