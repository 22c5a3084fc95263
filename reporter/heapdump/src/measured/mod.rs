//! What the objects of chosen classes reach, and what they hold themselves: the figures of a recording, of all objects that
//! can be reached.
//!
//! Each chosen class is a *row*; an object belongs to the row of its nearest chosen class. Two labels are passed along the
//! references, until nothing changes ([`walk()`]):
//! - the *deep* label of an object has the rows that reach it. It passes everything.
//! - the *own* label has the rows, components and tags that hold it themselves. It stops where an object belongs to another
//!   row, component or tag, and at hubs ([`Kind`]).
//!
//! The runtime's walk (`OwnLabels`, `Reached`) does the same from the registered objects of a sample. On a heap in which all
//! objects of the chosen classes are registered both give the same figures, to the byte.

mod chosen;
mod figures;
mod holders;
mod labels;
mod order;
mod registered;
mod sets;
mod walk;

pub use chosen::{Chosen, ChosenClass, ComponentOf, Covered};
pub use figures::{ChosenFigures, OfComponent, OfRow};
pub use holders::RowHolders;
pub use labels::{Belongs, ClassMembership};
pub use registered::Registered;
pub use walk::{Links, walk};
