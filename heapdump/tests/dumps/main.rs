//! Dumps that the tests write themselves: whatever is read of them is known.

mod document;
mod dominators;
mod ownership;
mod paths;
mod reading;
mod support;
mod worked_example;
