//! `attach`, `detach`, `ctl` and `jvms` beside programs under load.
#![cfg(target_os = "linux")]

mod ends;
mod faults;
mod idle;
mod program;
mod session;
