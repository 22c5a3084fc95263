//! The binary from outside: messages, exit codes, files, and programs it runs.

mod reporting;
mod running;
mod support;
mod wrong_input;
