//! `explain` from outside.

use crate::support::{CONFIG, Folder};
use insta::assert_snapshot;

const DETAILED: &str = "\
version = 1
[instrument]
include = [
  \"com.acme.shop.web.*\",
]
exclude = [\"**.Shop\"]
[[target]]
class = \"com.acme.shop.web.Session\"
track = \"count\"
[components]
web = [\"com.acme.shop.web.**\"]
";

fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("app.jar", weighbridge_samples::DEMO_JAR);
    folder.write("wb.toml", DETAILED);
    folder
}

fn explain(folder: &Folder, class: &str) -> String {
    steady(&folder.run(&["explain", class, "app.jar", "--config", "wb.toml"]).to_string())
}

/// The name of the bridge depends on the compiler that built the sample.
fn steady(text: &str) -> String {
    let mut parts = text.split("Weighbridge$");
    let mut steady = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        steady += "Weighbridge$HEX";
        steady += part.get(16..).expect("16 digits");
    }
    steady
}

#[test]
fn a_selected_class_is_shown_with_its_rules_its_probes_and_its_code() {
    assert_snapshot!(explain(&prepared(), "com.acme.shop.web.Session"));
}

#[test]
fn an_excluded_or_unmatched_class_is_explained() {
    let folder = prepared();
    assert_snapshot!("excluded", explain(&folder, "com.acme.shop.Shop"));
    folder.write("wb.toml", "version = 1\n[instrument]\ninclude = [\"org.**\"]\n");
    assert_snapshot!("not_matched", explain(&folder, "com.acme.shop.Shop"));
}

#[test]
fn the_json_form_has_pcs_and_code() {
    let folder = prepared();
    let answer = folder.run(&["explain", "com.acme.shop.web.Session", "app.jar", "--config", "wb.toml", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let copy = &found["copies"][0];
    assert_eq!(copy["selection"]["decided_by"]["line"], 4);
    assert_eq!(copy["effect"]["kind"], "rewritten");
    assert_eq!(copy["effect"]["component"]["name"], "web");
    let method = &copy["effect"]["methods"][0];
    assert_eq!(method["probes"][0]["placement"], "before return");
    assert!(method["after"].as_str().expect("code").contains(".count(I)V"), "{answer}");
}

#[test]
fn wrong_input_of_explain_is_named() {
    let folder = prepared();
    assert_snapshot!("unknown_class", explain(&folder, "com.acme.shop.Session"));
    assert_snapshot!("unlike_any_class", explain(&folder, "x"));
    folder.write("wb.toml", CONFIG);
    folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", "out.jar"]);
    let rewritten = folder.run(&["explain", "com.acme.shop.Shop", "out.jar", "--config", "wb.toml"]);
    assert_snapshot!("rewritten_jar", steady(&rewritten.to_string()));
    assert_snapshot!("no_config", folder.run(&["explain", "x", "app.jar", "--config", "none.toml"]));
}
