//! `attach`, `detach`, `ctl` and `jvms` beside programs under load.
#![cfg(target_os = "linux")]

mod bean;
#[path = "../cli/collector.rs"]
mod collector;
mod ends;
mod exported;
mod faults;
mod filled;
mod flood;
mod idle;
mod loading;
mod names;
#[allow(dead_code, reason = "the rest is used by attach_rounds")]
mod program;
#[path = "../cli/served.rs"]
mod served;
mod session;
mod stopped;
mod tcp;
#[path = "../jvm/terminal.rs"]
mod terminal;
mod watching;
mod work;
