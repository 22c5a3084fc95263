//! `cargo xtask dist`: what a release consists of, for one platform (docs/release.md).

mod archive;
mod build;
mod deb;
mod maven;
mod needs;
mod npm;
mod platform;
mod release;
mod sbom;
mod tarball;
mod wheel;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::corpus::fetch::target_folder;
use release::Release;

/// What to pack, and where to.
pub struct DistOptions {
    /// A binary that is built already; `None` builds one.
    pub binary: Option<PathBuf>,
    /// The folder; `None`: `target/dist/VERSION`.
    pub dest: Option<PathBuf>,
    /// How hard to compress: 1 to 9.
    pub level: u32,
}

/// Builds all packages into the folder. What is there of other platforms stays, and is in the checksums again.
///
/// Returns what was made, as text for a terminal.
///
/// # Errors
/// The binary cannot be built, does not run here, or needs what not every machine has; a file cannot be written.
pub fn run(options: &DistOptions) -> Result<String> {
    let built = match &options.binary {
        Some(binary) => binary.clone(),
        None => build::portable()?,
    };
    let release = Release::from_binary(&built, options.level)?;
    let dest = match &options.dest {
        Some(dest) => dest.clone(),
        None => target_folder().join("dist").join(&release.version),
    };
    let mut files = vec![
        tarball::pack(&release)?,
        wheel::pack(&release)?,
        npm::pack_platform(&release)?,
        npm::pack_main(&release)?,
        (format!("weighbridge-runtime-{}.jar", release.version), weighbridge_runtime::RUNTIME_JAR.to_vec()),
        (format!("weighbridge-{}.cdx.json", release.version), sbom::text(&release.version)?.into_bytes()),
    ];
    let mut said = String::new();
    match build::has("dpkg-deb") {
        true => files.push(deb::pack(&release)?),
        false => said += "No .deb: there is no dpkg-deb here.\n",
    }
    files.extend(maven::pack(&release).into_iter().map(|(path, bytes)| (format!("maven/{path}"), bytes)));
    for (path, bytes) in &files {
        write(&dest.join(path), bytes)?;
    }
    write(&dest.join("SHA256SUMS"), checksums(&dest)?.as_bytes())?;
    let platform = release.platform;
    let program = match platform.program {
        Some(glibc) => format!("needs glibc {glibc}"),
        None => "is static".to_owned(),
    };
    said += &format!("{}: the binary {program}, its agent glibc {}.\n", platform.plain(), platform.agent);
    for (path, bytes) in files.iter().filter(|(path, _)| !path.ends_with(".sha1") && !path.ends_with(".sha256")) {
        said += &format!("{:>13} bytes  {path}\n", bytes.len());
    }
    Ok(said + &format!("in {}\n", dest.display()))
}

/// Writes a file whole; replaces what is there.
fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    let folder = file.parent().context("a file in a folder")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut unready = tempfile::NamedTempFile::new_in(folder)?;
    unready.write_all(bytes).with_context(|| file.display().to_string())?;
    #[cfg(unix)]
    fs::set_permissions(unready.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    unready.persist(file).with_context(|| file.display().to_string())?;
    Ok(())
}

/// The checksums of all files, as `sha256sum --check` reads them.
fn checksums(folder: &Path) -> Result<String> {
    let mut lines = String::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        let name = entry.path().strip_prefix(folder)?.display().to_string();
        if entry.file_type().is_file() && name != "SHA256SUMS" {
            lines += &format!("{}  {name}\n", hex::encode(Sha256::digest(fs::read(entry.path())?)));
        }
    }
    Ok(lines)
}
