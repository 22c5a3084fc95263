//! `attach`, `detach`, `ctl` and `jvms` beside programs under load.
#![cfg(target_os = "linux")]

mod ends;
mod faults;
mod idle;
#[allow(dead_code, reason = "the rest is used by attach_rounds")]
mod program;
mod session;
mod tcp;
