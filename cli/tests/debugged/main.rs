//! Traces of a program that a debugger is attached to: both do their work.
#![cfg(target_os = "linux")]

mod breakpoints;
mod jdwp;
mod suspended;
