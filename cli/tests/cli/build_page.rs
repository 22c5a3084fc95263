//! What `report` and `check` write for the page of a build, and for code scanning.

use insta::assert_snapshot;

use crate::budgets::{budgets, json, made};
use crate::support::{Folder, RECORDING};

#[test]
fn the_markdown_of_a_report_has_the_suspects_and_the_largest_rows() {
    let folder = Folder::new();
    folder.write("run.wbr", made(1, 50));
    let answer = folder.run(&["report", "run.wbr", "-o", "markdown", "--top", "3", "--link", "https://ci.example/a b"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    assert_snapshot!(answer.stdout);
}

#[test]
fn the_ending_md_means_markdown_and_other_formats_have_no_link() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    assert_eq!(folder.run(&["report", "run.wbr", "-o", "summary.md"]).code, Some(0));
    assert!(std::fs::read_to_string(folder.path("summary.md")).expect("a file").starts_with("### Memory"));
    let refused = folder.run(&["report", "run.wbr", "--link", "https://ci.example"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused}");
}

#[test]
fn the_markdown_of_a_check_has_what_is_broken_first() {
    let folder = Folder::new();
    folder.write("run.wbr", made(1, 50));
    budgets(&folder);
    let answer = folder.run(&["check", "run.wbr", "--config", "weighbridge.toml", "-o", "markdown"]);
    assert_eq!(answer.code, Some(1), "{answer}");
    let verdicts = answer.stdout.split("\n### Memory\n").next().expect("the verdicts");
    assert!(answer.stdout.contains("\n### Memory\n"), "the report follows: {answer}");
    assert_snapshot!(verdicts);
}

#[test]
fn a_broken_budget_is_a_result_at_its_line_and_what_is_not_known_is_a_notification() {
    let folder = Folder::new();
    folder.write("run.wbr", made(1, 50));
    budgets(&folder);
    let config = "./my budgets.toml";
    std::fs::rename(folder.path("weighbridge.toml"), folder.path(config)).expect("renamed");
    let answer = folder.run(&["check", "run.wbr", "--config", config, "-o", "sarif"]);
    assert_eq!(answer.code, Some(1), "{answer}");
    let report = json(&answer);
    let run = &report["runs"][0];
    let text = json(&folder.run(&["check", "run.wbr", "--config", config, "-o", "json"]));
    let verdicts = text["verdicts"].as_array().expect("verdicts");
    let lines = |outcome: &str| -> Vec<&serde_json::Value> {
        verdicts.iter().filter(|one| one["outcome"] == outcome).map(|one| &one["line"]).collect()
    };
    let location = |result: &serde_json::Value| result["locations"][0]["physicalLocation"].clone();
    let results = run["results"].as_array().expect("results");
    let found: Vec<serde_json::Value> =
        results.iter().map(|one| location(one)["region"]["startLine"].clone()).collect();
    assert_eq!(found.iter().collect::<Vec<_>>(), lines("broken"));
    assert_eq!(location(&results[0])["artifactLocation"]["uri"], "my%20budgets.toml");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    let told = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("notifications");
    assert_eq!(
        told.len(),
        ["not_measured", "within_error", "not_found"].map(|one| lines(one).len()).iter().sum::<usize>()
    );
}
