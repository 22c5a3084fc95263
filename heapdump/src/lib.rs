//! HPROF heap dumps: who keeps what alive.
//!
//! A leaf crate: it knows no recording, no report and no configuration. In run order:
//!
//! 1. [`Dump`] reads the header and the records outside the heap; a compressed dump is inflated to a nameless file.
//! 2. [`Heap::open`] passes over the heap twice, by several threads: objects get numbers by address, then every
//!    object's shape and references are stored. Sizes follow the layout that the distances between objects show.
//! 3. [`Graph`] puts threads, frames and one root above the objects.
//! 4. [`Graph::reachable`] or [`Dominators::of`], which uses the graph up (clone it to keep it).
//!
//! [`Census`] counts all objects in one pass, without a graph.
//!
//! [`paths`] leads from the root to objects; [`Heap::links`] says by which field one object refers to another;
//! [`Graph::overlay`] adds nodes and moves references.
//!
//! Objects, nodes and places in the dominator tree are different numbers with types of their own: [`ObjectIndex`] is
//! a [`NodeIndex`] by `into()`; [`Dominators::place`] and [`Dominators::index`] lead from one to the other.
//! Figures are exact for the graph that [`Modes`] describes; what is known of sizes says [`SizeSource`].
//!
//! ```no_run
//! use weighbridge_heapdump::{Dominators, Heap, Node, Options};
//!
//! let (heap, graph) = Heap::open("app.hprof".as_ref(), &Options::default())?;
//! let tree = Dominators::of(graph);
//! let retained = tree.retained(|node| heap.node_bytes(node));
//! let largest = tree.places().max_by_key(|place| retained[place.as_usize()]);
//! if let Some(place) = largest
//!     && let Node::Object(object) = tree.node(place)
//! {
//!     let class = heap.classes().get(heap.class_of(object));
//!     println!("{} at 0x{:x}: {} bytes", class.name, heap.address(object), retained[place.as_usize()]);
//! }
//! # Ok::<(), weighbridge_heapdump::Error>(())
//! ```

mod census;
mod class;
pub mod components;
mod dominators;
mod error;
mod footprint;
mod graph;
mod heap;
mod histogram;
mod hprof;
mod index;
mod links;
pub mod paths;
mod ranges;
mod sizes;
mod strings;
pub mod threads;
pub mod unfold;
pub mod waste;

pub use census::Census;
pub use class::{Class, ClassIndex, Classes};
pub use dominators::{Dominators, Place};
pub use error::{Error, ErrorKind, Warning};
pub use footprint::{Footprint, MemoryLimit, Work};
pub use graph::{FollowSoft, Frame, Graph, Modes, Node, NodeIndex, NodeSet, ReferenceModel, Thread, ThreadPart};
pub use heap::{Heap, Options};
pub use histogram::{ClassRow, Histogram};
pub use hprof::{ClassRecord, Dump, Elements, Field, FieldType, IdSize, Record, Root, StackFrame, Static};
pub use index::ObjectIndex;
pub use links::Link;
pub use sizes::{Layout, SizeModel, SizeSource};
