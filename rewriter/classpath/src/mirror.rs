//! The cache of rewritten jars: a directory for each combination of inputs, configuration and version. It has the rewritten
//! jars under the same relative paths as their originals in the file system.
//!
//! A rewritten `/opt/acme/lib/a.jar` is `root/opt/acme/lib/a.jar`. So a relative `Class-Path` in its manifest leads to the
//! neighbour in the mirror: the rewritten jar, or a link to the original. `-jar` keeps working, and no manifest has to change
//! (`docs/decisions/0015-run-mirrors-the-class-path.md`). Jars that neither match nor lead to a match are not in the mirror.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;
use weighbridge_config::Config;
use weighbridge_ending::{Failure, Progress};
use weighbridge_rewriter::instrument::{InstrumentOptions, InstrumentOutput, instrument};

/// The jars that the JVM uses instead of the originals.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Mirror {
    /// The paths in the mirror of all originals that are in it.
    moved: BTreeMap<PathBuf, PathBuf>,
    /// Classes that the configuration selects.
    pub(crate) matched: u64,
    /// Classes rewritten in all.
    pub(crate) classes: u64,
    /// What the rewriter warned of.
    pub(crate) warnings: Vec<String>,
    /// The agent's jar.
    pub(crate) runtime: PathBuf,
    root: PathBuf,
}

/// File name of a [`Mirror`] in its directory; written last, so a directory without it is no mirror.
const INDEX: &str = "mirror.json";

impl Mirror {
    /// The path of a jar or directory in the mirror; `None` if the JVM uses the original.
    pub(crate) fn mirrored(&self, original: &Path) -> Option<&Path> {
        self.moved.get(original).map(PathBuf::as_path)
    }

    /// The path of a directory in the mirror. It holds only what the mirror has of the original.
    pub(crate) fn folder(&self, original: &Path) -> PathBuf {
        path_in_mirror(&self.root, original)
    }

    /// The mirror for some archives and the targets of their `Class-Path`, from the cache or made now.
    pub(crate) fn find_or_make<P: Progress>(
        archives: &BTreeMap<PathBuf, Vec<PathBuf>>,
        config: &Config,
        begin_progress: impl FnOnce() -> P,
    ) -> Result<Mirror, Failure> {
        let cache = cache_folder()?;
        let name = digest(archives.keys(), config)?;
        let folder = cache.join(&name);
        if let Some(known) = fs::read(folder.join(INDEX)).ok().and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(known);
        }
        let cannot = || format!("{}: the cache cannot be written", cache.display());
        fs::create_dir_all(&cache).with_context(cannot)?;
        // Made in a temporary directory and renamed, so that two runs at once do not write the same files.
        let work = tempfile::Builder::new().prefix(".making-").tempdir_in(&cache).with_context(cannot)?;
        let mirror = make(archives, config, (work.path(), &folder), begin_progress)?;
        let index = serde_json::to_vec(&mirror).map_err(io::Error::from).with_context(cannot)?;
        fs::write(work.path().join(INDEX), index).with_context(cannot)?;
        if fs::rename(work.path(), &folder).is_err() {
            // Another run was faster: the same inputs gave the same bytes.
            if folder.join(INDEX).is_file() {
                return Ok(mirror);
            }
            // The rest of an interrupted run of an older version.
            fs::remove_dir_all(&folder).with_context(cannot)?;
            fs::rename(work.path(), &folder).with_context(cannot)?;
        }
        // Renamed away: nothing is left to remove.
        let _ = work.keep();
        Ok(mirror)
    }
}

/// `$XDG_CACHE_HOME/weighbridge`, else `~/.cache/weighbridge` (XDG Base Directory Specification).
fn cache_folder() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let base = base.ok_or_else(|| Failure::input("no folder for a cache: set XDG_CACHE_HOME or HOME"))?;
    Ok(base.join("weighbridge"))
}

/// A digest of everything that decides the mirror's content: version, runtime, configuration, paths, bytes.
fn digest<'a>(archives: impl Iterator<Item = &'a PathBuf>, config: &Config) -> anyhow::Result<String> {
    let mut all = Sha256::new();
    let mut part = |bytes: &[u8]| {
        all.update((bytes.len() as u64).to_le_bytes());
        all.update(bytes);
    };
    part(env!("CARGO_PKG_VERSION").as_bytes());
    part(weighbridge_runtime::RUNTIME_JAR);
    part(weighbridge_runtime::BRIDGE_TEMPLATE);
    part(config.digest().as_bytes());
    for archive in archives {
        for entry in WalkDir::new(archive).follow_links(true).sort_by_file_name() {
            let entry = entry.with_context(|| format!("{}: cannot be read", archive.display()))?;
            part(entry.path().as_os_str().as_encoded_bytes());
            if entry.file_type().is_file() {
                part(&of_file(entry.path()).with_context(|| format!("{}: cannot be read", entry.path().display()))?);
            }
        }
    }
    Ok(hex::encode(all.finalize()))
}

fn of_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut hash = Sha256::new();
    let mut file = fs::File::open(path)?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match io::Read::read(&mut file, &mut buffer)? {
            0 => return Ok(hash.finalize().to_vec()),
            n => hash.update(&buffer[..n]),
        }
    }
}

fn make<P: Progress>(
    archives: &BTreeMap<PathBuf, Vec<PathBuf>>,
    config: &Config,
    (work, finally): (&Path, &Path),
    begin_progress: impl FnOnce() -> P,
) -> Result<Mirror, Failure> {
    let cannot = || format!("{}: the cache cannot be written", work.display());
    let runtime = "weighbridge-runtime.jar";
    fs::write(work.join(runtime), weighbridge_runtime::RUNTIME_JAR).with_context(cannot)?;
    let staged = stage(archives.keys(), &work.join("staged")).with_context(cannot)?;
    let output = work.join("rewritten");
    let inputs: Vec<PathBuf> = staged.iter().map(|(_, staged)| staged.clone()).collect();
    let summary = match inputs.is_empty() {
        true => Default::default(),
        false => instrument(
            &inputs,
            config,
            &InstrumentOptions::new(InstrumentOutput::Folder(output.clone())),
            &begin_progress(),
        )?,
    };

    let mut rewritten = HashMap::new();
    for ((original, _), jar) in staged.iter().zip(&summary.jars) {
        // A jar without a rewritten class may have lost its signature with another.
        if jar.changed {
            rewritten.insert(original.clone(), jar.output.clone());
        }
    }
    let mut moved = BTreeMap::new();
    for original in affected(archives, rewritten.keys()) {
        let path = path_in_mirror(&work.join("root"), &original);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(cannot)?;
        }
        match rewritten.get(&original) {
            Some(output) => fs::rename(output, &path).with_context(cannot)?,
            None => link(&original, &path).with_context(cannot)?,
        }
        moved.insert(original.clone(), path_in_mirror(&finally.join("root"), &original));
    }
    for leftover in ["staged", "rewritten"] {
        match fs::remove_dir_all(work.join(leftover)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(anyhow!(e).context(cannot()).into()),
            _ => {}
        }
    }
    Ok(Mirror {
        moved,
        matched: summary.total.classes_matched,
        classes: summary.total.classes_rewritten,
        warnings: summary.all_warnings(),
        runtime: finally.join(runtime),
        root: finally.join("root"),
    })
}

/// Gives each input a file name of its own: the rewriter's output directory has one level.
fn stage<'a>(inputs: impl Iterator<Item = &'a PathBuf>, folder: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let mut used = BTreeSet::new();
    let mut staged = Vec::new();
    for input in inputs {
        let name = PathBuf::from(input.file_name().unwrap_or(input.as_os_str()));
        if used.insert(name.clone()) {
            staged.push((input.clone(), input.clone()));
            continue;
        }
        let stem = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let extension = name.extension().map_or_else(String::new, |e| format!(".{}", e.to_string_lossy()));
        let unique =
            (2..).map(|n| PathBuf::from(format!("{stem}-{n}{extension}"))).find(|name| used.insert(name.clone()));
        let path = folder.join(unique.unwrap_or(name));
        fs::create_dir_all(folder)?;
        link(input, &path)?;
        staged.push((input.clone(), path));
    }
    Ok(staged)
}

/// The archives that have to be in the mirror: rewritten ones, archives whose `Class-Path` leads to one of these, and the
/// targets of the `Class-Path` of each archive in the mirror.
fn affected<'a>(
    archives: &BTreeMap<PathBuf, Vec<PathBuf>>,
    rewritten: impl Iterator<Item = &'a PathBuf>,
) -> BTreeSet<PathBuf> {
    let mut affected: BTreeSet<PathBuf> = rewritten.cloned().collect();
    loop {
        let before = affected.len();
        for (archive, targets) in archives {
            if affected.contains(archive) || targets.iter().any(|target| affected.contains(target)) {
                affected.insert(archive.clone());
                affected.extend(targets.iter().cloned());
            }
        }
        if affected.len() == before {
            return affected;
        }
    }
}

fn path_in_mirror(root: &Path, original: &Path) -> PathBuf {
    let below = original.components().filter(|component| matches!(component, Component::Normal(_)));
    root.join(below.collect::<PathBuf>())
}

/// Links the original to another path. A jar needs a hard link: the JVM resolves symbolic links on its class path
/// (`jdk.internal.loader.ClassLoaders.toFileURL`, `toRealPath`), and the jar's `Class-Path` is relative to their target.
/// Directories have no `Class-Path`.
fn link(original: &Path, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if original.is_dir() {
        return std::os::unix::fs::symlink(original, path);
    }
    // A hard link to another file system, or to a file of another user, may not be possible.
    fs::hard_link(original, path).or_else(|_| fs::copy(original, path).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn the_mirror_has_the_jars_that_a_rewritten_jar_leads_to_and_those_that_lead_to_it() {
        let archives = BTreeMap::from([
            (PathBuf::from("/app.jar"), paths(&["/lib/a.jar", "/lib/b.jar"])),
            (PathBuf::from("/lib/a.jar"), paths(&["/lib/c.jar"])),
            (PathBuf::from("/lib/b.jar"), paths(&[])),
            (PathBuf::from("/lib/c.jar"), paths(&[])),
            (PathBuf::from("/other.jar"), paths(&[])),
        ]);
        let moved = affected(&archives, paths(&["/lib/c.jar"]).iter());
        assert_eq!(Vec::from_iter(moved), paths(&["/app.jar", "/lib/a.jar", "/lib/b.jar", "/lib/c.jar"]));
        assert_eq!(Vec::from_iter(affected(&archives, paths(&["/other.jar"]).iter())), paths(&["/other.jar"]));
    }

    #[test]
    fn the_mirror_keeps_relative_paths() {
        assert_eq!(
            path_in_mirror(Path::new("/c/root"), Path::new("/opt/lib/a.jar")),
            Path::new("/c/root/opt/lib/a.jar")
        );
    }

    #[test]
    fn inputs_of_the_same_name_get_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = ["x/a.jar", "y/a.jar", "z/a-2.jar", "z/classes"].map(|name| folder.path().join(name));
        for input in &inputs {
            fs::create_dir_all(input.parent().unwrap()).unwrap();
            fs::write(input, input.to_str().unwrap()).unwrap();
        }
        let staged = stage(inputs.iter(), &folder.path().join("staged")).unwrap();
        let names: Vec<_> = staged.iter().filter_map(|(_, staged)| staged.file_name()).collect();
        assert_eq!(names, ["a.jar", "a-2.jar", "a-2-2.jar", "classes"]);
        assert!(staged.iter().all(|(input, staged)| fs::read(input).unwrap() == fs::read(staged).unwrap()));
    }
}
