//! Finds the jars and directories of a class path or module path: wildcards, directories, and the `Class-Path` of manifests.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use weighbridge_ending::input::check_input;

/// Most bytes of a manifest that are read: the longest known are some hundred KiB.
const LONGEST_MANIFEST: u64 = 16 << 20;

/// One element of a path, as it was written.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) text: OsString,
    /// Its jars and directories, absolute, in the order in which the JVM searches them.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) kind: ElementKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// A jar or a directory of classes.
    Single,
    /// `lib/*`: the jars of a directory.
    Wildcard,
    /// A directory of modules on a module path.
    Modules(PathBuf),
}

/// The elements of a class path. An empty element is the current directory.
pub(crate) fn class_path(path: &OsStr) -> Vec<Element> {
    let elements = std::env::split_paths(path).map(|element| {
        let text = if element.as_os_str().is_empty() { OsString::from(".") } else { element.into_os_string() };
        match text.to_str().and_then(|text| text.strip_suffix('*')) {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                let jars = jars_of(Path::new(if folder.is_empty() { "." } else { folder }));
                Element { text, roots: jars.iter().filter_map(|jar| real(jar)).collect(), kind: ElementKind::Wildcard }
            }
            _ => {
                let root = real(Path::new(&text));
                Element { text, roots: Vec::from_iter(root), kind: ElementKind::Single }
            }
        }
    });
    elements.collect()
}

/// The path of an existing file or directory as the JVM knows it. The JVM resolves symbolic links on the class path, and
/// `Class-Path` is relative to their target (`jdk.internal.loader.ClassLoaders.toFileURL`).
pub(crate) fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// The elements of a module path (JEP 261): modular jars, exploded modules, or directories of both.
pub(crate) fn module_path(path: &OsStr) -> Vec<Element> {
    let elements = std::env::split_paths(path).filter(|element| !element.as_os_str().is_empty()).map(|element| {
        let root = absolute(&element);
        let text = element.into_os_string();
        if !root.is_dir() || root.join("module-info.class").is_file() {
            return Element { text, roots: Vec::from_iter(root.exists().then_some(root)), kind: ElementKind::Single };
        }
        let mut roots = jars_of(&root);
        roots.extend(entries(&root).into_iter().filter(|path| path.join("module-info.class").is_file()));
        Element { text, roots, kind: ElementKind::Modules(root) }
    });
    elements.collect()
}

/// The jars in a directory, in its own order, which is also the launcher's.
fn jars_of(folder: &Path) -> Vec<PathBuf> {
    let is_jar = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jar" || extension == "JAR");
    entries(folder).into_iter().filter(is_jar).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// A path from the root, without `.` and `..`. Keeps symbolic links, as the JVM does for a `Class-Path` and a module path.
pub fn absolute(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// Each jar or directory that some elements reach, with the targets of its manifest's `Class-Path`. Leaves out files that
/// are no archive, as the JVM does.
pub(crate) fn closure(elements: &[Element]) -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut reached = BTreeMap::new();
    let mut open: Vec<PathBuf> = elements.iter().flat_map(|element| element.roots.iter().cloned()).collect();
    while let Some(path) = open.pop() {
        if reached.contains_key(&path) {
            continue;
        }
        let Some(targets) = (if path.is_dir() { Some(Vec::new()) } else { manifest_class_path(&path) }) else {
            continue;
        };
        open.extend(targets.iter().cloned());
        reached.insert(path, targets);
    }
    reached
}

/// The existing files and directories that the manifest's `Class-Path` names relative to the jar (JAR File Specification,
/// "Class-Path Attribute"); `None` if the file is no archive.
///
/// Leaves out absolute entries: they mean the same file wherever the jar is.
fn manifest_class_path(jar: &Path) -> Option<Vec<PathBuf>> {
    check_input(jar).ok()?;
    let mut archive = zip::ZipArchive::new(File::open(jar).ok()?).ok()?;
    let mut text = Vec::new();
    if let Ok(entry) = archive.by_name("META-INF/MANIFEST.MF") {
        // A manifest that cannot be read has no Class-Path for the JVM either.
        let _ = entry.take(LONGEST_MANIFEST).read_to_end(&mut text);
    }
    let value = main_attribute(&String::from_utf8_lossy(&text), "Class-Path").unwrap_or_default();
    let folder = jar.parent()?;
    let targets = value.split_ascii_whitespace().filter(|url| !url.starts_with('/') && !url.contains(':'));
    let targets = targets.filter_map(|url| Some(absolute(&folder.join(percent_decoded(url)?))));
    Some(targets.filter(|target| target.exists()).collect())
}

/// An attribute of a manifest's main section. Lines are at most 72 bytes; one that starts with a space continues the line
/// before.
fn main_attribute(manifest: &str, name: &str) -> Option<String> {
    let mut value: Option<String> = None;
    for line in manifest.lines() {
        match (line.strip_prefix(' '), &mut value) {
            (Some(rest), Some(value)) => value.push_str(rest),
            (Some(_), None) => {}
            (None, Some(_)) => break,
            (None, None) if line.is_empty() => break,
            (None, None) => {
                let (key, text) = line.split_once(':')?;
                value = key.eq_ignore_ascii_case(name).then(|| text.trim_start().to_owned());
            }
        }
    }
    value
}

fn percent_decoded(url: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = url.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_may_be_continued_and_its_section_ends_at_an_empty_line() {
        let manifest =
            "Manifest-Version: 1.0\r\nclass-path: lib/a.jar li\r\n b/b.jar\r\nMain-Class: M\r\n\r\nName: x\r\n";
        assert_eq!(main_attribute(manifest, "Class-Path").as_deref(), Some("lib/a.jar lib/b.jar"));
        assert_eq!(main_attribute("A: b\n\nClass-Path: x\n", "Class-Path"), None);
    }

    #[test]
    fn urls_are_decoded_and_bad_ones_are_none() {
        assert_eq!(percent_decoded("a%20b.jar").as_deref(), Some("a b.jar"));
        assert_eq!(percent_decoded("a%2"), None);
    }

    #[test]
    fn paths_lose_their_dots_but_keep_their_links() {
        assert_eq!(absolute(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }

    #[test]
    fn a_wildcard_means_the_jars_of_a_directory_and_an_empty_element_the_current_directory() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jar", "b.JAR", "c.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let elements = class_path(OsStr::new(&format!("{}/*::no-such.jar", folder.path().display())));
        let mut names: Vec<_> = elements[0].roots.iter().filter_map(|path| path.file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.jar", "b.JAR"]);
        assert_eq!((elements[0].kind.clone(), elements[1].text.clone()), (ElementKind::Wildcard, ".".into()));
        assert!(elements[2].roots.is_empty());
    }
}
