//! Archives whose bytes depend only on what is in them.

use std::borrow::Cow;
use std::io::{Cursor, Write};

use anyhow::Result;
use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The time of every file in a package, in seconds since 1970: the first of 1980, the earliest that a zip can have.
pub const TIME: u64 = 315_532_800;

/// A file of an archive.
pub struct PackageFile<'a> {
    /// Its path, with `/`.
    pub path: String,
    /// Whether it is a program.
    pub is_program: bool,
    /// What is in it.
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> PackageFile<'a> {
    /// A file that is read.
    pub fn text(path: impl Into<String>, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        PackageFile { path: path.into(), is_program: false, bytes: bytes.into() }
    }

    /// A file that is run.
    pub fn program(path: impl Into<String>, bytes: &'a [u8]) -> Self {
        PackageFile { path: path.into(), is_program: true, bytes: bytes.into() }
    }

    /// Its permissions.
    pub fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// A compressed tar archive, in the order of paths.
pub fn tar_gz(mut items: Vec<PackageFile<'_>>, level: u32) -> Result<Vec<u8>> {
    items.sort_by(|a, b| a.path.cmp(&b.path));
    let compressed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::new(level));
    let mut archive = tar::Builder::new(compressed);
    for item in &items {
        let mut header = tar::Header::new_gnu();
        header.set_size(item.bytes.len() as u64);
        header.set_mode(item.mode());
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, &item.path, &*item.bytes)?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// A compressed file without a name and a time.
pub fn gz(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut compressed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    compressed.write_all(bytes)?;
    Ok(compressed.finish()?)
}

/// A zip archive, in the order given.
pub fn zip(items: &[PackageFile<'_>], level: u32) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for item in items {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(level.into()))
            .last_modified_time(DateTime::default())
            .unix_permissions(item.mode());
        archive.start_file(&*item.path, options)?;
        archive.write_all(&item.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_files_does_not_matter_and_the_bytes_are_the_same_each_time() {
        let (a, b) = (|| PackageFile::text("a", &b"first"[..]), || PackageFile::program("b/c", b"second"));
        let one = tar_gz(vec![a(), b()], 6).expect("an archive");
        assert_eq!(one, tar_gz(vec![b(), a()], 6).expect("an archive"));
        let mut read = tar::Archive::new(flate2::read::GzDecoder::new(&one[..]));
        let entries = read.entries().expect("entries").map(|entry| {
            let entry = entry.expect("an entry");
            let header = entry.header();
            let path = entry.path().expect("a path").display().to_string();
            (path, header.mode().expect("a mode"), header.mtime().expect("a time"))
        });
        assert_eq!(entries.collect::<Vec<_>>(), [("a".into(), 0o644, TIME), ("b/c".into(), 0o755, TIME)]);
        assert_eq!(zip(&[a(), b()], 6).expect("an archive"), zip(&[a(), b()], 6).expect("an archive"));
    }
}
