//! The JVMs to test on, and commands of them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use weighbridge_jdk::Jdk;

use crate::cache;

/// The Java installations to test on, one per feature version, printed once per test process.
pub fn jdks() -> &'static [Jdk] {
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

/// Those of [`jdks`] that are at least a feature version; at least one must be there.
pub fn jdks_from(major: u32) -> Vec<&'static Jdk> {
    let usable: Vec<&Jdk> = jdks().iter().filter(|jdk| jdk.major >= major).collect();
    assert!(
        !usable.is_empty(),
        "no Java {major} or newer found: install one or name it in {}",
        weighbridge_jdk::TEST_JDKS
    );
    usable
}

/// Lets a JVM compile with its first compiler only. In a run of some seconds the second takes as much time as all else.
pub(crate) const SHORT_RUN: &str = "-XX:TieredStopAtLevel=1";

/// A command of a JVM with a small heap, ready for its arguments. The oldest and the newest Java compile as they do
/// for users, those between have only their first compiler: both kinds of code are tested, in less time.
pub fn java(jdk: &Jdk) -> Command {
    let mut command = Command::new(jdk.java());
    command.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS").arg("-Xmx1g");
    let ends = [jdks().first(), jdks().last()].map(|end| end.map(|end| end.major));
    if !ends.contains(&Some(jdk.major)) {
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
