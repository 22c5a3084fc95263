//! A Gradle that runs, put together from its classes.
//!
//! Gradle's own distribution is in no package registry, but the jar of all its classes is, for those who write plugins:
//! `dev.gradleplugins:gradle-api`. It differs from a distribution in three ways, which are undone here. Its one jar stands
//! for about a hundred, so that each of those is a jar with the description of the module alone. The libraries in it have
//! other names, also those of JUnit, whose classes are those of the test; so the classes that call JUnit are written again.
//! Last, an index of another jar is in it, which some Java versions believe.
//!
//! [`VERSION`] is the newest that has all of the command line. It lacks Gradle's plugin of the compiler, so classes are
//! compiled by a call of `javac`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::jvm::SHORT_RUN;
use crate::maven::deploy;
use crate::{cache, libraries};

/// The version of Gradle.
pub const VERSION: &str = "8.5";

/// Where the libraries in the jar are.
const RELOCATED: &str = "org/gradle/internal/impldep/";

/// How the names of packages begin that a test brings itself; a filter of class loaders names them without a last slash.
const OF_TESTS: [&str; 4] = ["junit/", "org/junit", "org/hamcrest", "org/testng"];

/// Modules that the jar has no description of.
const UNDESCRIBED: [&str; 2] = ["gradle-instrumentation-agent", "gradle-java-compiler-plugin"];

/// Libraries that Gradle asks for by name and that no module names.
const UNNAMED: [&str; 2] = ["ant-1.10.13.jar", "slf4j-api-1.7.36.jar"];

const COMPILER: &str = "allprojects { tasks.withType(JavaCompile).configureEach { options.fork = true
    options.forkOptions.executable = new File(System.getProperty('java.home'), 'bin/javac').path } }";

/// A Gradle command in the folder of a build, with the configuration cache and without a daemon.
pub fn gradle(build: &Path) -> Command {
    let home = home();
    let mut gradle = Command::new("java");
    // The arguments that Gradle wants for its process, in its order: with them it needs no second one.
    gradle.args(["-XX:MaxMetaspaceSize=384m", "-Xmx512m", SHORT_RUN]);
    for package in [
        "java.base/java.util",
        "java.base/java.lang",
        "java.base/java.lang.invoke",
        "java.prefs/java.util.prefs",
        "java.base/java.nio.charset",
        "java.base/java.net",
        "java.base/java.util.concurrent.atomic",
    ] {
        gradle.arg(format!("--add-opens={package}=ALL-UNNAMED"));
    }
    gradle.args(["-Dfile.encoding=UTF-8", "-Duser.country", "-Duser.language=en", "-Duser.variant", "-cp"]);
    gradle.arg(home.join(format!("lib/gradle-launcher-{VERSION}.jar"))).arg("org.gradle.launcher.GradleMain");
    gradle.args(["--no-daemon", &format!("-Dorg.gradle.jvmargs=-Xmx512m -XX:MaxMetaspaceSize=384m {SHORT_RUN}")]);
    gradle.args(["-Dorg.gradle.internal.instrumentation.agent=false", "--console=plain", "--configuration-cache"]);
    gradle.arg("--init-script").arg(home.join("compiler.gradle"));
    gradle.arg("--gradle-user-home").arg(cache().join("gradle"));
    gradle.current_dir(build).env_remove("JAVA_TOOL_OPTIONS");
    gradle
}

/// A Maven repository with the plugin of this checkout.
pub fn plugin() -> &'static Path {
    static REPOSITORY: OnceLock<PathBuf> = OnceLock::new();
    REPOSITORY.get_or_init(|| {
        // It fetches the classes of Gradle, which the plugin is compiled against.
        home();
        let repository = cache().join("gradle-plugin");
        deploy("plugins/gradle,plugins/gradle/marker", &repository, &[]);
        repository
    })
}

/// The distribution, put together once.
fn home() -> PathBuf {
    let parent = cache();
    fs::create_dir_all(&parent).expect("the cache of the tests");
    let home = parent.join(format!("gradle-{VERSION}"));
    let lock = File::create(parent.join("gradle.lock")).expect("a lock file");
    lock.lock().expect("the lock of the distribution");
    if !home.is_dir() {
        let coordinates = format!("dev.gradleplugins:gradle-api:{VERSION}");
        let part = parent.join(format!("gradle-{VERSION}.part"));
        _ = fs::remove_dir_all(&part);
        assemble(&libraries(&[coordinates.as_str()]), &part);
        fs::rename(&part, &home).expect("the whole distribution under its name");
    }
    home
}

fn assemble(jars: &[PathBuf], home: &Path) {
    let lib = home.join("lib");
    fs::create_dir_all(lib.join("plugins")).expect("the folder of the distribution");
    fs::write(home.join("compiler.gradle"), COMPILER).expect("the script that compiles");
    let (all, unrelocated) = (format!("gradle-all-{VERSION}.jar"), format!("gradle-unrelocated-{VERSION}.jar"));
    let mut class_path = vec![unrelocated.clone(), all.clone()];
    let mut of_gradle = None;
    for jar in jars {
        let name = jar.file_name().and_then(|name| name.to_str()).expect("a name");
        if name.starts_with("gradle-api-") {
            of_gradle = Some(jar);
        } else if name.starts_with("groovy-") || name.starts_with("kotlin-stdlib-") {
            // No other: the JUnit that Groovy needs would stand before that of the tests.
            fs::copy(jar, lib.join(name)).expect("a library");
            class_path.push(name.to_owned());
        }
    }
    let of_gradle = without_index(fs::read(of_gradle.expect("gradle-api")).expect("the classes of Gradle"));
    fs::write(lib.join(&all), &of_gradle).expect("the classes of Gradle");
    let mut archive = ZipArchive::new(Cursor::new(of_gradle)).expect("an archive");

    let mut patched = Jar::new(&lib.join(unrelocated));
    let mut modules: Vec<(String, String)> = UNDESCRIBED.map(|name| (name.to_owned(), String::new())).into();
    let mut named: BTreeSet<String> = UNNAMED.map(str::to_owned).into();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).expect("an entry");
        let name = entry.name().expect("a name").into_owned();
        let mut content = Vec::new();
        if let Some(module) = name.strip_suffix("-classpath.properties").filter(|module| !module.contains('/')) {
            entry.read_to_end(&mut content).expect("the description of a module");
            let text = String::from_utf8(content).expect("text");
            let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().to_owned();
            named.extend(value("runtime=").split(',').filter(|jar| !jar.is_empty()).map(str::to_owned));
            modules.push((module.to_owned(), value("projects=")));
        } else if calls_tests(&name) {
            entry.read_to_end(&mut content).expect("a class");
            patched.add(&name, &without_relocation(&content));
        }
    }
    patched.end();
    for (module, projects) in modules {
        let mut jar = Jar::new(&lib.join(format!("{module}-{VERSION}.jar")));
        jar.add("META-INF/MANIFEST.MF", manifest(&class_path).as_bytes());
        let description = format!("projects={projects}\nruntime={}\n", class_path.join(","));
        jar.add(&format!("{module}-classpath.properties"), description.as_bytes());
        jar.end();
    }
    for name in named.iter().filter(|name| !lib.join(name).exists()) {
        Jar::new(&lib.join(name)).end();
    }
}

/// A jar in which the index has another name.
fn without_index(mut jar: Vec<u8>) -> Vec<u8> {
    const INDEX: &str = "META-INF/INDEX.LIST";
    // Sizes of the headers before a name: APPNOTE 4.3.7 and 4.3.12.
    const LOCAL: usize = 30;
    const CENTRAL: usize = 46;
    let names = {
        let mut archive = ZipArchive::new(Cursor::new(&jar)).expect("an archive");
        let entry = archive.by_name(INDEX).expect("an index");
        [(entry.header_start(), LOCAL), (entry.central_header_start(), CENTRAL)]
    };
    for (header, size) in names {
        let at = usize::try_from(header).expect("an offset") + size;
        assert_eq!(&jar[at..at + INDEX.len()], INDEX.as_bytes());
        jar[at..at + INDEX.len()].copy_from_slice(b"META-INF/INDEX.NONE");
    }
    jar
}

/// Whether an entry is a class of Gradle that calls JUnit or TestNG, or may.
fn calls_tests(name: &str) -> bool {
    name.starts_with("org/gradle/")
        && name.contains("/testing/")
        && !name.starts_with(RELOCATED)
        && name.ends_with(".class")
}

/// A class that names the packages of tests by their own names.
fn without_relocation(class: &[u8]) -> Vec<u8> {
    let mut memory = PoolOffsets::default();
    let pool = ClassFile::read(class, &mut memory).expect("a class").pool;
    let mut bytes = class[..10].to_vec();
    for index in pool.indices() {
        match pool.utf8(index).ok().and_then(|text| std::str::from_utf8(text).ok()) {
            Some(text) => {
                let mut text = text.to_owned();
                for package in OF_TESTS {
                    text = text.replace(&format!("{RELOCATED}{package}"), package);
                    let dotted = |name: &str| name.replace('/', ".");
                    text = text.replace(&dotted(&format!("{RELOCATED}{package}")), &dotted(package));
                }
                bytes.push(1);
                bytes.extend(u16::try_from(text.len()).expect("a shorter text").to_be_bytes());
                bytes.extend(text.as_bytes());
            }
            None => bytes.extend(pool.raw(index).expect("an entry of the pool")),
        }
    }
    bytes.extend(&class[pool.end()..]);
    bytes
}

fn manifest(class_path: &[String]) -> String {
    let mut rest = format!("Class-Path: {}", class_path.join(" "));
    let mut lines = String::from("Manifest-Version: 1.0\r\n");
    while rest.len() > 70 {
        let after = rest.split_off(70);
        lines += &format!("{rest}\r\n");
        rest = format!(" {after}");
    }
    format!("{lines}{rest}\r\n\r\n")
}

struct Jar(ZipWriter<File>);

impl Jar {
    fn new(path: &Path) -> Self {
        Jar(ZipWriter::new(File::create(path).expect("a jar")))
    }

    fn add(&mut self, name: &str, content: &[u8]) {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.0.start_file(name, options).expect("an entry");
        self.0.write_all(content).expect("its content");
    }

    fn end(self) {
        self.0.finish().expect("a whole jar");
    }
}
