//! Names of the product's code that tell a reader something, kept by reading the sources.
//!
//! A name is what people search for. `of`, `told` or `ask` say nothing without the call around them, and a search finds a
//! thousand other lines. A type that each of many files defines anew has to be told apart by its path. A word that the
//! glossary bans stands for several things, of which the reader has to guess one. Each of these came back as long as only
//! reviews kept them out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use weighbridge_tests::root;

/// A function of this name, with nothing before or after it, says nothing at its definition.
const BARE: [&[&str]; 3] = [
    // Prepositions.
    &[
        "of", "at", "with", "in", "on", "by", "to", "for", "over", "under", "below", "above", "beside", "between",
        "before", "after", "until", "since", "without", "within", "behind", "through", "across", "along", "among",
        "about", "against", "per", "than",
    ],
    // Participles.
    &[
        "named", "shown", "told", "met", "held", "kept", "found", "asked", "taken", "made", "given", "known", "seen",
        "left", "written", "ended", "begun", "gone", "counted", "listed", "called", "passed", "joined", "drawn",
        "chosen", "said", "spoken", "heard", "done", "put", "meant", "used", "wanted", "needed", "allowed", "refused",
    ],
    // Verbs of speech.
    &["ask", "tell", "say", "speak", "look", "answer", "hear"],
];

/// So many files may define a type of one name.
const MOST_FILES: usize = 3;

/// Conventions: each verb of the command line has its `Args`, and each crate its `Error`.
const OF_MANY_FILES: [&str; 2] = ["Args", "Error"];

/// Words of the glossary's table "Words that we do not use" that mean nothing else in code, with their forms.
const BANNED: [(&str, &[&str]); 7] = [
    ("place", &["places", "placed"]),
    ("tally", &["tallies"]),
    ("wish", &["wishes", "wished"]),
    ("heed", &["heeds", "heeded"]),
    ("fitness", &[]),
    ("settle", &["settles", "settled", "settling"]),
    ("onwards", &[]),
];

/// Keys of JSON that have a banned word. They are older than the ban, and readers of the JSON outside this checkout know
/// them by these names.
const KEYS: [(&str, &[&str]); 10] = [
    // Of traces (docs/traces.md, "Forms"): allocation sites, and runs of reached probe sites from the runtime to the agent.
    ("agent/jvmti/src/traces/sites.rs", &["places"]),
    ("reporter/report/src/traces/run.rs", &["place", "places"]),
    ("runtime-java/runtime/src/main/java/io/weighbridge/runtime/trace/AllocationSite.java", &["place"]),
    ("runtime-java/runtime/src/main/java/io/weighbridge/runtime/trace/Coverage.java", &["places"]),
    ("runtime-java/runtime/src/main/java/io/weighbridge/runtime/trace/ObjectLives.java", &["place", "places"]),
    ("runtime-java/runtime/src/main/java/io/weighbridge/runtime/trace/ObjectUses.java", &["place"]),
    // Of `heap dominators` (docs/heap-json.md): the nodes of a group.
    ("reporter/report/src/heap/dominators.rs", &["places"]),
    // Of `explain`, `instrument` and `verify`: the location of a class.
    ("rewriter/jars/src/explain/mod.rs", &["place"]),
    ("rewriter/jars/src/instrument/summary.rs", &["place"]),
    ("rewriter/jars/src/verify/finding.rs", &["place"]),
];

/// Folders without code of the product, and those that builds make.
const NO_PRODUCT: [&str; 9] =
    ["benches", "examples", "fuzz", "node_modules", "prototypes", "samples", "target", "test", "tests"];

/// The product's sources of Rust and Java by their paths in the checkout, without the test modules at their ends.
fn product() -> BTreeMap<String, String> {
    let mut files = Vec::new();
    collect(root(), &mut files);
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let end = text.find(concat!("#[cfg(test)]", "\nmod ")).unwrap_or(text.len());
        let path = file.strip_prefix(root()).expect("below it").to_str().expect("a path").to_owned();
        (path, text[..end].to_owned())
    };
    let sources: BTreeMap<String, String> = files.into_iter().map(read).collect();
    let count = |extension: &str| sources.keys().filter(|path| path.ends_with(extension)).count();
    assert!(count(".rs") > 400 && count(".java") > 100, "only {} and {} files", count(".rs"), count(".java"));
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let entry = entry.expect("an entry");
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_str().expect("a name");
        if entry.file_type().expect("its type").is_dir() {
            if !name.starts_with('.') && !NO_PRODUCT.contains(&name) {
                collect(&path, files);
            }
        } else if name.ends_with(".rs") || name.ends_with(".java") {
            files.push(path);
        }
    }
}

/// What follows one of the keywords as its name, outside comments. A line that begins with a star is one of a comment.
fn defined<'t>(text: &'t str, keywords: &[&str]) -> Vec<&'t str> {
    let is_comment = |line: &str| line.trim_start().starts_with(['*', '/']);
    let code = text.lines().filter(|line| !is_comment(line)).map(|line| line.split("//").next().unwrap_or_default());
    let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
    let name = |word: &'t str| word.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let pairs = words.windows(2).filter(|pair| keywords.contains(&pair[0].trim_start_matches('@')));
    pairs.map(|pair| name(pair[1])).filter(|name| !name.is_empty()).collect()
}

/// The words of a text in lower case, comments included; those of an identifier one by one.
fn words(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for part in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut from = 0;
        for (at, pair) in part.as_bytes().windows(2).enumerate() {
            if pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase() {
                all.insert(part[from..=at].to_ascii_lowercase());
                from = at + 1;
            }
        }
        all.insert(part[from..].to_ascii_lowercase());
    }
    all
}

#[test]
fn no_function_is_named_by_a_word_that_says_nothing_alone() {
    let mut functions = 0;
    let mut wrong = String::new();
    for (path, text) in product().iter().filter(|(path, _)| path.ends_with(".rs")) {
        for name in defined(text, &["fn"]) {
            functions += 1;
            if BARE.iter().any(|words| words.contains(&name)) {
                wrong += &format!("{path}: fn {name}\n");
            }
        }
    }
    assert!(functions > 4000, "only {functions} functions");
    assert!(wrong.is_empty(), "say what it does or gives, such as `find_class` instead of `of`:\n{wrong}");
}

#[test]
fn the_name_of_a_type_is_not_that_of_many_others() {
    let sources = product();
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in &sources {
        let keywords: &[&str] = match path.ends_with(".rs") {
            true => &["struct", "enum", "trait", "union"],
            false => &["class", "interface", "enum", "record"],
        };
        for name in defined(text, keywords).into_iter().filter(|name| name.starts_with(|c: char| c.is_uppercase())) {
            files.entry(name).or_default().insert(path);
        }
    }
    assert!(files.len() > 1000, "only {} types", files.len());
    files.retain(|name, files| files.len() > MOST_FILES && !OF_MANY_FILES.contains(name));
    assert!(files.is_empty(), "more than {MOST_FILES} files define a type of this name: {files:#?}");
}

#[test]
fn no_word_that_the_glossary_bans_is_in_the_code() {
    let mut sources = product();
    for (path, keys) in KEYS {
        let text = sources.get_mut(path).unwrap_or_else(|| panic!("{path} is not there"));
        for key in keys {
            let literal = format!("\"{key}\"");
            assert!(text.contains(&literal), "{path} has no key {literal} any more");
            *text = text.replace(&literal, "");
        }
    }
    let mut wrong = String::new();
    for (path, text) in &sources {
        let words = words(text).into_iter().chain(words(path));
        for word in words.collect::<BTreeSet<String>>() {
            let banned = BANNED.iter().find(|(banned, forms)| *banned == word || forms.contains(&word.as_str()));
            if let Some((banned, _)) = banned {
                let lines = text.lines().zip(1..).filter(|(line, _)| self::words(line).contains(&word));
                let numbers: Vec<String> = lines.map(|(_, number)| number.to_string()).collect();
                wrong += &format!("{path}:{}: {word} (docs/glossary.md, `{banned}`)\n", numbers.join(","));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_banned_is_in_the_glossary() {
    let glossary = fs::read_to_string(root().join("docs/glossary.md")).expect("the glossary");
    let (_, table) = glossary.split_once("## Words that we do not use").expect("the table");
    let banned: BTreeSet<&str> = table
        .lines()
        .filter_map(|row| row.strip_prefix("| ")?.split(" |").next())
        .flat_map(|cell| cell.split(", "))
        .collect();
    for (word, _) in BANNED {
        assert!(banned.contains(word), "the glossary says nothing of {word}");
    }
}
