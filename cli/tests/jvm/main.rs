//! The binary from outside, beside a JVM, a terminal, Go or Python.

#[path = "../cli/budgets.rs"]
mod budgets;
mod comparing;
mod documented;
mod examples;
mod explaining;
#[path = "../cli/rewritten.rs"]
mod rewritten;
mod running;
#[path = "../cli/support.rs"]
mod support;
mod terminal;
mod tutorials;
mod verifying;
mod watching;
mod watching_ends;
