//! The wheel for PyPI (PEP 427): the binary in the folder of scripts, as maturin does with `bindings = "bin"`.

use std::fmt::Write;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::archive::{PackageFile, zip};
use super::release::{LICENSE, Release, SUMMARY};

/// Its name and bytes.
pub fn pack(release: &Release) -> Result<(String, Vec<u8>)> {
    let (version, platform) = (&release.version, release.platform.wheel());
    let about = format!("weighbridge-{version}.dist-info");
    let mut items =
        vec![PackageFile::program(format!("weighbridge-{version}.data/scripts/weighbridge"), &release.binary)];
    let mut metadata = format!(
        "Metadata-Version: 2.4\nName: weighbridge\nVersion: {version}\nSummary: {SUMMARY}\n\
         Keywords: java,jvm,memory,heap,leak,profiler\nLicense-Expression: {LICENSE}\n"
    );
    for (name, text) in &release.licenses {
        writeln!(metadata, "License-File: {name}")?;
        items.push(PackageFile::text(format!("{about}/licenses/{name}"), &text[..]));
    }
    metadata += "Description-Content-Type: text/markdown\n\n";
    metadata += &String::from_utf8_lossy(&release.readme);
    items.push(PackageFile::text(format!("{about}/METADATA"), metadata.into_bytes()));
    let mut wheel = String::from("Wheel-Version: 1.0\nGenerator: weighbridge xtask\nRoot-Is-Purelib: false\n");
    for tag in platform.split('.') {
        writeln!(wheel, "Tag: py3-none-{tag}")?;
    }
    items.push(PackageFile::text(format!("{about}/WHEEL"), wheel.into_bytes()));
    let mut record = String::new();
    for item in &items {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&item.bytes));
        writeln!(record, "{},sha256={digest},{}", item.path, item.bytes.len())?;
    }
    writeln!(record, "{about}/RECORD,,")?;
    items.push(PackageFile::text(format!("{about}/RECORD"), record.into_bytes()));
    Ok((format!("weighbridge-{version}-py3-none-{platform}.whl"), zip(&items, release.level)?))
}
