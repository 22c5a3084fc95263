//! Packs class folders into jars whose bytes depend only on the contents.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use walkdir::WalkDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Writes a jar of every file under `classes`, the manifest first, in name order, each dated 1980-01-01.
///
/// `manifest` has the main attributes after `Manifest-Version`. Panics if a line has more than 72 bytes (JAR File
/// Specification, "Line length") and on I/O errors: its callers are build scripts and tests.
pub fn pack_jar(classes: &Path, manifest: &[(&str, &str)], jar: &Path) {
    pack(classes, manifest, jar, CompressionMethod::Deflated);
}

/// The same without compression: for a jar whose classes a JVM loads at its start.
pub fn pack_stored_jar(classes: &Path, manifest: &[(&str, &str)], jar: &Path) {
    pack(classes, manifest, jar, CompressionMethod::Stored);
}

fn pack(classes: &Path, manifest: &[(&str, &str)], jar: &Path, method: CompressionMethod) {
    let options = SimpleFileOptions::default().last_modified_time(DateTime::default()).compression_method(method);
    let mut zip = ZipWriter::new(File::create(jar).unwrap_or_else(|e| panic!("create {}: {e}", jar.display())));
    let mut add = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).unwrap_or_else(|e| panic!("add {name}: {e}"));
        zip.write_all(bytes).unwrap_or_else(|e| panic!("write {name}: {e}"));
    };
    let mut text = String::from("Manifest-Version: 1.0\r\n");
    for (key, value) in manifest {
        let line = format!("{key}: {value}\r\n");
        assert!(line.len() <= 74, "manifest line too long: {line}");
        text.push_str(&line);
    }
    text.push_str("\r\n");
    add("META-INF/MANIFEST.MF", text.as_bytes());
    for entry in WalkDir::new(classes).sort_by_file_name() {
        let entry = entry.unwrap_or_else(|e| panic!("read {}: {e}", classes.display()));
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(classes).expect("walked below it");
            let name = name.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
            let bytes = fs::read(entry.path()).unwrap_or_else(|e| panic!("read {name}: {e}"));
            add(&name, &bytes);
        }
    }
    zip.finish().unwrap_or_else(|e| panic!("finish {}: {e}", jar.display()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_classes_give_the_same_bytes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let out = std::env::temp_dir();
        let jars = [0, 1].map(|i| out.join(format!("weighbridge-pack-{}-{i}.jar", std::process::id())));
        let bytes = jars.clone().map(|jar| {
            pack_jar(&folder, &[("Main-Class", "a.B")], &jar);
            fs::read(&jar).expect("just written")
        });
        for jar in jars {
            fs::remove_file(jar).expect("just written");
        }
        assert!(bytes[0] == bytes[1]);
        assert!(bytes[0].starts_with(b"PK\x03\x04"));
    }
}
