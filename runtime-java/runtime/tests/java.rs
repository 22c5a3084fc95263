//! The Java side's own tests (JUnit 5), run by its build tool.

use std::process::Command;
use weighbridge_tests::{root, run};

#[test]
fn the_runtimes_own_tests_pass() {
    let output = run(Command::new("mvn").args(["-B", "verify", "-f"]).arg(root().join("runtime-java/runtime/pom.xml")));
    assert!(output.success(), "{output}");
    let summary =
        output.stdout.lines().rev().find(|line| line.contains("Tests run:")).unwrap_or_else(|| panic!("{output}"));
    assert!(!summary.contains("Tests run: 0,"), "no Java test ran: {summary}");
    println!("{summary}");
}
