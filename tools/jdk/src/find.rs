//! Finds Java: `JAVA_HOME`, the `PATH`, and the folders that distributions use.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The environment variable that adds Java homes to those that tests use (separated like `PATH`).
pub const TEST_JDKS: &str = "WEIGHBRIDGE_TEST_JDKS";

/// A Java installation: a JDK, or a runtime image without a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// The folder that holds `bin/java`, symbolic links resolved.
    pub home: PathBuf,
    /// The feature version: 11, 17, 21, 25.
    pub major: u32,
    /// The whole version, such as `17.0.15`.
    pub version: String,
}

impl Jdk {
    /// The launcher, `bin/java`.
    pub fn java(&self) -> PathBuf {
        self.tool("java")
    }

    /// Whether the installation has a compiler.
    pub fn has_javac(&self) -> bool {
        self.tool("javac").is_file()
    }

    /// A tool of the installation by name, whether or not it is there.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}

/// Every Java installation of this machine, each once: `JAVA_HOME`, then the `PATH`, then the usual folders by descending
/// version.
pub fn find() -> Vec<Jdk> {
    let mut preferred = Vec::new();
    if let Some(home) = env::var_os("JAVA_HOME") {
        preferred.extend(find_at(Path::new(&home)));
    }
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        let launcher = folder.join(format!("java{}", env::consts::EXE_SUFFIX));
        if let Some(bin) = fs::canonicalize(launcher).ok().as_deref().and_then(Path::parent) {
            preferred.extend(bin.parent().and_then(find_at));
        }
    }
    let mut usual: Vec<Jdk> = usual_folders().iter().filter_map(|home| find_at(home)).collect();
    usual.sort_by(|a, b| b.major.cmp(&a.major).then_with(|| a.home.cmp(&b.home)));
    let mut all: Vec<Jdk> = Vec::new();
    for jdk in preferred.into_iter().chain(usual) {
        if !all.iter().any(|known| known.home == jdk.home) {
            all.push(jdk);
        }
    }
    all
}

/// One installation per feature version, ascending. Those of [`TEST_JDKS`] take precedence over those that [`find`] finds.
pub fn for_tests() -> Vec<Jdk> {
    let listed = env::var_os(TEST_JDKS).unwrap_or_default();
    let named = env::split_paths(&listed).filter_map(|home| find_at(&home));
    let mut chosen: Vec<Jdk> = Vec::new();
    for jdk in named.chain(find()) {
        if !chosen.iter().any(|known| known.major == jdk.major) {
            chosen.push(jdk);
        }
    }
    chosen.sort_by_key(|jdk| jdk.major);
    chosen
}

/// The installation at a Java home; `None` if there is no launcher or no version.
pub fn find_at(home: &Path) -> Option<Jdk> {
    let home = fs::canonicalize(home).ok()?;
    let launcher = home.join("bin").join(format!("java{}", env::consts::EXE_SUFFIX));
    if !launcher.is_file() {
        return None;
    }
    let version = version_in_release_file(&home).or_else(|| version_of_launcher(&launcher))?;
    Some(Jdk { major: feature_version(&version)?, version, home })
}

fn version_in_release_file(home: &Path) -> Option<String> {
    let text = fs::read_to_string(home.join("release")).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(value.trim_matches('"').to_owned())
}

/// The first quoted word of `java -version`, as in `openjdk version "17.0.15" 2025-04-15`.
fn version_of_launcher(launcher: &Path) -> Option<String> {
    let output = Command::new(launcher).arg("-version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.split('"').nth(1).map(str::to_owned)
}

/// The feature version of `17.0.15`, `1.8.0_402` (8) or `25-ea`.
fn feature_version(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        major => Some(major),
    }
}

fn usual_folders() -> Vec<PathBuf> {
    let mut parents = vec![
        PathBuf::from("/usr/lib/jvm"),
        PathBuf::from("/usr/java"),
        PathBuf::from("/opt/java"),
        PathBuf::from("/Library/Java/JavaVirtualMachines"),
    ];
    if let Some(home) = env::var_os("HOME").map(PathBuf::from) {
        parents.push(home.join(".sdkman/candidates/java"));
        parents.push(home.join(".jdks"));
    }
    let mut homes = Vec::new();
    for parent in parents {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        for entry in entries.flatten() {
            homes.push(entry.path());
            homes.push(entry.path().join("Contents/Home"));
        }
    }
    homes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feature_version_is_the_second_number_before_java_9() {
        assert_eq!(feature_version("1.8.0_402"), Some(8));
        assert_eq!(feature_version("17.0.15"), Some(17));
        assert_eq!(feature_version("25-ea"), Some(25));
        assert_eq!(feature_version("weird"), None);
    }

    #[test]
    fn a_folder_without_a_launcher_is_no_installation() {
        assert_eq!(find_at(Path::new(env!("CARGO_MANIFEST_DIR"))), None);
    }
}
