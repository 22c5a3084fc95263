//! What all packages are made of: the binary, and what it says of itself.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::archive::PackageFile;
use super::needs;
use super::platform::Platform;
use crate::corpus::fetch::{checkout, succeed};

/// One line for the lists of packages.
pub const SUMMARY: &str = "Shows what the memory of a running Java program is used for";
/// What registries print as the license.
pub const LICENSE: &str = "MIT OR Apache-2.0";

/// A binary with all that goes into packages with it.
pub struct Release {
    /// The version of the workspace.
    pub version: String,
    /// Where the binary runs.
    pub platform: Platform,
    /// How hard to compress: 1 to 9.
    pub level: u32,
    /// The program.
    pub binary: Vec<u8>,
    /// The README, as Markdown.
    pub readme: Vec<u8>,
    /// Name and bytes of each license, and the notices of third parties.
    pub licenses: Vec<(&'static str, Vec<u8>)>,
    /// Scripts of bash, zsh and fish, in this order.
    pub completions: [Vec<u8>; 3],
    /// File name and text of each manual page.
    pub pages: Vec<(String, Vec<u8>)>,
}

impl Release {
    /// Asks the binary for its version, completions, manual pages and agents.
    ///
    /// # Errors
    /// It does not run here, is of another version than the checkout, or needs what not every machine has.
    pub fn from_binary(program: &Path, level: u32) -> Result<Release> {
        let binary = fs::read(program).with_context(|| program.display().to_string())?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let said = capture_output(program, &["--version"])?;
        let said = String::from_utf8_lossy(&said);
        if said.trim() != format!("weighbridge {version}") {
            bail!("{} says that it is `{}`; this checkout is {version}", program.display(), said.trim());
        }
        let folder = tempfile::tempdir()?;
        let dest = [OsStr::new("--dest"), folder.path().as_os_str()];
        succeed(Command::new(program).arg("agent").args(dest)).context("the agent in the binary")?;
        let agent = fs::read(folder.path().join("libweighbridge.so")).context("the agent")?;
        let platform = Platform::new(
            &needs::read_needs(&binary).with_context(|| program.display().to_string())?,
            &needs::read_needs(&agent).context("the agent in the binary")?,
        )?;
        let pages = folder.path().join("man");
        fs::create_dir(&pages)?;
        succeed(Command::new(program).args(["man", "--dest"]).arg(&pages))?;
        let mut named = Vec::new();
        for entry in fs::read_dir(&pages)? {
            let entry = entry?;
            named.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
        }
        named.sort();
        let of_checkout = |name: &str| fs::read(checkout().join(name)).with_context(|| name.to_owned());
        Ok(Release {
            version,
            platform,
            level,
            binary,
            readme: of_checkout("README.md")?,
            licenses: vec![
                ("LICENSE-APACHE", of_checkout("LICENSE-APACHE")?),
                ("LICENSE-MIT", of_checkout("LICENSE-MIT")?),
                ("THIRD-PARTY.txt", of_checkout("cli/third-party.txt")?),
            ],
            completions: [
                capture_output(program, &["completions", "bash"])?,
                capture_output(program, &["completions", "zsh"])?,
                capture_output(program, &["completions", "fish"])?,
            ],
            pages: named,
        })
    }

    /// The files below `/usr` or `/usr/local`. `zsh`: the folder below `share/zsh` with completions, which is another for
    /// packages of a distribution. Manual pages are compressed if `compress`, as Debian's policy asks (12.1).
    pub fn tree(&self, zsh: &str, compress: bool) -> Result<Vec<PackageFile<'_>>> {
        let [bash, zsh_script, fish] = &self.completions;
        let mut items = vec![
            PackageFile::program("bin/weighbridge", &self.binary),
            PackageFile::text("share/bash-completion/completions/weighbridge", &bash[..]),
            PackageFile::text(format!("share/zsh/{zsh}/_weighbridge"), &zsh_script[..]),
            PackageFile::text("share/fish/vendor_completions.d/weighbridge.fish", &fish[..]),
        ];
        for (name, text) in &self.pages {
            items.push(match compress {
                false => PackageFile::text(format!("share/man/man1/{name}"), &text[..]),
                true => PackageFile::text(format!("share/man/man1/{name}.gz"), super::archive::gz(text)?),
            });
        }
        Ok(items)
    }
}

/// What the binary prints.
fn capture_output(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut command = Command::new(program);
    let output = command.args(arguments).output().with_context(|| {
        format!("{}: does not run here; packages of another machine are made on such a machine", program.display())
    })?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}
