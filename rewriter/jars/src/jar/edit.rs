//! The changes of an archive, as the writer sees them.

use std::fs::File;

use super::source::ByteSource;
use crate::error::Result;

/// The changes of one archive, for use by several threads.
pub trait Edits: Sync {
    /// What happens to an entry. Must be cheap: it is called for every entry.
    fn edit(&self, index: usize) -> Edit;

    /// The new content of an entry whose [`Edits::edit`] is [`Edit::Replace`]. Runs on worker threads.
    ///
    /// # Errors
    /// Any error ends the rewriting of the archive.
    fn replace(&self, index: usize) -> Result<Payload>;

    /// Entries to append, in this order.
    fn additions(&self) -> &[Addition];

    /// Another part of the original, of this length, is processed.
    fn advance(&self, bytes: u64);
}

/// What happens to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Its bytes are copied, with its local header.
    Keep,
    /// It gets other content under the same name, method, time and attributes.
    Replace,
    /// It is left out.
    Remove,
}

/// New content of an entry.
#[derive(Debug)]
pub enum Payload {
    /// In memory.
    Bytes(Vec<u8>),
    /// In a temporary file, for nested archives that are too large for memory: the file and its length.
    File(File, u64),
}

/// An entry that the original does not have; deflated, with a fixed time.
#[derive(Clone, Debug)]
pub struct Addition {
    /// Path in the archive.
    pub name: String,
    /// Content, in memory or, if it is large, in a temporary file.
    pub content: ByteSource,
}
