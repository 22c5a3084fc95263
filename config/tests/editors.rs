//! The JSON Schema, as an editor applies it: it takes what the program takes, and refuses what is wrong by its shape.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use weighbridge_config::{Config, SCHEMA};

fn validator() -> Validator {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).expect("JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("a schema");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// `None` if the text is no TOML.
fn valid(validator: &Validator, text: &str) -> Option<bool> {
    let value: toml::Value = toml::from_str(text).ok()?;
    Some(validator.is_valid(&serde_json::to_value(value).expect("JSON")))
}

/// What the program refuses, one configuration after the other, from the snapshots of its messages.
fn refused(snapshot: &str, head: &str) -> Vec<String> {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(snapshot)).unwrap();
    let body = text.splitn(3, "---\n").nth(2).expect("a body");
    let mut all = Vec::new();
    let mut one = String::new();
    for line in body.lines() {
        match line.starts_with("  => ") {
            true => all.push(format!("{head}{}", std::mem::take(&mut one).trim_start())),
            false => one = one + line + "\n",
        }
    }
    all
}

/// The examples of the repository.
fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let files = |folder: &str| -> Vec<PathBuf> {
        fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let mut examples: Vec<PathBuf> =
        files("config").into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    examples.retain(|path| !path.ends_with("Cargo.toml"));
    examples.extend(
        files("samples").into_iter().map(|folder| folder.join("weighbridge.toml")).filter(|file| file.exists()),
    );
    examples
}

#[test]
fn every_example_names_the_schema_in_its_first_line_and_is_right_by_it() {
    let validator = validator();
    let examples = examples();
    assert!(examples.len() >= 10, "{examples:?}");
    for example in examples {
        let text = fs::read_to_string(&example).unwrap();
        let named = text.lines().next().and_then(|line| line.strip_prefix("#:schema ")).expect("the editor's line");
        let schema = example.parent().expect("a folder").join(named);
        assert!(fs::read_to_string(&schema).unwrap() == SCHEMA, "{}", example.display());
        let value: toml::Value = toml::from_str(&text).unwrap();
        validator
            .validate(&serde_json::to_value(value).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", example.display()));
        Config::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", example.display()));
    }
}

#[test]
fn the_schema_refuses_all_that_the_program_refuses_for_its_shape() {
    let validator = validator();
    let wrong: Vec<String> = [
        refused("reading__a_wrong_configuration_is_refused_at_its_line_and_column.snap", ""),
        refused("reading__a_wrong_budget_is_refused_at_its_line_and_column.snap", "version = 1\n[[budget]]\n"),
        refused("shortage__a_wrong_shortage_is_refused_at_its_line_and_column.snap", "version = 1\n[shortage]\n"),
    ]
    .concat();
    assert!(wrong.len() > 100, "{}", wrong.len());
    for text in &wrong {
        Config::parse(text).expect_err(text);
    }
    let taken: Vec<&str> =
        wrong.iter().filter(|text| valid(&validator, text) == Some(true)).map(|text| text.as_str()).collect();
    // What a schema cannot tell: names that must differ, keys that may be parts, and what is elsewhere in the file.
    insta::assert_snapshot!(taken.join("\n"));
}

#[test]
fn the_schema_takes_every_key_and_every_spelling() {
    let validator = validator();
    for text in [
        "version = 1",
        "version = 1\nframeworks = false\n[shortage]\ndry-run = false\nwhen.allocation = \"off\"\nadmit.wait = \"0s\"",
        "version = 1\n[measure]\nat = [\"exit\", \"every 10s\"]\nages = [0, 1, 8]\nsites = 20\nthreads = [\"w-*\"]\n\
         [measure.peak]\nmode = \"peak-with-tolerance\"\nsource = \"usage\"\ntolerance = \"16m\"\ndump = \"p-%p.hprof\"",
        "version = 1\n[components]\nweb.session = [\"a.**\"]\nboot = { loaders = [\"boot\"], classes = [\"java.util.**\"] }\n\
         [components.site]\ninstances = \"a.Site\"\nname_field = [\"config.name\", \"id\"]\npaths = [\".pages[].body\"]\n\
         [components.site.bean]\nentries = [\".beans\", \"a.Site.all\"]\nonly = { scope = \"x\" }\ninstances_of = [\"t.r\"]",
        "version = 1\n[[trace]]\nname = \"a\"\nwhat = [\"methods\", \"calls\"]\nclasses = [\"a.**\"]\nfor = \"10m\"\nmax_cpu = 2.5",
        "version = 1\n[[budget]]\nclass = \"a.**\"\nfigure = \"own_bytes\"\nmax = \"1.5 MiB\"\nmax_increase = \"10 %\"",
    ] {
        Config::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let value: toml::Value = toml::from_str(text).unwrap();
        validator.validate(&serde_json::to_value(value).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}
