//! Dumps that the tests write themselves, so that everything in them is known.

mod android;
mod census;
mod components;
mod document;
mod dominators;
mod measured;
mod own;
mod ownership;
mod patent;
mod paths;
mod random;
mod reading;
mod waste;
mod worked_example;
