//! Texts that recur, each kept once: superclasses, and the reasons why classes are skipped.
//!
//! A jar may have hundreds of thousands of classes. What is kept of each is a few bytes; its own name is in the directory.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that others share.
pub(super) type SharedBytes = Arc<[u8]>;
/// A text that others share.
pub(super) type SharedText = Arc<str>;

/// The shared texts of a run, for all threads.
#[derive(Debug, Default)]
pub(super) struct SharedTexts {
    names: Mutex<HashSet<SharedBytes>>,
    reasons: Mutex<HashSet<SharedText>>,
}

impl SharedTexts {
    /// An internal name.
    pub(super) fn name(&self, name: &[u8]) -> SharedBytes {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name) {
            return Arc::clone(known);
        }
        let new: SharedBytes = name.into();
        names.insert(Arc::clone(&new));
        new
    }

    /// A reason.
    pub(super) fn reason(&self, reason: &str) -> SharedText {
        let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = reasons.get(reason) {
            return Arc::clone(known);
        }
        let new: SharedText = reason.into();
        reasons.insert(Arc::clone(&new));
        new
    }
}
