//! The patch engine: programs do not notice what is inserted.

use weighbridge_tests::classes::{Classes, compiled};
use weighbridge_tests::jdks;
use weighbridge_tests::running::{Program, link};

use crate::support::patched::{DISTANCES, everywhere, far_jumps, insert_at_4, patched};

#[test]
fn programs_run_the_same_with_code_before_and_after_every_instruction_and_every_jump_widened() {
    let mut classes = compiled("shapes");
    classes.extend(compiled("tables"));
    let plain = Program::new(&classes);
    for reach in [i16::MAX, 100, 0] {
        let mut patched_classes = classes.clone();
        for bytes in patched_classes.values_mut() {
            *bytes = patched(bytes, reach, |_| true, everywhere).unwrap();
        }
        let program = Program::new(&patched_classes);
        for jdk in jdks() {
            for main in ["Shapes", "Tables"] {
                assert_eq!(program.run(jdk, main), plain.run(jdk, main), "reach {reach}, Java {}", jdk.version);
            }
            assert!(link(jdk, &patched_classes).values().all(|result| result == "linked"));
        }
    }
}

#[test]
fn jumps_that_just_reach_and_jumps_that_were_widened_link() {
    for distance in DISTANCES {
        let before = far_jumps(distance);
        let after = patched(&before, i16::MAX, |_| true, insert_at_4).unwrap();
        for jdk in jdks() {
            for class in [&before, &after] {
                let results = link(jdk, &Classes::from([("Far".to_owned(), class.clone())]));
                assert_eq!(results["Far"], "linked", "Java {}", jdk.version);
            }
        }
    }
}
