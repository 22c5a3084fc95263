//! Replays a trace of every event of a program: when each object was born, used and died, exactly. `docs/event-trace.md`
//! has the format.
//!
//! [`Trace`] opens a file and knows its [`Names`]. [`replay`] puts the events of its threads in order and gives them to the
//! [`Engine`], which finds the deaths. [`Replayed`] has the [`Life`] of each object, by birth and by death.

mod block;
mod classes;
mod content;
mod decode;
mod engine;
mod error;
mod event;
mod heap;
mod life;
mod lines;
mod lives;
mod merge;
mod names;
mod numbers;
mod objects;
mod reach;
mod replay;
mod replayed;
mod retired;
mod runs;
mod settings;
mod slots;
mod stacks;
mod statics;
mod trace;
mod writer;

pub use engine::Engine;
pub use error::{Error, ReplayErrorKind};
pub use event::{Event, ObjectId};
pub use life::{Life, Origin, Sum};
pub use names::{MOST_NAMES, Mark, Names, ReplayClass, ReplayField, ReplayMethod, Site, Size, UnprobedClass, Vm};
pub use replay::replay;
pub use replayed::{Moment, MomentOf, Replayed};
pub use settings::Settings;
pub use trace::Trace;
pub use writer::TraceWriter;
