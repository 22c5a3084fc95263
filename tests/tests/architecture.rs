//! The dependency rules of docs/ARCHITECTURE.md, kept by reading manifests and imports.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use support::{crates, manifest, rust_files};
use weighbridge_tests::imports::{Import, imports};
use weighbridge_tests::{assert_table, root};

/// Which crates of the workspace a crate may use at run time, each after those that it uses. Build scripts may use `jdk`.
const CRATES: &[(&str, &[&str])] = &[
    ("bytecode", &[]),
    ("contract", &[]),
    ("generated", &[]),
    ("config", &["contract"]),
    ("outside", &[]),
    ("recording", &[]),
    ("jfr", &[]),
    ("replay", &["contract"]),
    ("jdk", &[]),
    ("runtime", &[]),
    ("samples", &[]),
    // It embeds the agent, which its build script builds.
    ("library", &[]),
    ("probes", &["bytecode"]),
    ("heapdump", &["bytecode"]),
    ("heapsql", &["heapdump"]),
    ("jvms", &["outside"]),
    ("control", &["config", "outside"]),
    ("agent", &["bytecode", "config", "contract", "control", "probes", "runtime"]),
    ("rewriter", &["bytecode", "config", "probes", "runtime"]),
    ("ending", &["config", "heapdump", "heapsql", "jvms", "outside", "rewriter"]),
    ("classpath", &["config", "ending", "jvms", "rewriter", "runtime"]),
    ("table", &["outside"]),
    ("reporter", &["heapdump", "jfr", "outside", "recording", "replay", "table"]),
    ("check", &["config", "ending", "recording", "reporter"]),
    ("proposal", &["check", "config", "ending", "jvms", "outside", "reporter", "rewriter"]),
    ("watch", &["recording", "reporter"]),
    (
        "live",
        &["config", "control", "ending", "heapdump", "jvms", "library", "outside", "recording", "reporter", "watch"],
    ),
    ("serve", &["config", "control", "ending", "jvms", "live", "recording", "reporter", "watch"]),
    (
        "cli",
        &[
            "check",
            "classpath",
            "config",
            "control",
            "ending",
            "heapdump",
            "heapsql",
            "jdk",
            "jvms",
            "library",
            "live",
            "outside",
            "probes",
            "proposal",
            "recording",
            "replay",
            "reporter",
            "rewriter",
            "runtime",
            "samples",
            "serve",
            "watch",
        ],
    ),
    ("tests", &["bytecode", "generated", "jdk", "library", "probes", "recording", "runtime", "samples"]),
    ("oracles", &["bytecode", "config", "heapdump", "probes", "rewriter"]),
    ("xtask", &["bytecode", "config", "jdk", "probes", "rewriter", "runtime"]),
];

/// Which sibling modules the layers of a crate may name. A module without a row is above all of them.
const BYTECODE: &[(&str, &[&str])] = &[("error", &[]), ("read", &["error"]), ("patch", &["error", "read"])];
const REWRITER: &[(&str, &[&str])] = &[("error", &[])];

/// The folders of the crates by the names that [`CRATES`] has: a package's own, without the project's before it.
fn folders_by_name() -> BTreeMap<String, String> {
    let name = |folder: &str| match manifest(folder)["package"]["name"].as_str().expect("a name") {
        "weighbridge" => "cli".to_owned(),
        name => name.trim_start_matches("weighbridge-").to_owned(),
    };
    crates().into_iter().map(|folder| (name(&folder), folder)).collect()
}

#[test]
fn crates_depend_along_the_arrows() {
    let folders = folders_by_name();
    let ruled: BTreeSet<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    assert_eq!(folders.keys().map(String::as_str).collect::<BTreeSet<_>>(), ruled, "a crate without a rule");
    for (name, allowed) in CRATES {
        let manifest = manifest(&folders[*name]);
        let dependencies = manifest.get("dependencies").and_then(|d| d.as_table()).into_iter().flat_map(|d| d.keys());
        let used: BTreeSet<&str> = dependencies.filter_map(|name| name.strip_prefix("weighbridge-")).collect();
        assert_eq!(used, allowed.iter().copied().collect(), "what {name} depends on, and what its row says");
    }
}

/// One row a crate, from below: a row names only rows above it, so there is no circle.
#[test]
fn the_document_has_all_crates_with_their_arrows() {
    let folders = folders_by_name();
    let mut table = "| Crate | Folder | What it is | Knows |\n|---|---|---|---|\n".to_owned();
    for (row, (name, allowed)) in CRATES.iter().enumerate() {
        let above: Vec<&str> = CRATES[..row].iter().map(|(name, _)| *name).collect();
        assert!(allowed.iter().all(|name| above.contains(name)), "{name} knows a row below it");
        let folder = &folders[*name];
        let manifest = manifest(folder);
        let about =
            manifest["package"]["description"].as_str().unwrap_or_else(|| panic!("{folder} has no description"));
        let known: Vec<String> = allowed.iter().map(|name| format!("`{name}`")).collect();
        table += &format!("| `{name}` | `{folder}/` | {about} | {} |\n", known.join(", "));
    }
    assert_table("docs/ARCHITECTURE.md", "crates", &table);
}

#[test]
fn layers_of_a_crate_name_only_those_below_them() {
    let folders = folders_by_name();
    for (name, layers) in [("bytecode", BYTECODE), ("rewriter", REWRITER)] {
        let source = root().join(&folders[name]).join("src");
        let modules: BTreeSet<String> = fs::read_dir(&source)
            .expect("sources")
            .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
            .filter(|name| name != "lib")
            .collect();
        for (layer, allowed) in layers {
            let mut files = rust_files(&source.join(layer));
            files.extend(Some(source.join(format!("{layer}.rs"))).filter(|file| file.is_file()));
            assert!(!files.is_empty(), "no sources of {layer}");
            for file in files {
                let text = fs::read_to_string(&file).expect("a source file");
                for module in modules.iter().filter(|module| module != layer && !allowed.contains(&module.as_str())) {
                    let import = format!("crate::{module}");
                    assert!(!text.contains(&import), "{} names {import}", file.display());
                }
            }
        }
    }
}

#[test]
fn files_of_a_crate_import_each_other_in_one_direction() {
    let mut wrong = String::new();
    for (name, folder) in folders_by_name() {
        let imports = imports(&root().join(folder).join("src"));
        for circle in circles(&imports) {
            wrong += &format!("{name}: a circle of {circle:?}\n");
            let inside = |file: &String| circle.contains(file.as_str());
            for Import { from, to, path } in imports.iter().filter(|import| inside(&import.from) && inside(&import.to))
            {
                wrong += &format!("  {from} imports {path} of {to}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What verbs share is in a crate below, or in a module that is no verb's.
#[test]
fn verbs_do_not_import_each_other() {
    let source = root().join("cli/src");
    let main = fs::read_to_string(source.join("main.rs")).expect("main.rs");
    let arms = main.lines().filter_map(|line| line.trim().strip_prefix("Verb::")?.split_once(" => "));
    let verbs: BTreeSet<&str> = arms.filter_map(|(_, call)| Some(call.split_once("::execute")?.0)).collect();
    assert!(verbs.contains("attach") && verbs.contains("heap"), "the verbs of main.rs: {verbs:?}");
    let verb_of = |file: &str| verbs.get(file.split(['/', '.']).next().unwrap_or_default()).copied();
    let imports = imports(&source);
    let between = imports.iter().filter(|import| {
        let (from, to) = (verb_of(&import.from), verb_of(&import.to));
        from.is_some() && to.is_some() && from != to
    });
    let wrong: Vec<String> =
        between.map(|Import { from, to, path }| format!("{from} imports {path} of {to}")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The sets of files that import each other, directly or through others of the set.
fn circles(imports: &BTreeSet<Import>) -> BTreeSet<BTreeSet<&str>> {
    let mut below: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Import { from, .. } in imports {
        let (mut open, mut seen) = (vec![from.as_str()], BTreeSet::new());
        while let Some(file) = open.pop() {
            let next = imports.iter().filter(|import| import.from == file).map(|import| import.to.as_str());
            open.extend(next.filter(|file| seen.insert(*file)));
        }
        below.insert(from, seen);
    }
    let leads_to = |from: &str, to: &str| below.get(from).is_some_and(|files| files.contains(to));
    let in_circles = below.keys().filter(|file| leads_to(file, file));
    in_circles.map(|file| below[file].iter().copied().filter(|other| leads_to(other, file)).collect()).collect()
}
