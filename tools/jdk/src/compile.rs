//! Runs `javac` for build scripts and tests.

use crate::{Jdk, OLDEST_BUILD_JDK, find};
use std::path::Path;
use std::process::{Command, exit};
use std::{fs, io};
use walkdir::WalkDir;

/// The JDK to build with: the first of [`find`] that has a compiler and is new enough.
///
/// If there is none, this prints what to install and ends the process.
pub fn to_build_with() -> Jdk {
    let usable = |jdk: &Jdk| jdk.has_javac() && jdk.major >= OLDEST_BUILD_JDK;
    find().into_iter().find(usable).unwrap_or_else(|| {
        eprintln!(
            "weighbridge needs a JDK {OLDEST_BUILD_JDK} or newer to build its Java runtime: install one \
             (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME to it"
        );
        exit(1)
    })
}

/// Tells cargo to run the build script again when another JDK may be found.
pub fn rerun_if_environment_changes() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
}

impl Jdk {
    /// Compiles every `.java` file under the source folders into `output`, which is emptied first.
    ///
    /// Compiles for Java 11 (`--release 11`) unless `arguments` name another release or target. String concatenation is then inline,
    /// because probes may run before `java.lang.invoke` is initialised.
    /// If it fails, prints the compiler's messages and ends the process.
    pub fn compile(&self, sources: &[&Path], output: &Path, arguments: &[&str]) {
        if let Err(e) = self.try_compile(sources, output, arguments) {
            eprintln!("javac of {} failed on {sources:?}: {e}", self.home.display());
            exit(1)
        }
    }

    fn try_compile(&self, sources: &[&Path], output: &Path, arguments: &[&str]) -> io::Result<()> {
        match fs::remove_dir_all(output) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => fs::create_dir_all(output)?,
        }
        let mut command = Command::new(self.tool("javac"));
        // It runs for seconds: the JVM's second compiler would cost more than it gives.
        command.args([
            "-J-XX:TieredStopAtLevel=1",
            "-encoding",
            "UTF-8",
            "-g",
            "-Xlint:all,-options,-serial,-processing",
            "-proc:none",
        ]);
        if !arguments.contains(&"--release") && !arguments.contains(&"-target") {
            command.args(["--release", "11"]);
        }
        if !arguments.contains(&"--release") {
            command.arg("-XDstringConcat=inline");
        }
        command.args(arguments).arg("-d").arg(output);
        for folder in sources {
            for entry in WalkDir::new(folder).sort_by_file_name() {
                let entry = entry?;
                if entry.path().extension().is_some_and(|extension| extension == "java") {
                    command.arg(entry.path());
                }
            }
        }
        let compiled = command.output()?;
        if compiled.status.success() {
            return Ok(());
        }
        Err(io::Error::other(String::from_utf8_lossy(&compiled.stderr).into_owned()))
    }
}
