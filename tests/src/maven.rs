//! Builds of `samples/maven-multi-module` with the Maven plugin of this checkout.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

use serde_json::Value;
use tempfile::TempDir;

use crate::jvm::SHORT_RUN;
use crate::{Output, cache, copy, root, run};

/// Where the tests' Maven keeps artifacts of a group and name.
pub fn local(group: &str, name: &str) -> PathBuf {
    Repository::folder().join("repository").join(group.replace('.', "/")).join(name)
}

/// Builds modules of this checkout into a Maven repository.
pub fn deploy(modules: &str, repository: &Path, arguments: &[&str]) {
    let _building = BUILDING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let _lock = Repository::settings();
    let mut maven = Repository::maven();
    maven
        .arg("--file")
        .arg(root().join("pom.xml"))
        .args(["--projects", modules, "deploy", "-Dmaven.install.skip"])
        .args(arguments);
    let output = run(maven.arg(format!("-DaltDeploymentRepository=tests::file://{}", repository.display())));
    assert!(output.success(), "{modules} cannot be built:\n{output}");
}

/// Writes a binary into a Maven repository as the artifact that the plugins of builds resolve on this machine.
pub fn publish_binary(binary: &str, version: &str, repository: &Path) {
    let os = if cfg!(target_os = "macos") { "osx" } else { std::env::consts::OS };
    let processor = if cfg!(target_arch = "aarch64") { "aarch_64" } else { std::env::consts::ARCH };
    let folder = repository.join("io/weighbridge/weighbridge-cli").join(version);
    fs::create_dir_all(&folder).expect("a folder of the repository");
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>io.weighbridge</groupId><artifactId>weighbridge-cli</artifactId>\
         <version>{version}</version><packaging>pom</packaging></project>"
    );
    fs::write(folder.join(format!("weighbridge-cli-{version}.pom")), pom).expect("the POM");
    let artifact = folder.join(format!("weighbridge-cli-{version}-{os}-{processor}.exe"));
    // Copied as bytes: a repository keeps no permissions.
    let mut copy = File::create(artifact).expect("the artifact");
    std::io::copy(&mut File::open(binary).expect("the binary"), &mut copy).expect("a copy of the binary");
}

/// One build at a time: Maven's local repository does not support several at once, and each needs a processor.
static BUILDING: Mutex<Repository> = Mutex::new(Repository { ready: false });

/// A local repository for the tests, so that the plugin of this checkout is not installed in the user's.
struct Repository {
    ready: bool,
}

impl Repository {
    fn folder() -> PathBuf {
        cache().join("maven")
    }

    /// A Maven command with this repository, which copies artifacts from the user's repository.
    fn maven() -> Command {
        let mut maven = Command::new("mvn");
        maven.env("MAVEN_OPTS", SHORT_RUN);
        maven.args(["--batch-mode", "--no-transfer-progress", "-Dstyle.color=never", "--global-settings"]);
        maven.arg(Self::folder().join("settings.xml"));
        maven.arg(format!("-Dmaven.repo.local={}", Self::folder().join("repository").display()));
        maven
    }

    /// Writes the settings of the tests' Maven; nobody else builds until the lock goes.
    fn settings() -> File {
        fs::create_dir_all(Self::folder()).expect("a folder for the repository");
        let lock = File::create(Self::folder().join("lock")).expect("a lock file");
        lock.lock().expect("the lock of the repository");
        let nearby = std::env::home_dir().unwrap_or_default().join(".m2/repository");
        let url = format!("<url>file://{}</url>", nearby.display());
        let repository = format!("<id>nearby</id>{url}<releases><checksumPolicy>ignore</checksumPolicy></releases>");
        let settings = format!(
            "<settings><profiles><profile><id>nearby</id>\
             <repositories><repository>{repository}</repository></repositories>\
             <pluginRepositories><pluginRepository>{repository}</pluginRepository></pluginRepositories>\
             </profile></profiles><activeProfiles><activeProfile>nearby</activeProfile></activeProfiles></settings>"
        );
        fs::write(Self::folder().join("settings.xml"), settings).expect("the settings");
        lock
    }

    /// Runs the tests of the plugin and installs it.
    fn prepare(&mut self) {
        if self.ready {
            return;
        }
        let _lock = Self::settings();
        let output = run(Self::maven().arg("--file").arg(root().join("plugins/maven/pom.xml")).arg("install"));
        assert!(output.success(), "the plugin cannot be built:\n{output}");
        assert!(output.stdout.contains("Tests run:"), "no test of the plugin ran:\n{output}");
        self.ready = true;
    }
}

/// A copy of the sample, in a folder with spaces in its name.
pub struct Sample {
    temporary: TempDir,
    binary: String,
}

impl Sample {
    /// A fresh copy, to be built with a `weighbridge` binary.
    pub fn new(binary: &str) -> Self {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let sample = Sample { temporary, binary: binary.to_owned() };
        copy(&root().join("samples/maven-multi-module"), &sample.path(""));
        sample
    }

    /// A path in the copy.
    pub fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join("a folder with spaces").join(name)
    }

    /// Replaces a text in a file of the copy.
    pub fn edit(&self, name: &str, text: &str, by: &str) {
        let content = fs::read_to_string(self.path(name)).expect("a text file");
        assert!(content.contains(text), "{name} has no {text:?}");
        fs::write(self.path(name), content.replace(text, by)).expect("the file");
    }

    /// Runs Maven in the copy.
    pub fn maven(&self, arguments: &[&str]) -> Output {
        self.maven_with(&self.binary, arguments)
    }

    /// Runs Maven in the copy with an executable of another name.
    pub fn maven_with(&self, executable: &str, arguments: &[&str]) -> Output {
        let executable = format!("-Dweighbridge.executable={executable}");
        self.maven_alone(&[&[executable.as_str()], arguments].concat())
    }

    /// Runs Maven in the copy without saying where the binary is.
    pub fn maven_alone(&self, arguments: &[&str]) -> Output {
        let mut building = BUILDING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        building.prepare();
        let mut maven = Repository::maven();
        maven.current_dir(self.path("")).env_remove("JAVA_TOOL_OPTIONS").env_remove("MAVEN_ARGS");
        run(maven.args(arguments))
    }

    /// The JSON report of a module.
    pub fn report(&self, module: &str) -> Value {
        let file = self.path(module).join("target/weighbridge/report.json");
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        serde_json::from_str(&text).expect("JSON")
    }

    /// Modification times of the files below a folder.
    pub fn written(&self, folder: &str) -> BTreeMap<PathBuf, SystemTime> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
                let entry = entry.expect("an entry");
                let metadata = entry.metadata().expect("its metadata");
                match metadata.is_dir() {
                    true => folders.push(entry.path()),
                    false => _ = files.insert(entry.path(), metadata.modified().expect("its time")),
                }
            }
        }
        files
    }
}
