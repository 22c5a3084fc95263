//! The JVMs to test on, and commands of them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use weighbridge_jdk::Jdk;

use crate::{cache, more_rounds};

/// Every Java installation found, one per feature version and ascending, printed once per test process. For what may
/// differ from Java to Java: what is loaded and verified, the layout of objects, the commands of a JVM.
pub fn every_java() -> &'static [Jdk] {
    static FOUND: OnceLock<Vec<Jdk>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let found = weighbridge_jdk::for_tests();
        assert!(
            !found.is_empty(),
            "no Java installation found: install one or name it in {}",
            weighbridge_jdk::TEST_JDKS
        );
        for jdk in &found {
            eprintln!("tests use Java {} at {}", jdk.version, jdk.home.display());
        }
        found
    })
}

/// The Javas that most tests run on: the oldest and the newest, or all if `WEIGHBRIDGE_TEST_ROUNDS` asks for more.
pub fn jdks() -> &'static [Jdk] {
    static CHOSEN: OnceLock<Vec<Jdk>> = OnceLock::new();
    CHOSEN.get_or_init(|| jdks_from(0).into_iter().cloned().collect())
}

/// The same of those that are at least a feature version; at least one must be there.
pub fn jdks_from(major: u32) -> Vec<&'static Jdk> {
    let [oldest, newest] = ends(major);
    let is_chosen = |jdk: &&Jdk| more_rounds() || [oldest, newest].contains(jdk);
    every_java().iter().filter(|jdk| jdk.major >= major).filter(is_chosen).collect()
}

/// The oldest Java from a feature version on, and the newest.
pub fn ends(from: u32) -> [&'static Jdk; 2] {
    let found = || every_java().iter().filter(|jdk| jdk.major >= from);
    found().next().zip(found().next_back()).map_or_else(
        || panic!("no Java {from} or newer found: install one or name it in {}", weighbridge_jdk::TEST_JDKS),
        |(oldest, newest)| [oldest, newest],
    )
}

/// The Java of a feature version, which must be there.
pub fn jdk(major: u32) -> &'static Jdk {
    let found = every_java().iter().find(|jdk| jdk.major == major);
    found.unwrap_or_else(|| panic!("no Java {major} found: install it or name it in {}", weighbridge_jdk::TEST_JDKS))
}

/// Lets a JVM compile with its first compiler only. In a run of some seconds the second takes as much time as all else.
pub(crate) const SHORT_RUN: &str = "-XX:TieredStopAtLevel=1";

/// A command of a JVM with a small heap, ready for its arguments. The newest Java compiles as it does for users, the others
/// have only their first compiler unless somebody asks for more rounds: both kinds of code are tested, in less time.
pub fn java(jdk: &Jdk) -> Command {
    let mut command = Command::new(jdk.java());
    command.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS").arg("-Xmx1g");
    let newest = every_java().last().map(|newest| newest.major);
    if newest != Some(jdk.major) && !more_rounds() {
        command.arg(SHORT_RUN);
    }
    command
}

/// The file of the native agent, unpacked once for all test processes.
pub fn native_agent() -> &'static Path {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        weighbridge_library::AGENT_LIBRARY.hash(&mut hasher);
        let folder = cache().join(format!("agent-{:x}", hasher.finish()));
        let file = folder.join(weighbridge_library::FILE_NAME);
        if !file.is_file() {
            fs::create_dir_all(&folder).expect("a folder");
            // JVMs keep it mapped, so it must not change while they run.
            let mut whole = tempfile::NamedTempFile::new_in(&folder).expect("a file");
            whole.write_all(weighbridge_library::AGENT_LIBRARY).expect("the library");
            whole.persist(&file).expect("the library");
        }
        file
    })
}

/// The options that make a JVM verify every class it links, whoever loads it.
pub fn verify_everything(jdk: &Jdk) -> &'static [&'static str] {
    // -Xverify is deprecated since 13 and warns; the two flags behind it do not.
    match jdk.major {
        ..=12 => &["-Xverify:all"],
        _ => &["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote"],
    }
}
