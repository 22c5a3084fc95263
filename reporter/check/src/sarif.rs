//! Verdicts as SARIF 2.1.0, which code scanning reads (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/>).

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};
use weighbridge_reporter::json::pretty;

use crate::judge::{Outcome, Verdict};
use crate::verdicts::sentence;

/// What a path of a URI may not have as it is (RFC 3986 §3.3).
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Writes a rule for each figure that is limited, and a result for each broken budget. What could not be judged is a
/// notification of the run, because it is not known to be wrong.
pub fn write(verdicts: &[Verdict], config_path: &str, mut out: &mut dyn Write) -> io::Result<()> {
    let figures: BTreeSet<&str> = verdicts.iter().map(|verdict| verdict.figure).collect();
    let figures: Vec<&str> = figures.into_iter().collect();
    let location = |verdict: &Verdict| {
        json!([{ "physicalLocation": {
            "artifactLocation": { "uri": uri(config_path) },
            "region": { "startLine": verdict.line },
        } }])
    };
    let results: Vec<Value> = verdicts
        .iter()
        .filter(|verdict| verdict.outcome == Outcome::Broken)
        .map(|verdict| {
            json!({
                "ruleId": rule_id(verdict.figure),
                "ruleIndex": figures.iter().position(|figure| *figure == verdict.figure),
                "level": "error",
                "message": { "text": sentence(verdict) },
                "locations": location(verdict),
                "partialFingerprints": {
                    "budget/v1": format!("{} {} {}", verdict.subject, verdict.figure, verdict.bound),
                },
            })
        })
        .collect();
    let notifications: Vec<Value> = verdicts
        .iter()
        .filter(|verdict| matches!(verdict.outcome, Outcome::NotMeasured | Outcome::WithinError | Outcome::NotFound))
        .map(|verdict| {
            json!({
                "level": if verdict.outcome == Outcome::NotMeasured { "error" } else { "warning" },
                "message": { "text": format!("{}: {}", verdict.outcome.word(), sentence(verdict)) },
                "locations": location(verdict),
            })
        })
        .collect();
    let rules: Vec<Value> = figures.iter().map(|figure| rule(figure)).collect();
    let judged = !verdicts.iter().any(|verdict| verdict.outcome == Outcome::NotMeasured);
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Weighbridge",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [{ "executionSuccessful": judged, "toolExecutionNotifications": notifications }],
            "results": results,
        }],
    });
    pretty(&document, &mut out)
}

fn rule_id(figure: &str) -> String {
    format!("memory-budget/{figure}")
}

fn rule(figure: &str) -> Value {
    json!({
        "id": rule_id(figure),
        "shortDescription": { "text": format!("A memory budget of {figure} is broken") },
        "fullDescription": { "text": format!(
            "More is live than a [[budget]] of {figure} in the configuration of Weighbridge allows, beyond the error of the figure."
        ) },
        "help": { "text": "Look at the report of the recordings: what holds the objects, and whether they grow. If the program needs more, raise the budget." },
        "defaultConfiguration": { "level": "error" },
    })
}

/// A path as a URI: relative as it was given, so that code scanning finds it in the checkout.
fn uri(path: &str) -> String {
    let encoded = utf8_percent_encode(&path.replace('\\', "/"), PATH).to_string();
    let encoded = encoded.strip_prefix("./").map(str::to_owned).unwrap_or(encoded);
    if Path::new(path).is_absolute() { format!("file://{encoded}") } else { encoded }
}
