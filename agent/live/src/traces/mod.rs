//! Traces of a running JVM, by its Flight Recorder and by probes, which end with whoever began them.

mod flight;
mod loaders;
mod running;
mod settings;
mod waiting;

pub use flight::Flight;
pub use loaders::read_loaders;
pub use running::{Running, Watched, begin_lasting, list, show, stop};
pub use settings::FlightEvents;
pub use waiting::wait;
