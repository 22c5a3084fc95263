//! Reports on traces of every event (`docs/event-trace.md`): exact live bytes, peaks, life spans and drag, and what
//! cheaper ways of measuring would have said of the same run.
//!
//! Births and deaths go by twice and are never all in memory; what is kept has a size for each class, each site and each
//! moment that was asked for.

mod ages;
mod beside;
mod beside_tables;
mod curve;
mod doubts;
mod fields;
mod figures;
mod flow;
mod groups;
mod held;
mod held_tables;
mod html;
mod methods;
mod modes;
mod names;
mod passes;
mod read;
mod settings;
mod sheet;
mod spans;
mod tables;

pub use ages::AgesBeside;
pub use beside::{Beside, ClassBeside, PeakBeside, Recording, SnapshotBeside};
pub use curve::CurvePoint;
pub use figures::ReplayReport;
pub use groups::LifeRow;
pub use held::{HeldRow, HeldSite};
pub use modes::{CountingRule, ModeFigures};
pub use settings::{Error, Settings};
pub use spans::SpanFigures;
