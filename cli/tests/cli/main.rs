//! The binary from outside: messages, exit codes and files. What needs a JVM, a terminal, Go or Python is in `jvm`.

mod agent_file;
mod budgets;
mod build_page;
mod collector;
mod comparing;
mod consoled;
mod consoling;
mod explaining;
mod exports;
mod heap;
mod heap_sql;
mod initial;
mod outside_text;
mod packaged;
mod pushing;
mod reported;
mod reporting;
mod rewritten;
mod served;
mod serving;
mod support;
mod trends;
mod verifying;
mod watching;
mod workflow;
mod wrong_input;
