//! Libraries of Maven Central with what they need, for tests of one version of a library among several.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;

use crate::{cache, run};

/// The jars of some artifacts, `group:artifact:version`, and of what they need at run time. Fetched once.
pub fn libraries(coordinates: &[&str]) -> Vec<PathBuf> {
    let mut hasher = DefaultHasher::new();
    coordinates.hash(&mut hasher);
    let folder = cache().join(format!("libraries-{:x}", hasher.finish()));
    let jars = folder.join("jars");
    fs::create_dir_all(&jars).unwrap_or_else(|e| panic!("create {}: {e}", jars.display()));
    let lock = File::create(folder.join("lock")).expect("a lock file");
    lock.lock().expect("the lock of the jar folder");
    if !folder.join("fetched").is_file() {
        let pom = folder.join("pom.xml");
        fs::write(&pom, project(coordinates)).expect("the project");
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-f"]).arg(&pom).arg("dependency:copy-dependencies").arg("-DincludeScope=runtime");
        let output = run(maven.arg(format!("-DoutputDirectory={}", jars.display())));
        assert!(output.success(), "Maven could not fetch {coordinates:?}:\n{output}");
        File::create(folder.join("fetched")).expect("the stamp of the jar folder");
    }
    let entries = fs::read_dir(&jars).unwrap_or_else(|e| panic!("read {}: {e}", jars.display()));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    found.sort();
    found
}

fn project(coordinates: &[&str]) -> String {
    let dependency = |coordinate: &&str| {
        let [group, artifact, version] = coordinate.split(':').collect::<Vec<_>>()[..] else {
            panic!("{coordinate} is no group:artifact:version");
        };
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>\
             </dependency>"
        )
    };
    let dependencies: String = coordinates.iter().map(dependency).collect();
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>io.weighbridge</groupId><artifactId>weighbridge-test-libraries</artifactId><version>0.1.0</version>\
         <packaging>pom</packaging><dependencies>{dependencies}</dependencies><build><pluginManagement><plugins><plugin>\
         <groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>\
         <version>3.8.1</version></plugin></plugins></pluginManagement></build></project>"
    )
}
