//! Fetches jars by the ordinary clients of the registries, once per change of the list.

use super::list::{CorpusList, file_start, list};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;
use weighbridge_jdk::Jdk;

/// What an item consists of, on this machine.
#[derive(Clone, Debug)]
pub struct Material {
    /// The jars to rewrite.
    pub subjects: Vec<PathBuf>,
    /// The other jars of their class path.
    pub class_path: Vec<PathBuf>,
    /// Whether the classes are loaded into a JVM, which is false for those of a JDK.
    pub loads: bool,
}

/// The folder that keeps what was fetched, and the tools of the run.
#[derive(Debug)]
pub struct Cache {
    /// Where everything is.
    pub folder: PathBuf,
    /// The JDK that runs Java tools.
    pub jdk: Jdk,
    pub(super) list: CorpusList,
}

impl Cache {
    /// Opens the cache in the target folder.
    pub fn open(jdk: &Jdk) -> Result<Self> {
        let folder = std::path::absolute(target_folder().join("corpus"))?;
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        Ok(Cache { folder, jdk: jdk.clone(), list: list()? })
    }

    /// The jars of a tool named in the list.
    pub fn tool(&self, name: &str) -> Result<Vec<PathBuf>> {
        self.maven(self.list.tools.get(name).with_context(|| format!("no tool is named {name}"))?)
    }

    /// The jars of the coordinates and of their run-time dependencies.
    pub fn maven(&self, coordinates: &[String]) -> Result<Vec<PathBuf>> {
        let pom = pom(coordinates)?;
        let folder = self.folder.join("maven").join(file_start(&coordinates[0])?);
        self.once(&folder, &pom, |into| {
            let file = into.join("pom.xml");
            fs::write(&file, &pom)?;
            let mut maven = Command::new("mvn");
            maven.args(["-q", "-B", "-f"]).arg(&file).arg("dependency:copy-dependencies");
            maven.arg("-DincludeScope=runtime").arg(format!("-DoutputDirectory={}", into.display()));
            succeed(&mut maven)
        })?;
        jars_in(&folder, usize::MAX)
    }

    pub(super) fn pypi(&self, requirement: &str, jars: &str) -> Result<Vec<PathBuf>> {
        let folder = self.folder.join("pypi").join(requirement.replace("==", "-"));
        self.once(&folder, requirement, |into| {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d"])
                .arg(into)
                .arg(requirement);
            succeed(&mut pip)?;
            for entry in fs::read_dir(into)? {
                let file = entry?.path();
                if name(&file).ends_with(".tar.gz") {
                    succeed(Command::new("tar").arg("-xzf").arg(&file).arg("-C").arg(into))?;
                    fs::remove_file(&file)?;
                }
            }
            Ok(())
        })?;
        let unpacked = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).find(|path| path.is_dir());
        jars_in(&unpacked.with_context(|| format!("nothing unpacked in {}", folder.display()))?.join(jars), 1)
    }

    /// Fills a folder unless it was filled from the same input; runs that start together wait for the first.
    pub fn once(&self, folder: &Path, input: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        fs::create_dir_all(folder)?;
        // Not with_extension: it would take the last part of a version for an extension.
        let beside = |suffix: &str| folder.with_file_name(name(folder) + suffix);
        let lock = File::create(beside(".lock"))?;
        lock.lock()?;
        let stamp = beside(".stamp");
        if fs::read_to_string(&stamp).is_ok_and(|present| present == input) {
            return Ok(());
        }
        fs::remove_dir_all(folder)?;
        fs::create_dir_all(folder)?;
        eprintln!("fetching or making {}", name(folder));
        fill(folder).with_context(|| format!("fill {}", folder.display()))?;
        fs::write(&stamp, input)?;
        Ok(())
    }
}

/// The root of the checkout.
pub fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is in the checkout")
}

/// The folder of what is built.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from)
}

/// Runs a command; shows its output only if it fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("run {:?}", command.get_program()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&said))
}

/// The jars in a folder, in name order.
pub fn jars_in(folder: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let mut jars = Vec::new();
    for entry in WalkDir::new(folder).max_depth(depth).sort_by_file_name() {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "jar") {
            jars.push(entry.into_path());
        }
    }
    Ok(jars)
}

/// The file name as text.
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Paths joined as on a class path.
pub fn join<'a>(jars: impl IntoIterator<Item = &'a PathBuf>) -> Result<std::ffi::OsString> {
    Ok(std::env::join_paths(jars)?)
}

fn pom(coordinates: &[String]) -> Result<String> {
    let mut dependencies = String::new();
    for one in coordinates {
        let parts: Vec<&str> = one.split(':').collect();
        let ([group, artifact, version] | [group, artifact, version, _]) = parts[..] else {
            bail!("{one} is not group:artifact:version[:classifier]");
        };
        let classifier = parts.get(3).map_or_else(String::new, |c| format!("<classifier>{c}</classifier>"));
        dependencies += &format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>{classifier}</dependency>\n"
        );
    }
    Ok(format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>io.weighbridge</groupId>\
         <artifactId>corpus</artifactId><version>1</version><packaging>pom</packaging>\n\
         <dependencies>\n{dependencies}</dependencies>\n<build><pluginManagement><plugins><plugin>\
         <artifactId>maven-dependency-plugin</artifactId><version>3.8.1</version>\
         </plugin></plugins></pluginManagement></build></project>\n"
    ))
}
