//! What memory the components of a program hold: the semantic tree.
//!
//! Rules, and nodes that the program made, say which objects belong to which component ([`Assignment::of`]). There are two
//! figures, because each alone misleads:
//!
//! - *semantic* bytes: references into a component's objects are suspended; the component's node holds them instead. The
//!   dominator tree of that graph says what is under each component ([`Figures::semantic_bytes`]). What several
//!   components use is at their common level. These bytes need not be freed with the component.
//! - *true* bytes: exactly what would be freed if the component's objects were gone ([`held`]).
//!
//! [`evidence`] lists what was suspended: which class of which component refers to which.

mod assign;
mod assigning;
mod assignment;
mod by_class;
mod evidence;
mod fields;
mod figures;
mod follow;
mod heads;
mod held;
mod maps;
mod modules;
mod nodes;
mod rule;
mod tree;

pub use assignment::{Assignment, SemanticComponent, SemanticHolders, Suspend};
pub use evidence::{CrossReferences, evidence};
pub use figures::{ClassShare, SemanticFigures};
pub(crate) use follow::from_objects;
pub use held::sum_freed_weights;
pub use nodes::has_nodes;
pub use rule::{AssignmentRule, Definition, Names, Turn};
