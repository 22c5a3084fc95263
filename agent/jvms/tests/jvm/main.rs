//! Attaching to JVMs of every version, and what it answers where that is impossible.
#![cfg(target_os = "linux")]

mod attaching;
mod containers;
mod faults;
mod listing;
mod other_users;
mod program;
