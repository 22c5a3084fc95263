//! `heap` with process ids: verbs on running programs that know what they hold.
#![cfg(target_os = "linux")]

mod elsewhere;
mod ends;
mod program;
mod recorded;
mod truth;
mod verbs;
mod walked;
mod watching;
