//! `verify` without a JVM, from outside: one line per problem, and exit code 3 if there is one.

use crate::rewritten::{SESSION, rewritten, without_versions};
use crate::support::{demo_class, zip};
use insta::assert_snapshot;

#[test]
fn the_json_form_has_the_figures_and_the_findings() {
    let folder = rewritten();
    let class = demo_class(SESSION);
    folder.write("cut.jar", zip(&[(SESSION, &class[..100])]));
    let answer = folder.run(&["verify", "cut.jar", "--json"]);
    assert_eq!(answer.code, Some(3));
    assert_snapshot!(without_versions(&answer.stdout));
    let answer = folder.run(&["verify", "out.jar", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    let found: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(found["problems"], serde_json::json!([]));
}

#[test]
fn wrong_input_of_verify_is_named() {
    let folder = rewritten();
    folder.write("text.jar", "this is no zip file, it only says so in its name");
    assert_snapshot!("no_zip", folder.run(&["verify", "text.jar"]));
    assert_snapshot!("no_jar", folder.run(&["verify", "none.jar"]));
    assert_snapshot!("no_java", folder.run(&["verify", "app.jar", "--jvm", "--java", "none"]));
    assert_eq!(folder.run(&["verify", "app.jar", "--against", "app.jar"]).code, Some(2));
}
