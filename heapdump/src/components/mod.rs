//! What memory the components of a program hold: the semantic tree.
//!
//! Rules say which objects belong to which component, and so do nodes that the program made ([`Assignment::of`]). Two figures then stand side by side, because
//! each alone misleads:
//!
//! - *semantic* bytes: references into a component's objects are suspended, its node holds them instead, and the
//!   dominator tree of that graph says what lies under each component ([`Figures::semantic_bytes`]). What several
//!   components use stands at their common level. These bytes need not be freed with the component.
//! - *true* bytes: exactly what would be freed if the component's objects were gone ([`held`]).
//!
//! [`evidence`] keeps what was suspended: which class of which component refers to which.

mod assign;
mod assignment;
mod evidence;
mod fields;
mod figures;
mod held;
mod modules;
mod nodes;

pub use assign::{Definition, Names, Rule};
pub use assignment::{Assignment, Component, Holders, Suspend};
pub use evidence::{CrossReferences, evidence};
pub use figures::{ClassShare, Figures};
pub use held::held;
pub use nodes::has_nodes;
