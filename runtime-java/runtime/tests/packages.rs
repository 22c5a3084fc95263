//! The arrows between the packages of the Java runtime, kept by reading its sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use weighbridge_tests::{assert_table, root};

/// Where the runtime's packages are. A name without a row is a class of the package above them all: an entrance.
const RUNTIME: &str = "runtime-java/runtime/src/main/java/io/weighbridge/runtime";

/// Which packages of the runtime a package may import.
const PACKAGES: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("jvm", &["contract"]),
    ("link", &[]),
    ("probe", &["contract", "jvm", "link"]),
    ("registry", &["contract", "jvm", "probe"]),
    ("walk", &["jvm", "probe", "registry"]),
    ("record", &["contract", "jvm", "probe", "link", "registry", "walk"]),
    ("shortage", &["contract", "jvm", "probe", "registry", "record"]),
    ("trace", &["contract", "jvm", "probe", "record"]),
    ("events", &["contract", "jvm", "record"]),
    ("control", &["contract", "jvm", "probe", "link", "registry", "walk", "record", "shortage", "trace", "events"]),
];

#[test]
fn packages_of_the_runtime_import_only_along_the_arrows() {
    let folder = root().join(RUNTIME);
    let found: BTreeSet<String> = fs::read_dir(&folder)
        .expect("the runtime")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, PACKAGES.iter().map(|(name, _)| (*name).to_owned()).collect(), "a package without a rule");
    for (package, allowed) in PACKAGES {
        for (name, text) in java_sources(&folder.join(package)) {
            let code = without_comments_and_texts(&text);
            let (imports, body): (Vec<_>, Vec<_>) = code.lines().partition(|line| line.starts_with("import "));
            for import in imports {
                assert!(!import.contains('*'), "{package}/{name}: {import}");
                let Some(used) = import.split("io.weighbridge.").nth(1) else { continue };
                let used = used.strip_prefix("runtime.").and_then(|rest| rest.split_once('.')).map_or("", |(p, _)| p);
                let api = used.is_empty() && !import.contains("io.weighbridge.runtime.");
                assert!(api || allowed.contains(&used), "{package} must not use {used}: {name} has {import}");
            }
            let hidden = body.iter().find(|line| line.contains("io.weighbridge.") && !line.starts_with("package "));
            assert_eq!(hidden, None, "{package}/{name} names a class of ours without an import");
        }
    }
}

/// With the first sentence of each package's documentation.
#[test]
fn the_document_has_all_packages_with_their_arrows() {
    let mut table = "| Package | What is in it | Knows |\n|---|---|---|\n".to_owned();
    for (package, allowed) in PACKAGES {
        let file = root().join(RUNTIME).join(package).join("package-info.java");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let lines = text.lines().skip(1).map(|line| line.trim_start_matches([' ', '*'])).collect::<Vec<_>>().join(" ");
        let about = lines.split(". ").next().expect("a sentence").trim_end_matches('.').trim();
        let known: Vec<String> = allowed.iter().map(|name| format!("`{name}`")).collect();
        table += &format!("| `{package}` | {about} | {} |\n", known.join(", "));
    }
    assert_table("docs/ARCHITECTURE.md", "packages", &table);
}

/// The rows above say which package may use which; each names only rows before it.
#[test]
fn the_arrows_between_packages_make_no_circle() {
    for (row, (package, allowed)) in PACKAGES.iter().enumerate() {
        let before: Vec<&str> = PACKAGES[..row].iter().map(|(name, _)| *name).collect();
        assert!(allowed.iter().all(|name| before.contains(name)), "{package} may use a package that may use it");
    }
}

/// A walk that comes to the threads of the JVM does not follow the fields of `Thread`, but those of its subclasses.
#[test]
fn no_class_of_the_runtime_is_a_thread() {
    for (package, _) in PACKAGES {
        for (name, text) in java_sources(&root().join(RUNTIME).join(package)) {
            assert!(!without_comments_and_texts(&text).contains("extends Thread "), "{package}/{name}");
        }
    }
}

#[test]
fn classes_of_the_runtime_know_each_other_in_one_direction() {
    let folder = root().join(RUNTIME);
    for (package, _) in PACKAGES {
        let sources = java_sources(&folder.join(package));
        let names: BTreeSet<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
        let mut known: Vec<(&str, BTreeSet<String>)> = sources
            .iter()
            .map(|(name, text)| {
                let code = without_comments_and_texts(text);
                let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
                let used = words.filter(|word| word != name && names.contains(word)).map(str::to_owned);
                (name.as_str(), used.collect())
            })
            .collect();
        // Whoever knows nobody that is left can be taken away; a circle stays.
        loop {
            let left: BTreeSet<&str> = known.iter().map(|(name, _)| *name).collect();
            let before = known.len();
            known.retain(|(_, used)| used.iter().any(|class| left.contains(class.as_str())));
            if known.len() == before {
                break;
            }
        }
        let circle: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        assert!(circle.is_empty(), "in or above a circle of {package}: {circle:?}");
    }
}

/// Of a folder, without those below it: the name of each class and its source.
fn java_sources(folder: &Path) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).expect("a package") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "java") && name != "package-info" {
            sources.push((name, fs::read_to_string(&path).expect("a source")));
        }
    }
    assert!(!sources.is_empty(), "no sources in {}", folder.display());
    sources
}

/// Java source with comments and the insides of string literals left out; line feeds stay.
fn without_comments_and_texts(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("/*") {
            rest.find("*/").expect("the end of a comment") + 2
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '"' || c == '\'' {
            literal(rest, c)
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    code
}

/// How long a literal is that begins and ends with a quote.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    panic!("a literal without an end: {text}");
}
