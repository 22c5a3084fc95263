//! Finds which files of a crate import items of which other files, from the sources without a compiler.
//!
//! A path is followed through re-exports to the file that defines the item. A `mod`, and a re-export that its own file
//! does not use, are no imports. A test module at the end of a file is ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A file that imports items of another file of the crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The file that imports, relative to the crate's sources.
    pub from: String,
    /// The file that defines the items.
    pub to: String,
    /// The path of the first of them as the importing file writes it.
    pub path: String,
}

/// The names of nested modules; empty for the root of the crate.
type Module = Vec<String>;

/// The most re-exports on a path.
const MOST_RE_EXPORTS: usize = 8;

struct Source {
    file: String,
    /// The names that `use` declares, with their paths and whether they are public.
    uses: Vec<(String, String, bool)>,
    /// The paths outside `use`.
    paths: Vec<String>,
    /// The names outside `use`, of paths the first.
    words: BTreeSet<String>,
}

/// The imports between the files in a crate's folder of sources. A `main.rs` beside a `lib.rs` is another crate.
pub fn imports(folder: &Path) -> BTreeSet<Import> {
    let mut sources = BTreeMap::new();
    collect(folder, &[], "", &mut sources);
    let mut found = BTreeMap::new();
    for (module, source) in &sources {
        let used = source.uses.iter().filter(|(name, _, public)| !public || source.words.contains(name));
        for path in used.map(|(_, path, _)| path).chain(&source.paths) {
            if let Some(to) = definer(&sources, module, path, MOST_RE_EXPORTS).filter(|to| *to != source.file) {
                found.entry((source.file.clone(), to)).or_insert_with(|| path.clone());
            }
        }
    }
    found.into_iter().map(|((from, to), path)| Import { from, to, path }).collect()
}

fn collect(folder: &Path, module: &[String], prefix: &str, sources: &mut BTreeMap<Module, Source>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names {
        let path = folder.join(&name);
        let child = |stem: &str| [module, &[stem.to_owned()]].concat();
        if path.is_dir() {
            collect(&path, &child(&name), &format!("{prefix}{name}/"), sources);
        } else if let Some(stem) = name.strip_suffix(".rs") {
            let module = if matches!(stem, "lib" | "main" | "mod") { module.to_vec() } else { child(stem) };
            let text = fs::read_to_string(&path).expect("a source file");
            sources.entry(module).or_insert_with(|| parse(format!("{prefix}{name}"), &text));
        }
    }
}

/// The file that defines what a path names, unless that is a module or outside the crate.
fn definer(sources: &BTreeMap<Module, Source>, at: &[String], path: &str, most: usize) -> Option<String> {
    let mut module = at.to_vec();
    let names: Vec<&str> = path.split("::").collect();
    for (index, name) in names.iter().enumerate() {
        match *name {
            "crate" => module.clear(),
            "self" => {}
            "super" => _ = module.pop(),
            name => {
                let source = sources.get(&module)?;
                let used = source.uses.iter().find(|(alias, ..)| alias == name);
                let child = [&module[..], &[name.to_owned()]].concat();
                let is_last = index + 1 == names.len();
                match used {
                    // A module and a function can have one name.
                    _ if sources.contains_key(&child) && !(is_last && used.is_some()) => module = child,
                    Some((_, path, _)) => {
                        let path = [&[path.as_str()], &names[index + 1..]].concat().join("::");
                        return definer(sources, &module, &path, most.checked_sub(1)?);
                    }
                    None => return (index > 0).then(|| source.file.clone()),
                }
            }
        }
    }
    None
}

fn parse(file: String, text: &str) -> Source {
    let mut source = Source { file, uses: Vec::new(), paths: Vec::new(), words: BTreeSet::new() };
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    while let Some(line) = lines.next() {
        if let Some((visibility, item)) = declaration(line, "use ") {
            let mut tree = item.to_owned();
            while !tree.ends_with(';') {
                tree += lines.next().expect("the end of a use");
            }
            branch(tree.trim_end_matches(';'), "", &mut |name, path| {
                source.uses.push((name.to_owned(), path, !visibility.is_empty()));
            });
        } else if declaration(line, "mod ").is_none() {
            for path in line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
                let path = path.trim_matches(':');
                source.words.extend(path.split("::").next().map(str::to_owned));
                source.paths.extend(path.contains("::").then(|| path.to_owned()));
            }
        }
    }
    source
}

/// The visibility of an item that a keyword starts, and the rest of its line.
fn declaration<'a>(line: &'a str, keyword: &str) -> Option<(&'a str, &'a str)> {
    line.split_once(keyword).filter(|(before, _)| matches!(*before, "" | "pub " | "pub(crate) " | "pub(super) "))
}

/// Declares the names of a `use`: `a::{b, c::{d as e}}` has `b` and `e`.
fn branch(tree: &str, prefix: &str, declare: &mut impl FnMut(&str, String)) {
    let Some((head, rest)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
        let path = format!("{prefix}{path}");
        let path = path.strip_suffix("::self").unwrap_or(&path);
        let last = path.rsplit("::").next().unwrap_or(path);
        return declare(if alias.is_empty() { last } else { alias }, path.to_owned());
    };
    let mut depth = 0;
    let inner = rest.trim_end().strip_suffix('}').expect("the end of a group");
    let branches = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for tree in branches.map(str::trim).filter(|tree| !tree.is_empty()) {
        branch(tree, &format!("{prefix}{head}"), declare);
    }
}
