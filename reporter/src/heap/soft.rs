//! What soft references hold alone: gone before memory runs out (`java.lang.ref.SoftReference`).

use std::collections::HashSet;

use weighbridge_heapdump::{Dominators, Error, Heap, Place};

use super::Facts;

/// The places right below the soft references that hold them alone. Empty where soft references are not followed.
pub(super) struct Soft(HashSet<Place>);

impl Soft {
    /// Reads the soft references of a dump again.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub(super) fn of(heap: &Heap, tree: &Dominators, facts: &Facts) -> Result<Self, Error> {
        let mut below = HashSet::new();
        if facts.soft == Some("strong") {
            for (reference, referent) in heap.soft_referents()? {
                if let (Some(above), Some(place)) = (tree.place(reference.into()), tree.place(referent.into()))
                    && tree.immediate(place) == above
                {
                    below.insert(place);
                }
            }
        }
        Ok(Soft(below))
    }

    /// Whether a place or one that dominates it is held by a soft reference alone.
    pub(super) fn holds(&self, tree: &Dominators, place: Place) -> bool {
        let mut at = place;
        while at != Place::ROOT {
            if self.0.contains(&at) {
                return true;
            }
            at = tree.immediate(at);
        }
        false
    }

    /// Bytes below soft references, each once: one can lie below another.
    pub(super) fn bytes(&self, tree: &Dominators, retained: &[u64]) -> u64 {
        let topmost = |place: &&Place| !self.holds(tree, tree.immediate(**place));
        self.0.iter().filter(topmost).map(|place| retained[place.as_usize()]).sum()
    }
}
