//! The workflow that docs/github-actions.md shows: it is YAML, and it calls what exists.

use std::fs;
use std::process::Command;

use saphyr::{LoadableYamlNode, Yaml};
use weighbridge_tests::{root, run};

#[test]
fn the_workflow_is_yaml_with_steps_and_calls_only_verbs_and_flags_that_exist() {
    let page = fs::read_to_string(root().join("docs/github-actions.md")).expect("the page");
    let block = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("\n```\n").next()).expect("a YAML block");
    let workflow = Yaml::load_from_str(block).expect("YAML");
    let [workflow] = &workflow[..] else { panic!("one document") };
    let steps = workflow["jobs"]["weigh"]["steps"].as_sequence().expect("a list of steps");
    let text = |step: &Yaml<'_>, key: &str| Some(step.as_mapping_get(key)?.as_str()?.to_owned());
    let mut calls = 0;
    for step in steps {
        match (text(step, "uses"), text(step, "run")) {
            (Some(action), None) => assert!(action.contains('@'), "{action} has no version"),
            (None, Some(script)) => calls += check(&script),
            _ => panic!("a step uses an action or runs a script: {step:?}"),
        }
    }
    assert!(calls > 0, "no step calls weighbridge");
}

/// Holds every call of the binary in a script to its help; gives how many there are.
fn check(script: &str) -> usize {
    let calls = script.lines().filter_map(|line| line.trim().strip_prefix("weighbridge "));
    calls
        .map(|call| {
            let (verb, arguments) = call.split_once(' ').unwrap_or((call, ""));
            let help = run(Command::new(env!("CARGO_BIN_EXE_weighbridge")).args([verb, "--help"]));
            assert!(help.success(), "no verb {verb}: {help}");
            for flag in arguments.split_whitespace().filter(|argument| argument.starts_with('-')) {
                let known = help.stdout.split([' ', ',', '\n']).any(|word| word == flag);
                assert!(known, "{verb} has no {flag}: {help}");
            }
        })
        .count()
}
