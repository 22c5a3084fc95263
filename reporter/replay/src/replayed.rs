//! What a replay found: births and deaths, and totals.

use crate::error::Error;
use crate::life::{Life, Sum};
use crate::lives::Lives;

/// What happened at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MomentOf {
    /// A method of [`Settings::moments_of`](crate::Settings) was entered.
    Method(u32),
    /// A mark of the trace.
    Mark(String),
}

/// A moment of the run that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The event of this moment; of a mark the last event before it.
    pub event: u64,
    /// Bytes allocated up to it.
    pub allocated: u64,
    /// What happened.
    pub what: MomentOf,
}

/// What a replay found.
#[derive(Debug, Default)]
pub struct Replayed {
    /// How many events there were.
    pub events: u64,
    /// Bytes allocated: objects that were made and met, not those that existed.
    pub allocated: u64,
    /// The objects that existed when the trace began.
    pub existed: Sum,
    /// How many threads have events.
    pub threads: u32,
    /// How often an event named an object that no event had introduced.
    pub unknown: u64,
    /// How many births of known objects were ignored.
    pub twice: u64,
    /// How many objects were named after they had been taken for dead to save memory. Their lives are cut in two.
    pub revived: u64,
    /// How often dead objects were removed from memory.
    pub collections: u32,
    /// Entries of the methods that [`Settings::moments_of`](crate::Settings) names, in order.
    pub moments: Vec<Moment>,
    /// Marks, in order.
    pub marks: Vec<Moment>,
    pub(crate) lives: Lives,
}

impl Replayed {
    /// The lives of all objects, by birth.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn births(&self) -> Result<impl Iterator<Item = Result<Life, Error>>, Error> {
        self.lives.births()
    }

    /// The lives of the objects that died, by death.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn deaths(&self) -> Result<impl Iterator<Item = Result<Life, Error>>, Error> {
        self.lives.deaths()
    }
}
