//! Dumps that the tests write themselves: whatever is read of them is known.

mod document;
mod dominators;
mod ownership;
mod paths;
mod random;
mod reading;
mod worked_example;
