//! Probes: what is inserted into classes, and where.
//!
//! A [`Kind`] finds its sites in a class; an [`Engine`] decides and writes. The kinds are [`constructor`], [`method`],
//! [`coverage`], [`usage`], [`entry`], [`work`] and [`events`]; [`every_kind`] lists them. All call a bridge class
//! ([`bridge_class`]), which finds the runtime ([`contract`]).

pub mod bridge;
pub mod constructor;
pub mod contract;
pub mod coverage;
mod engine;
pub mod entry;
pub mod events;
pub mod every_kind;
mod kind;
pub mod method;
mod name;
mod skip;
pub mod stoppable;
pub mod table;
mod this_flow;
pub mod usage;
pub mod work;

pub use bridge::{BridgeFrame, Links, MAX_UTF8, bridge_class, bridge_frame, traces_class};
pub use engine::{Engine, Outcome, Rewritten};
pub use kind::{Guard, MethodSites, ProbeStrategy, Site, Sites};
pub use name::{EVENTS, TRACES, is_bridge_name};
pub use skip::{NEWEST_MAJOR, SkipReason};
