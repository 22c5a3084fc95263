//! What is found on this machine. A launcher whose home does not state its version is started.

use weighbridge_jdk::{find, for_tests};

#[test]
fn every_found_installation_has_a_launcher_and_is_listed_once() {
    let found = find();
    assert!(!found.is_empty(), "this project needs a JDK to build, so one must be found");
    for (i, jdk) in found.iter().enumerate() {
        assert!(jdk.java().is_file(), "{jdk:?}");
        assert!(!found[..i].iter().any(|other| other.home == jdk.home), "{jdk:?} twice");
    }
}

#[test]
fn tests_get_one_installation_per_feature_version() {
    let chosen = for_tests();
    assert!(!chosen.is_empty(), "this project needs a JDK to build, so one must be found");
    assert!(chosen.windows(2).all(|pair| pair[0].major < pair[1].major), "{chosen:?}");
}
