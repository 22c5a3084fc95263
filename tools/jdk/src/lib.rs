//! Finds the machine's Java installations, compiles sources with them, and packs reproducible jars.
//!
//! Build scripts and tests share it; at run time only [`find`] is used, for `demo` and for child JVMs.

mod compile;
mod find;
mod pack;

pub use compile::{rerun_if_environment_changes, to_build_with};
pub use find::{Jdk, TEST_JDKS, find, find_at, for_tests};
pub use pack::{pack_jar, pack_stored_jar};

/// The oldest JDK that builds the project.
pub const OLDEST_BUILD_JDK: u32 = 17;
