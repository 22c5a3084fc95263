//! HPROF heap dumps: what keeps objects alive. In run order:
//!
//! 1. [`Dump`] reads the header and the records outside the heap. A compressed dump is inflated to a nameless file.
//! 2. [`Heap::open`] passes over the heap twice, with several threads: objects get numbers by address, then every
//!    object's shape and references are stored. Sizes follow from the distances between objects.
//! 3. [`Graph`] adds threads, frames and one root above the objects.
//! 4. [`Graph::reachable`] or [`Dominators::of`], which uses the graph up (clone it to keep it).
//!
//! [`Census`] counts all objects in one pass, without a graph.
//!
//! [`paths`] finds paths from the root to objects; [`Heap::links`] says by which field one object refers to another;
//! [`Graph::overlay`] adds nodes and moves references.
//!
//! [`Instances`], [`Referrers`], [`Below`] and [`Records`] find objects by class, by what they refer to, by dominator, and
//! their values in the file: for questions that are known only when they are asked.
//!
//! Objects, nodes and preorder numbers have types of their own: an [`ObjectIndex`] converts `into()` a [`NodeIndex`];
//! [`Dominators::number_of`] and [`Dominators::index`] convert between nodes and preorder numbers.
//! Figures are exact for the graph that [`Modes`] describes; [`SizeSource`] says what is known of sizes.
//!
//! ```no_run
//! use weighbridge_heapdump::{Dominators, GraphNode, Heap, HeapOptions};
//!
//! let (heap, graph) = Heap::open("app.hprof".as_ref(), &HeapOptions::default())?;
//! let tree = Dominators::from_graph(graph);
//! let retained = tree.retained(|node| heap.node_bytes(node));
//! let largest = tree.numbers().max_by_key(|preorder| retained[preorder.as_usize()]);
//! if let Some(preorder) = largest
//!     && let GraphNode::Object(object) = tree.node(preorder)
//! {
//!     let class = heap.classes().get(heap.class_of(object));
//!     println!("{} at 0x{:x}: {} bytes", class.name, heap.address(object), retained[preorder.as_usize()]);
//! }
//! # Ok::<(), weighbridge_heapdump::Error>(())
//! ```

mod address;
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
mod lookups;
pub mod measured;
pub mod paths;
mod ranges;
mod redact;
mod sizes;
mod strings;
pub mod suspects;
pub mod threads;
pub mod unfold;
pub mod waste;

pub use address::{address_text, parse_address};
pub use census::Census;
pub use class::{Class, ClassIndex, Classes};
pub use dominators::{Dominators, Preorder};
pub use error::{DumpErrorKind, Error, Warning};
pub use footprint::{Footprint, MemoryLimit, Work};
pub use graph::{
    FollowSoft, Graph, GraphNode, Modes, NodeIndex, NodeSet, PartNode, RUNTIME, ReferenceModel, Thread, ThreadPart,
};
pub use heap::{Heap, HeapOptions};
pub use histogram::{ClassRow, Histogram};
pub use hprof::{ClassRecord, DeclaredField, Dump, Elements, FieldType, GcRoot, IdSize, Record, StackFrame, Static};
pub use index::ObjectIndex;
pub use links::ObjectLink;
pub use lookups::{Below, FieldValue, Instances, Records, Referrers, Text};
pub use redact::{RedactError, Redacted, redact};
pub use sizes::{Layout, SizeModel, SizeSource};
