//! The committed notices are up to date.

use std::fs;

#[test]
fn the_committed_notices_are_those_of_cargo_lock() {
    let committed = fs::read_to_string(xtask::licenses::committed()).expect("the notices");
    let current = xtask::licenses::text().expect("notices");
    assert!(committed == current, "run `cargo run -p xtask licenses` and commit cli/third-party.txt");
}
