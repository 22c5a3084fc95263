//! The package of Debian and what descends from it, by Debian's own `dpkg-deb`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use anyhow::{Context, Result};

use super::archive::{PackageFile, TIME};
use super::release::{LICENSE, Release, SUMMARY};
use crate::corpus::fetch::succeed;

/// Its name and bytes. Needs `dpkg-deb`.
pub fn pack(release: &Release) -> Result<(String, Vec<u8>)> {
    let name = format!("weighbridge_{}_{}.deb", release.version, release.platform.debian());
    let mut items = release.tree("vendor-completions", true)?;
    items.push(PackageFile::text("share/doc/weighbridge/copyright", copyright(release).into_bytes()));
    let notices = release.licenses.iter().find(|(name, _)| *name == "THIRD-PARTY.txt");
    let (notices, text) = notices.context("the notices")?;
    items.push(PackageFile::text(format!("share/doc/weighbridge/{notices}.gz"), super::archive::gz(text)?));
    let size: usize = items.iter().map(|item| item.bytes.len().div_ceil(1024)).sum();

    let folder = tempfile::tempdir()?;
    let root = folder.path().join("root");
    let control = PackageFile::text("DEBIAN/control", control(release, size).into_bytes());
    for item in
        items.iter().map(|item| (root.join("usr").join(&item.path), item)).chain([(root.join(&control.path), &control)])
    {
        let (path, item) = item;
        fs::create_dir_all(path.parent().unwrap_or(&root))?;
        fs::write(&path, &item.bytes)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(item.mode()))?;
    }
    // Whatever the umask is.
    for entry in walkdir::WalkDir::new(&root) {
        let entry = entry?;
        if entry.file_type().is_dir() {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755))?;
        }
    }
    let package = folder.path().join(&name);
    // Times that are later are set to this one.
    let mut command = Command::new("dpkg-deb");
    command.env("SOURCE_DATE_EPOCH", TIME.to_string());
    command.args(["--root-owner-group", "-Zgzip", &format!("-z{}", release.level), "--build"]);
    succeed(command.arg(&root).arg(&package))?;
    Ok((name, fs::read(package)?))
}

/// The control file (Debian Policy 5.3). `size`: in KiB.
fn control(release: &Release, size: usize) -> String {
    let depends = match release.platform.program {
        Some(glibc) => format!("Depends: libc6 (>= {}), libgcc-s1\n", glibc.max(release.platform.agent)),
        None => String::new(),
    };
    format!(
        "Package: weighbridge\nVersion: {}\nArchitecture: {}\nMaintainer: The Weighbridge authors <authors@weighbridge.invalid>\n\
         Installed-Size: {size}\n{depends}Section: java\nPriority: optional\nDescription: {SUMMARY}\n \
         Counts the objects of your classes, what they keep alive, and which component\n holds them, in a JVM that runs, \
         in a build, or in a heap dump.\n",
        release.version,
        release.platform.debian(),
    )
}

/// The licenses, as DEP 5 wants them to be written.
fn copyright(release: &Release) -> String {
    let text = |name: &str| {
        let bytes = release.licenses.iter().find(|license| license.0 == name).map_or(&[][..], |license| &license.1[..]);
        let lines = String::from_utf8_lossy(bytes);
        lines
            .lines()
            .map(|line| if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
            .collect::<String>()
    };
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: weighbridge\n\
         Comment: THIRD-PARTY.txt.gz beside this file has the notices of what is in the binary.\n\n\
         Files: *\nCopyright: The Weighbridge authors\nLicense: {}\n\nLicense: MIT\n{}\nLicense: Apache-2.0\n{}",
        LICENSE.replace(" OR ", " or "),
        text("LICENSE-MIT"),
        text("LICENSE-APACHE"),
    )
}
