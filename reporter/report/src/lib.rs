//! Recordings and heap dumps in, reports out.
//!
//! [`Aggregator`] folds any number of recordings into one [`Aggregate`], which every exporter reads: [`text`] for people,
//! [`html`] as a page, [`markdown`] for the page of a build, [`json`] for programs (its keys are a public interface), [`export`] for the formats of other tools.
//! [`diff`] compares two of them, also saved JSON reports ([`SavedReport`]).
//! [`heap`] has the reports on heap dumps, one file a verb, [`replay`] those on traces of every event.
//! The crate prints nothing and asks no terminal.
//!
//! A figure that was not measured is `None` in every stage.

mod ages;
mod aggregate;
mod call_tree;
mod call_trees;
mod columns;
mod component_growth;
pub mod diff;
pub mod doctor;
pub mod export;
mod figures;
mod findings;
pub mod flight;
mod growth;
mod headings;
pub mod heap;
mod heap_components;
mod history;
mod holders;
pub mod html;
pub mod json;
mod judged;
mod jvm_run;
pub mod markdown;
pub mod metaspace;
pub mod noise;
mod origins;
mod peak;
pub mod replay;
mod round_trips;
mod row;
mod saved;
mod shortage;
mod sum;
mod suspects;
pub mod text;
mod traced;
pub mod traces;
pub mod trend;
pub mod trust;

pub use ages::{Ages, Bucket};
pub use aggregate::{Aggregate, Aggregator, DamagedFile, Folded, SkippedClass};
pub use call_tree::{CallNode, CallTree, ConstructedClass};
pub use columns::Columns;
pub use component_growth::{ComponentGrowth, HeldFigure};
pub use figures::{ClassFigures, ClassSums, ComponentFigures, Totals};
pub use growth::{Figure, Growth};
pub use heap_components::{HeapComponent, HeapComponents};
pub use history::{ComponentPoint, Point};
pub use json::ReportSummary;
pub use judged::NotJudged;
pub use jvm_run::{Ending, JvmRun};
pub use origins::{TagFigures, ThreadFigures};
pub use peak::{LivePoint, PeakFigures};
pub use round_trips::{Remains, RoundTrip};
pub use row::{ReportRow, RowValue};
pub use saved::{SavedError, SavedJvm, SavedReport};
pub use shortage::{Decision, ShortageCounts, ShortageState};
pub use suspects::{Confidence, Suspect, SuspectPoint};
pub use traced::TracedRun;
pub use weighbridge_outside::printable;
pub use weighbridge_table::{Sheet, SheetData, csv, json_line, units};
