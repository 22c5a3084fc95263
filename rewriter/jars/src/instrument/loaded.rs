//! From which archives in an archive a class loader loads classes. The others are data and stay as they are.

use std::collections::HashSet;

use super::tree::InputTree;
use crate::jar::InflateBudget;
use crate::manifest::Manifest;
use weighbridge_config::Nested;

/// Folders of libraries: Spring Boot's executable archives, and web archives (Servlet specification, 10.5).
pub const LIBRARY_FOLDERS: [&str; 3] = ["BOOT-INF/lib/", "WEB-INF/lib/", "WEB-INF/lib-provided/"];
/// Attributes of a manifest that name archives in the archive: the class path, that of OSGi (Core 3.9.1), and that of
/// Eclipse's jar-in-jar loader.
const WITHIN: [&str; 3] = ["Class-Path", "Bundle-ClassPath", "Rsrc-Class-Path"];
/// The modules of an enterprise application (Jakarta EE Platform, 8.3).
const APPLICATION: &[u8] = b"META-INF/application.xml";
/// The descriptor of a resource adapter; all jars in its archive are loaded (Jakarta Connectors, 20.2).
const ADAPTER: &[u8] = b"META-INF/ra.xml";

/// What is known of the loaders that read an archive.
#[derive(Debug)]
pub(crate) struct Loaders {
    /// Everything is loaded.
    all: bool,
    /// The descriptor of an enterprise application, which loads modules at the root, libraries in `lib`, and what the
    /// descriptor names.
    application: Option<String>,
    named: HashSet<Vec<u8>>,
}

impl Loaders {
    /// Reads the manifest and the descriptors of the archive.
    pub(crate) fn from_tree(
        tree: &InputTree,
        label: &str,
        manifest: Option<&Manifest>,
        nested: Nested,
        budget: &InflateBudget,
    ) -> Self {
        let find = |name: &[u8]| (0..tree.len()).find(|&entry| tree.name(entry) == name);
        let descriptor = find(APPLICATION).and_then(|entry| tree.content(entry, budget).ok());
        let application = match descriptor {
            Some(text) => Some(String::from_utf8_lossy(&text).into_owned()),
            None => has_extension(label, "ear").then(String::new),
        };
        let all = nested == Nested::All || find(ADAPTER).is_some() || has_extension(label, "rar");
        let mut loaders = Loaders { all, application, named: HashSet::new() };
        let values = WITHIN.iter().filter_map(|attribute| manifest?.main(attribute));
        for path in values.flat_map(|value| value.split([' ', ','])) {
            // OSGi allows a directive after the path.
            loaders.name(b"", path.split(';').next().unwrap_or(path));
        }
        loaders
    }

    /// Adds the `Class-Path` of an archive in the archive, relative to it (JAR File Specification, "Class-Path Attribute").
    pub(crate) fn add(&mut self, path: &[u8], manifest: &Manifest) {
        let folder = path.iter().rposition(|&byte| byte == b'/').map_or(&b""[..], |slash| &path[..=slash]);
        for named in manifest.main("Class-Path").into_iter().flat_map(str::split_ascii_whitespace) {
            self.name(folder, named);
        }
    }

    fn name(&mut self, folder: &[u8], relative: &str) {
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in folder.split(|&byte| byte == b'/').chain(relative.trim().as_bytes().split(|&byte| byte == b'/')) {
            match part {
                b"" | b"." => {}
                b".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        self.named.insert(parts.join(&b'/'));
    }

    /// True if a loader loads classes from the archive at this path.
    pub(crate) fn take(&self, path: &[u8]) -> bool {
        let library = LIBRARY_FOLDERS.iter().any(|folder| path.starts_with(folder.as_bytes()));
        self.all
            || library
            || self.named.contains(path)
            || self.application.as_ref().is_some_and(|descriptor| {
                let named = std::str::from_utf8(path).is_ok_and(|path| descriptor.contains(&format!(">{path}<")));
                path.starts_with(b"lib/") || !path.contains(&b'/') || named
            })
    }
}

fn has_extension(label: &str, extension: &str) -> bool {
    label.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}
