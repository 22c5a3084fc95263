//! The archive for every machine: unpacked into `/usr/local` or `~/.local`, it is installed.

use anyhow::Result;

use super::archive::{PackageFile, tar_gz};
use super::release::Release;

/// Its name and bytes. All is below one folder of the same name.
pub fn pack(release: &Release) -> Result<(String, Vec<u8>)> {
    let folder = format!("weighbridge-{}-{}", release.version, release.platform.plain());
    let mut items = release.tree("site-functions", false)?;
    items.push(PackageFile::text("share/doc/weighbridge/README.md", &release.readme[..]));
    items.extend(
        release
            .licenses
            .iter()
            .map(|(name, text)| PackageFile::text(format!("share/doc/weighbridge/{name}"), &text[..])),
    );
    for item in &mut items {
        item.path = format!("{folder}/{}", item.path);
    }
    Ok((format!("{folder}.tar.gz"), tar_gz(items, release.level)?))
}
