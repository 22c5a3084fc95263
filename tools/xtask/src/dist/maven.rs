//! A Maven repository with the runtime and, by classifier, the command line, as protoc's artefacts are laid out:
//! `io.weighbridge:weighbridge-cli:VERSION:exe:linux-x86_64`.

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::release::{LICENSE, Release, SUMMARY};

/// Paths below the repository, and what is there. `packaging` of the command line is `pom`: it has no main artefact.
pub fn pack(release: &Release) -> Vec<(String, Vec<u8>)> {
    let version = &release.version;
    let cli = |rest: &str| format!("io/weighbridge/weighbridge-cli/{version}/weighbridge-cli-{version}{rest}");
    let runtime =
        |rest: &str| format!("io/weighbridge/weighbridge-runtime/{version}/weighbridge-runtime-{version}{rest}");
    let artefacts = [
        (cli(".pom"), pom("weighbridge-cli", version, "pom", "Weighbridge, command line", SUMMARY).into_bytes()),
        (cli(&format!("-{}.exe", release.platform.maven())), release.binary.clone()),
        (
            runtime(".pom"),
            pom("weighbridge-runtime", version, "jar", "Weighbridge, runtime", "What measures inside of the program")
                .into_bytes(),
        ),
        (runtime(".jar"), weighbridge_runtime::RUNTIME_JAR.to_vec()),
    ];
    let mut files = Vec::new();
    for (path, bytes) in artefacts {
        files.push((format!("{path}.sha1"), hex::encode(Sha1::digest(&bytes)).into_bytes()));
        files.push((format!("{path}.sha256"), hex::encode(Sha256::digest(&bytes)).into_bytes()));
        files.push((path, bytes));
    }
    files
}

fn pom(artifact: &str, version: &str, packaging: &str, name: &str, description: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.weighbridge</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <packaging>{packaging}</packaging>
  <name>{name}</name>
  <description>{description}</description>
  <licenses>
    <license><name>{LICENSE}</name></license>
  </licenses>
</project>
"#
    )
}
