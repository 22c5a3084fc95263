//! The classes of a jar, and of the jars inside it.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A class file and its name in the jar.
#[derive(Debug)]
pub struct CorpusClass {
    /// The entry's name.
    pub entry: String,
    /// The class file.
    pub bytes: Vec<u8>,
}

/// The classes of one jar, without those of nested jars.
#[derive(Debug)]
pub struct Jar {
    /// The file name, `outer.jar!inner.jar` when nested.
    pub name: String,
    /// Its class files, in the jar's order.
    pub classes: Vec<CorpusClass>,
}

/// Calls `each` with a jar and every nested jar that have classes.
pub fn each_jar(path: &Path, each: &mut dyn FnMut(Jar) -> Result<()>) -> Result<()> {
    let file = File::open(path).with_context(|| format!("open {}", path.display()))?;
    read(super::fetch::name(path), file, each).with_context(|| format!("read {}", path.display()))
}

fn read(name: String, file: impl Read + Seek, each: &mut dyn FnMut(Jar) -> Result<()>) -> Result<()> {
    let mut zip = ZipArchive::new(file)?;
    let (mut classes, mut nested) = (Vec::new(), Vec::new());
    for i in 0..zip.len() {
        let mut entry = zip.by_index(i)?;
        let entry_name = entry.name()?.into_owned();
        let is = |extension: &str| entry_name.ends_with(extension);
        if is(".class") || is(".jar") || is(".war") {
            let mut bytes = Vec::with_capacity(entry.size() as usize);
            entry.read_to_end(&mut bytes)?;
            match is(".class") {
                true => classes.push(CorpusClass { entry: entry_name, bytes }),
                false => nested.push((format!("{name}!{}", entry_name.replace('/', "_")), bytes)),
            }
        }
    }
    if !classes.is_empty() {
        each(Jar { name, classes })?;
    }
    for (name, bytes) in nested {
        read(name, Cursor::new(bytes), each)?;
    }
    Ok(())
}

/// Writes class files into a jar without compression.
pub fn write_jar<'a>(path: PathBuf, classes: impl Iterator<Item = (&'a str, &'a [u8])>) -> Result<PathBuf> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = std::io::BufWriter::new(File::create(&path).with_context(|| format!("create {}", path.display()))?);
    let mut zip = ZipWriter::new(file);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in classes {
        zip.start_file(name, options)?;
        std::io::Write::write_all(&mut zip, bytes)?;
    }
    zip.finish()?;
    Ok(path)
}
