//! Jars that no registry has: built, compiled, obfuscated, woven, or taken out of a JDK.

use super::fetch::{Cache, Material, checkout, jars_in, join, name, succeed};
use super::harness::Harness;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The executable jar of a Maven project of this checkout.
pub fn build(cache: &Cache, project: &str) -> Result<Material> {
    let pom = checkout().join(project).join("pom.xml");
    let folder = cache.folder.join("made/build");
    cache.once(&folder, &fs::read_to_string(&pom)?, |into| {
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "package", "-f"]).arg(&pom).arg(format!("-Dweighbridge.build={}", into.display()));
        succeed(&mut maven)
    })?;
    Ok(Material { subjects: jars_in(&folder, 1)?, class_path: Vec::new(), loads: true })
}

/// Every class of the modules of an installed JDK.
pub fn modules(cache: &Cache, major: u32) -> Result<Material> {
    let jdk = weighbridge_jdk::find().into_iter().find(|jdk| jdk.major == major);
    let jdk = jdk.with_context(|| format!("no JDK {major} found: install one or set JAVA_HOME to it"))?;
    let folder = cache.folder.join(format!("made/jdk-{major}"));
    let harness = Harness::compile(cache)?;
    cache.once(&folder, &jdk.version, |into| {
        let jar = into.join(format!("jdk-{}.jar", jdk.version));
        succeed(Command::new(jdk.java()).arg("-cp").arg(harness.classes()).arg("Jrt").arg(jar))
    })?;
    Ok(Material { subjects: jars_in(&folder, 1)?, class_path: Vec::new(), loads: false })
}

/// The classes of a jar of sources, compiled by the Eclipse compiler.
pub fn compiled(cache: &Cache, coordinates: &str) -> Result<Material> {
    let sources = cache.maven(&[coordinates.to_owned()])?;
    let compiler = cache.tool("ecj")?;
    let folder = cache.folder.join("made/ecj");
    cache.once(&folder, &format!("{coordinates} {}", names(&compiler)), |into| {
        let jdk = &cache.jdk;
        let (java, classes) = (into.join("java"), into.join("classes"));
        fs::create_dir_all(&java)?;
        succeed(Command::new(jdk.tool("jar")).arg("-xf").arg(&sources[0]).current_dir(&java))?;
        let mut ecj = Command::new(jdk.java());
        ecj.arg("-cp").arg(join(&compiler)?).arg("org.eclipse.jdt.internal.compiler.batch.Main");
        ecj.args(["--release", "17", "-g", "-nowarn", "-d"]).arg(&classes).arg(&java);
        succeed(&mut ecj)?;
        let jar = into.join("by-ecj.jar");
        succeed(Command::new(jdk.tool("jar")).arg("-cf").arg(jar).arg("-C").arg(&classes).arg("."))
    })?;
    Ok(Material { subjects: jars_in(&folder, 1)?, class_path: Vec::new(), loads: true })
}

/// The subjects of another item, obfuscated, optimised and repackaged by ProGuard.
pub fn obfuscated(cache: &Cache, from: &Material) -> Result<Material> {
    let proguard = cache.tool("proguard")?;
    let folder = cache.folder.join("made/proguard");
    cache.once(&folder, &format!("{} {}", names(&from.subjects), names(&proguard)), |into| {
        let mut command = Command::new(cache.jdk.java());
        command.arg("-cp").arg(join(&proguard)?).arg("proguard.ProGuard");
        for jar in &from.subjects {
            command.arg("-injars").arg(jar);
        }
        command.arg("-outjars").arg(into.join("obfuscated.jar"));
        for jar in &from.class_path {
            command.arg("-libraryjars").arg(jar);
        }
        // The JDK's classes as one jar, because not every JDK has jmods.
        let library = modules(cache, cache.jdk.major)?.subjects;
        let base = into.join("base");
        fs::create_dir_all(&base)?;
        succeed(Command::new(cache.jdk.tool("jar")).arg("-xf").arg(&library[0]).current_dir(&base))?;
        for module in ["java.base", "java.logging"] {
            command.arg("-libraryjars").arg(base.join(module)).arg("(!module-info.class)");
        }
        command.args(["-dontwarn", "-dontnote", "-ignorewarnings", "-dontshrink", "-overloadaggressively"]);
        command.args(["-allowaccessmodification", "-mergeinterfacesaggressively", "-repackageclasses", ""]);
        command.args(["-optimizationpasses", "2", "-keepattributes", "*Annotation*,Signature"]);
        command.args(["-keep", "class com.google.common.collect.ImmutableList { public *; }"]);
        succeed(&mut command)?;
        Ok(fs::remove_dir_all(base)?)
    })?;
    Ok(Material { subjects: jars_in(&folder, 1)?, class_path: from.class_path.clone(), loads: true })
}

/// The subjects of another item, with advice woven into calls, executions, constructors and field writes.
pub fn woven(cache: &Cache, from: &Material) -> Result<Material> {
    let tools = cache.tool("aspectj")?;
    let aspect = checkout().join("tools/xtask/java-aspect/Watch.aj");
    let folder = cache.folder.join("made/aspectj");
    let input = format!("{} {} {}", names(&from.subjects), names(&tools), fs::read_to_string(&aspect)?);
    cache.once(&folder, &input, |into| {
        let mut ajc = Command::new(cache.jdk.java());
        ajc.arg("-cp").arg(join(&tools)?).args([
            "org.aspectj.tools.ajc.Main",
            "-17",
            "-nowarn",
            "-Xlint:ignore",
            "-inpath",
        ]);
        ajc.arg(join(&from.subjects)?).arg("-classpath").arg(join(tools.iter().chain(&from.class_path))?);
        ajc.arg("-outjar").arg(into.join("woven.jar")).arg(&aspect);
        succeed(&mut ajc)
    })?;
    let class_path = tools.into_iter().filter(|jar| name(jar).starts_with("aspectjrt")).chain(from.class_path.clone());
    Ok(Material { subjects: jars_in(&folder, 1)?, class_path: class_path.collect(), loads: true })
}

fn names(jars: &[PathBuf]) -> String {
    jars.iter().map(|jar| name(jar)).collect::<Vec<_>>().join(" ")
}
