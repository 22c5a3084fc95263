//! Classes with probes in them, for the tests that look at their bytes and for those that run them (`jvm`).
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod crafted;
pub mod instrumented;
pub mod numbers;
pub mod patched;
pub mod traced;
pub mod worked;
