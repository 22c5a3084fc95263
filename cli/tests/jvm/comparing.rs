//! The reports of `check` for other tools, held against their schemas.

use weighbridge_tests::consumers::{validate_junit, validate_sarif};

use crate::budgets::{budgets, junit, made};
use crate::support::Folder;

#[test]
fn the_junit_report_follows_the_schema_that_jenkins_checks() {
    let folder = Folder::new();
    validate_junit(&junit(&folder));
}

#[test]
fn the_sarif_report_follows_the_schema_of_sarif() {
    let folder = Folder::new();
    folder.write("run.wbr", made(1, 50));
    budgets(&folder);
    let arguments = ["check", "run.wbr", "--config", "weighbridge.toml", "-o", "sarif", "-f", "weighbridge.sarif"];
    let answer = folder.run(&arguments);
    assert_eq!(answer.code, Some(1), "{answer}");
    validate_sarif(&folder.path("weighbridge.sarif"));
}
