//! `weighbridge trace` by probes: what a program has called, made and reached, by counts that it knows.
#![cfg(target_os = "linux")]

mod calls;
mod coverage;
mod memory;
mod program;
mod runs;
