//! Linux: everything is read from `/proc`.

mod elf;
mod exchange;
mod heap_info;
mod launcher;
mod list;
mod maps;
mod performance_data;
mod process;
mod properties;
mod status;
mod target;
mod text;
mod trigger;
mod users;

pub use list::list;
pub use process::user_of;
pub use target::AttachTarget;
