//! What others made, handled so that it does no harm.
//!
//! - [`Folder`]: files and folders that another user may change at any moment. Everything in `/tmp/weighbridge-UID` and in
//!   the `/tmp` of a JVM goes through it: by descriptors, never by a path that was checked before.
//! - [`as_user`]: where this process is root, it acts as the user whose files they are.
//! - [`Root`]: files below the root folder of a process, which may be in a container.
//! - [`Named`]: what has a name, found without opening it; [`open_file`] and [`read_start`] open nothing but files.
//! - [`printable`], [`printable_json`]: text from outside, made safe to print.
//!
//! It knows nothing of JVMs and prints nothing.

#[cfg(unix)]
mod as_user;
#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod named;
mod printable;
#[cfg(target_os = "linux")]
mod root;
#[cfg(unix)]
mod socket;
#[cfg(unix)]
mod step;
#[cfg(all(test, target_os = "linux"))]
mod swaps;
#[cfg(unix)]
mod tree;
#[cfg(all(test, target_os = "linux"))]
mod unopened;

#[cfg(unix)]
pub use as_user::as_user;
#[cfg(unix)]
pub use folder::{Fault, Folder, FolderEntry, link_open_file};
#[cfg(unix)]
pub use named::{Named, PROC_LIMIT, open_file, read_start};
pub use printable::{printable, printable_json};
#[cfg(target_os = "linux")]
pub use root::ProcessRoot;
#[cfg(unix)]
pub use socket::SocketName;
