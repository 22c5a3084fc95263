//! Dumps that the tests write themselves: whatever is read of them is known.

mod dominators;
mod reading;
mod support;
mod worked_example;
