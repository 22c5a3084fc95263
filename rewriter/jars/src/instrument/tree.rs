//! An archive or a folder with classes, behind one interface.

use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::paths::FOLDER_MARK;
use crate::error::{Error, JarErrorKind, Result};
use crate::jar::{Archive, ByteSource, InflateBudget};

/// An opened input or nested archive.
#[derive(Debug)]
pub(crate) enum InputTree {
    Archive(Archive),
    Folder(Folder),
}

/// A folder of classes, with its files in the order of their names.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) root: PathBuf,
    pub(crate) items: Vec<FolderItem>,
}

/// A file, folder or link in a [`Folder`].
#[derive(Debug)]
pub(crate) struct FolderItem {
    /// Path from the root.
    pub(crate) path: PathBuf,
    /// The same with `/`, as the name of an archive entry would be.
    name: String,
    pub(crate) kind: ItemKind,
}

#[derive(Debug)]
pub(crate) enum ItemKind {
    File {
        length: u64,
    },
    Folder,
    /// A symbolic link and its target. Links are not followed: a target inside the tree is an item itself.
    Link(PathBuf),
}

impl InputTree {
    pub(crate) fn open(path: &Path) -> Result<InputTree> {
        if path.is_dir() {
            return Folder::read(path).map(InputTree::Folder);
        }
        ByteSource::open(path).and_then(Archive::open).map(InputTree::Archive)
    }

    /// Number of entries; they are numbered from 0.
    pub(crate) fn len(&self) -> usize {
        match self {
            InputTree::Archive(archive) => archive.len(),
            InputTree::Folder(folder) => folder.items.len(),
        }
    }

    /// Path of an entry with `/`; not necessarily UTF-8.
    pub(crate) fn name(&self, index: usize) -> &[u8] {
        match self {
            InputTree::Archive(archive) => archive.name(index),
            InputTree::Folder(folder) => folder.items[index].name.as_bytes(),
        }
    }

    /// True for an entry that can be a class or an archive.
    pub(crate) fn is_file(&self, index: usize) -> bool {
        match self {
            InputTree::Archive(archive) => !archive.name(index).ends_with(b"/"),
            InputTree::Folder(folder) => matches!(folder.items[index].kind, ItemKind::File { .. }),
        }
    }

    /// What identifies the content of an entry without reading it: CRC and length, or the length alone.
    pub(crate) fn fingerprint(&self, index: usize) -> (u32, u64) {
        match self {
            InputTree::Archive(archive) => {
                let entry = archive.entry(index);
                (entry.crc(), entry.uncompressed_size())
            }
            InputTree::Folder(folder) => match folder.items[index].kind {
                ItemKind::File { length } => (0, length),
                _ => (0, 0),
            },
        }
    }

    pub(crate) fn content(&self, index: usize, budget: &InflateBudget) -> Result<Vec<u8>> {
        match self {
            InputTree::Archive(archive) => archive.content(index, budget),
            InputTree::Folder(folder) => folder.content(index),
        }
    }

    /// The content of an entry as an archive of its own.
    pub(crate) fn nested(&self, index: usize, budget: &InflateBudget) -> Result<ByteSource> {
        match self {
            InputTree::Archive(archive) => archive.nested(index, budget),
            InputTree::Folder(folder) => ByteSource::open(&folder.root.join(&folder.items[index].path)),
        }
    }

    /// Bytes of the archive, or of all files of the folder.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            InputTree::Archive(archive) => archive.source().len(),
            InputTree::Folder(folder) => (0..folder.items.len()).map(|index| self.fingerprint(index).1).sum(),
        }
    }
}

impl Folder {
    fn read(root: &Path) -> Result<Folder> {
        let mut items = Vec::new();
        for found in WalkDir::new(root).min_depth(1).sort_by_file_name() {
            let found = found.map_err(|error| Error::new(JarErrorKind::Io, "cannot be walked").because(error))?;
            let unreadable = |error: std::io::Error| Error::new(JarErrorKind::Io, "cannot be read").because(error);
            let path = found.path().strip_prefix(root).unwrap_or(found.path()).to_path_buf();
            let name = path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            if name == FOLDER_MARK {
                continue;
            }
            let kind = if found.file_type().is_dir() {
                ItemKind::Folder
            } else if found.file_type().is_symlink() {
                ItemKind::Link(fs::read_link(found.path()).map_err(unreadable)?)
            } else if found.file_type().is_file() {
                let metadata = found.metadata().map_err(|error| unreadable(error.into()))?;
                ItemKind::File { length: metadata.len() }
            } else {
                return Err(Error::new(JarErrorKind::Io, "is neither file, folder nor link").in_location(&name));
            };
            items.push(FolderItem { path, name, kind });
        }
        Ok(Folder { root: root.to_path_buf(), items })
    }

    fn content(&self, index: usize) -> Result<Vec<u8>> {
        let item = &self.items[index];
        fs::read(self.root.join(&item.path))
            .map_err(|error| Error::new(JarErrorKind::Io, "cannot be read").because(error).in_location(&item.name))
    }
}
