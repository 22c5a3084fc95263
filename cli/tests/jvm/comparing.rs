//! The JUnit report of `check`, held against a schema by Python.

use weighbridge_tests::consumers::validate_junit;

use crate::budgets::junit;
use crate::support::Folder;

#[test]
fn the_junit_report_follows_the_schema_that_jenkins_checks() {
    let folder = Folder::new();
    validate_junit(&junit(&folder));
}
