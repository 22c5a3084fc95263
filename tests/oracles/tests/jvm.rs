//! The oracle of archives on damaged copies of published ones, which Maven fetches; as `seeded.rs`.

mod hold;

use std::fs;

use hold::hold;
use weighbridge_oracles::archive;
use weighbridge_tests::jars;

#[test]
fn any_bytes_are_an_archive_that_is_copied_and_changed_faithfully_or_refused() {
    let small = ["failureaccess", "listenablefuture", "jsr305"].iter().flat_map(|artifact| jars(&[artifact]));
    let jars: Vec<Vec<u8>> = small.map(|jar| fs::read(jar).expect("a jar")).collect();
    hold(4_000, &jars, archive::reading);
}
