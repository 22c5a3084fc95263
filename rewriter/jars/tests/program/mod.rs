//! A small Java program as entries of jars, and runs of the rewriter over them.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;
use weighbridge_config::Config;
use weighbridge_rewriter::Result;
use weighbridge_rewriter::instrument::{InstrumentOptions, InstrumentOutput, InstrumentSummary, Silent, instrument};
use weighbridge_tests::classes::compiled;

use crate::craft::{Entry, Zip};

/// Class files of `tests/java/com`, by path.
fn classes() -> &'static [(String, Vec<u8>)] {
    static CLASSES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let ours = |name: &String| name.starts_with("com/acme/app/") || name.starts_with("com/acme/base/");
        let classes = compiled("com").into_iter().filter(|(name, _)| ours(name));
        let mut classes: Vec<_> = classes.map(|(name, bytes)| (format!("{name}.class"), bytes)).collect();
        classes.sort();
        classes
    })
}

fn package(name: &str) -> Vec<Entry> {
    let of_package = classes().iter().filter(|(path, _)| path.starts_with(name));
    of_package.map(|(path, content)| Entry::new(path, content.clone())).collect()
}

/// `Leaf`, `Main` and `Main$Shape`.
pub fn app() -> Vec<Entry> {
    package("com/acme/app/")
}

/// `Node` and `Weighed`.
pub fn base() -> Vec<Entry> {
    package("com/acme/base/")
}

pub fn entries(groups: &[Vec<Entry>]) -> Vec<Entry> {
    groups.concat()
}

/// The program as an executable jar.
pub fn executable() -> Vec<u8> {
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: com.acme.app.Main\r\n\r\n";
    Zip::of(entries(&[vec![Entry::new("META-INF/MANIFEST.MF", manifest)], app(), base()])).bytes()
}

/// Names in a jar, in the order of its directory.
pub fn names(jar: &[u8]) -> Vec<String> {
    let archive = zip::ZipArchive::new(Cursor::new(jar)).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

/// An entry of a jar, its CRC checked.
pub fn read(jar: &[u8], name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(jar)).unwrap();
    let mut content = Vec::new();
    archive.by_name(name).unwrap().read_to_end(&mut content).unwrap();
    content
}

pub fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, part)
}

/// A run in a temporary folder; outputs are in `out`.
pub struct Run {
    folder: TempDir,
    pub summary: InstrumentSummary,
}

impl Run {
    pub fn new(inputs: &[(&str, Vec<u8>)], config: &str) -> Run {
        Run::with(inputs, config, |_| {})
    }

    pub fn with(inputs: &[(&str, Vec<u8>)], config: &str, change: impl FnOnce(&mut InstrumentOptions)) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let summary = run_in(folder.path(), inputs, config, change).unwrap_or_else(|error| panic!("{error}"));
        Run { folder, summary }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn output(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join("out").join(name)).unwrap()
    }

    /// The table of the bridge in a package; a small one is a single constant.
    pub fn table(&self, jar: &str, package: &str) -> String {
        let jar = self.output(jar);
        let prefix = format!("{package}Weighbridge$");
        let bridge = names(&jar).into_iter().find(|name| name.starts_with(&prefix)).unwrap();
        let class = read(&jar, &bridge);
        let start =
            find(&class, format!("weighbridge\t{}\n", weighbridge_probes::contract::CONTRACT).as_bytes()).unwrap();
        let length = u16::from_be_bytes([class[start - 2], class[start - 1]]);
        String::from_utf8(class[start..start + usize::from(length)].to_vec()).unwrap()
    }
}

/// Runs the rewriter over files made in `folder`.
pub fn run_in(
    folder: &Path,
    inputs: &[(&str, Vec<u8>)],
    config: &str,
    change: impl FnOnce(&mut InstrumentOptions),
) -> Result<InstrumentSummary> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for (name, bytes) in inputs {
        paths.push(folder.join(name));
        fs::write(folder.join(name), bytes).unwrap();
    }
    let mut options = InstrumentOptions::new(InstrumentOutput::Folder(folder.join("out")));
    change(&mut options);
    instrument(&paths, &Config::parse(config).unwrap(), &options, &Silent)
}
