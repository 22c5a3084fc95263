//! Replays a trace of every event of a program: when each object died, exactly.
//!
//! [`Event`] is what a trace consists of, [`Merlin`] finds the deaths, [`Lives`] has the births and deaths of all objects,
//! [`Curve`] the live bytes after each of them.

mod curve;
mod event;
mod lives;
mod merlin;

pub use curve::{Curve, Point};
pub use event::{Event, Holder, ObjectId, Timed};
pub use lives::{Life, Lives, Sum};
pub use merlin::{Merlin, Unknown};
