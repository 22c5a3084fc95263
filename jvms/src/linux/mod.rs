//! Linux: everything is read from `/proc`.

mod as_user;
mod elf;
mod exchange;
mod folder;
mod heap_info;
mod launcher;
mod list;
mod maps;
mod performance_data;
mod process;
mod properties;
mod root;
mod status;
mod target;
mod text;
mod trigger;
mod users;

pub use list::list;
pub use target::Target;
