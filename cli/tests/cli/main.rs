//! The binary from outside: messages, exit codes, files, and programs it runs.

mod comparing;
mod documented;
mod explaining;
mod heap;
mod outside_text;
mod reporting;
mod running;
mod support;
mod verifying;
mod watching;
mod watching_ends;
mod wrong_input;
