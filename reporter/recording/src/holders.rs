//! What holds the objects of a class.

use serde::{Deserialize, Serialize};

/// What a walk found to hold the tracked objects of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassHolders {
    /// Tracked objects that were examined, evenly spread over all.
    pub examined: u64,
    /// How many of them no other tracked object reaches.
    pub outside: u64,
    /// How many of them are held through chains that are not listed.
    pub others: u64,
    /// The most frequent first.
    pub chains: Vec<HolderChain>,
}

/// Equal reference paths from the nearest registered object to objects of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HolderChain {
    /// Objects held by such a path.
    pub objects: u64,
    /// From the holder to the field that refers to the object: `shop.Cache.map`, `java.util.HashMap$Node[]`.
    /// `...` comes first if the chain is longer.
    pub steps: Vec<String>,
}
