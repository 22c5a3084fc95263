//! The packages for npm: one for each platform, and a small one that depends on all of them and starts the one that npm
//! has installed, as those of esbuild and Biome do.

use anyhow::Result;
use serde_json::{Value, json};

use super::archive::{PackageFile, tar_gz};
use super::platform::PROCESSORS;
use super::release::{LICENSE, Release, SUMMARY};

/// What `weighbridge` runs in the main package.
const START: &str = include_str!("npm-start.js");

/// The package of this platform: its name and bytes.
pub fn pack_platform(release: &Release) -> Result<(String, Vec<u8>)> {
    let name = package_of(release.platform.npm());
    let about = json!({
        "name": name,
        "version": release.version,
        "description": format!("weighbridge for {}", release.platform.plain()),
        "license": LICENSE,
        "os": ["linux"],
        "cpu": [release.platform.npm()],
        // The agent's, whatever the program is linked with.
        "libc": ["glibc"],
    });
    let mut items = with_licenses(release, &about)?;
    items.push(PackageFile::program("package/bin/weighbridge", &release.binary));
    Ok((file_name(&name, &release.version), tar_gz(items, release.level)?))
}

/// The main package: its name and bytes, which are the same on all platforms.
pub fn pack_main(release: &Release) -> Result<(String, Vec<u8>)> {
    let platforms: serde_json::Map<String, Value> =
        PROCESSORS.iter().map(|(_, cpu)| (package_of(cpu), json!(release.version))).collect();
    let about = json!({
        "name": "weighbridge",
        "version": release.version,
        "description": SUMMARY,
        "keywords": ["java", "jvm", "memory", "heap", "leak", "profiler"],
        "license": LICENSE,
        "bin": { "weighbridge": "bin/weighbridge.js" },
        "engines": { "node": ">=18" },
        "optionalDependencies": platforms,
    });
    let mut items = with_licenses(release, &about)?;
    items.push(PackageFile::program("package/bin/weighbridge.js", START.as_bytes()));
    items.push(PackageFile::text("package/README.md", &release.readme[..]));
    Ok((file_name("weighbridge", &release.version), tar_gz(items, release.level)?))
}

fn package_of(cpu: &str) -> String {
    format!("@weighbridge/linux-{cpu}")
}

fn with_licenses<'a>(release: &'a Release, about: &Value) -> Result<Vec<PackageFile<'a>>> {
    let mut items = vec![PackageFile::text("package/package.json", serde_json::to_string_pretty(about)?.into_bytes())];
    items.extend(release.licenses.iter().map(|(name, text)| PackageFile::text(format!("package/{name}"), &text[..])));
    Ok(items)
}

/// What `npm pack` calls it.
fn file_name(package: &str, version: &str) -> String {
    format!("{}-{version}.tgz", package.trim_start_matches('@').replace('/', "-"))
}
