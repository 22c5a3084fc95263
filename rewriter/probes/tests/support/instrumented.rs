//! Programs of `tests/java` with constructor probes.

use weighbridge_probes::constructor::{Outcome, Placement, Track};
use weighbridge_tests::classes::{Classes, probe, with_constructor_probes};

/// Every class with probes, ids in name order; the classes that are skipped stay as they are.
pub fn instrumented(classes: &Classes, track: Track) -> Classes {
    let mut new = classes.clone();
    for (id, bytes) in new.values_mut().enumerate() {
        match with_constructor_probes(bytes, &probe(id as u32, track)).unwrap() {
            Outcome::Rewritten(rewritten) => {
                assert!(rewritten.sites.iter().all(|(site, _)| site.call.placement == Placement::Returns));
                *bytes = rewritten.bytes;
            }
            Outcome::Skipped(reason) => {
                assert_eq!(reason.to_string(), "no constructor both calls super(...) and returns")
            }
        }
    }
    new
}
