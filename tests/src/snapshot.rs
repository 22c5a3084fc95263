//! Heap dumps and class histograms of real programs while they are idle.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use weighbridge_jdk::Jdk;

use crate::{cache, compile, jars, java, root, run};

/// Instances and bytes by class, of all loaders together.
pub type Classes = HashMap<String, (u64, u64)>;

/// How often dump and histograms are taken, until the histograms before and after the dump are equal.
const ATTEMPTS: usize = 6;

/// A third-party program or a sample of the project, which waits when it is idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The database, with a table in memory.
    H2,
    /// The search engine, with an open index.
    Lucene,
    /// The web server, with sessions; it has threads that wait for work.
    Tomcat,
    /// Spring Boot, run from its executable jar.
    Boot,
    /// The sample that leaks, at its end.
    Leak,
}

/// Compiled programs in a folder.
pub struct Programs {
    folder: PathBuf,
    /// Whoever holds it looks for a program's classes, and compiles what is not there.
    compiling: Mutex<()>,
}

/// The dump and the histogram of a program.
pub struct Snapshot {
    /// The dump, of live objects.
    pub dump: PathBuf,
    /// `jcmd PID GC.class_histogram` right before the dump.
    pub histogram: Classes,
    /// Classes with other figures right after the dump.
    pub changed: HashSet<String>,
}

impl Program {
    /// All of them.
    pub const ALL: [Program; 5] = [Program::H2, Program::Lucene, Program::Tomcat, Program::Boot, Program::Leak];

    /// The oldest Java that runs it.
    pub fn oldest(self) -> u32 {
        if self == Program::Boot { 17 } else { 11 }
    }
}

impl Programs {
    /// Compiles the code that makes them wait.
    pub fn new(folder: &Path) -> Self {
        compile("snapshot", &[], folder);
        Programs { folder: folder.to_owned(), compiling: Mutex::new(()) }
    }

    /// Runs a program until it is idle, and takes the snapshot.
    pub fn snapshot(&self, program: Program, jdk: &Jdk) -> Snapshot {
        let mut command = self.command(program, jdk);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let pid = loop {
            let line = lines.next().unwrap_or_else(|| panic!("{program:?} ended")).expect("its output");
            if let Some(pid) = line.strip_prefix("quiet ") {
                break pid.to_owned();
            }
        };
        let dump = self.folder.join(format!("{program:?}-{}.hprof", jdk.major));
        let snapshot = look(&pid, dump);
        end(child);
        snapshot
    }

    fn command(&self, program: Program, jdk: &Jdk) -> Command {
        let quiet = self.folder.join("snapshot");
        let compiled = |source: &str, libraries: &[PathBuf]| {
            let classes = self.folder.join(source);
            let needed: Vec<PathBuf> = libraries.iter().cloned().chain([quiet.clone()]).collect();
            let _compiling = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
            if !classes.is_dir() {
                compile(source, &needed, &self.folder);
            }
            [vec![classes], needed].concat()
        };
        let lucene =
            ["lucene-core", "lucene-analysis-common", "lucene-queryparser", "lucene-queries", "lucene-sandbox"];
        let (class_path, arguments): (Vec<PathBuf>, &[&str]) = match program {
            Program::H2 => (compiled("h2", &jars(&["h2"])), &["Database", "unused"]),
            Program::Lucene => (compiled("lucene", &jars(&lucene)), &["Search", "unused"]),
            Program::Tomcat => {
                (compiled("tomcat", &jars(&["tomcat-embed-core", "tomcat-annotations-api"])), &["Site", "unused"])
            }
            Program::Boot => {
                let arguments = &["Afterwards", "org.springframework.boot.loader.launch.JarLauncher"];
                (vec![quiet, boot_jar()], arguments)
            }
            Program::Leak => {
                let jar = self.folder.join("leak.jar");
                std::fs::write(&jar, weighbridge_samples::LEAK_JAR).expect("the sample");
                (vec![quiet, jar], &["Afterwards", "com.acme.leak.Broker"])
            }
        };
        let mut command = java(jdk);
        command.args(["-Dleak.tick_ms=0", "-Dleak.measure=0"]).stderr(Stdio::null());
        command.arg("-cp").arg(std::env::join_paths(class_path).expect("a class path")).args(arguments);
        command
    }
}

/// The application of `tests/java/boot`, built by Maven, once.
pub fn boot_jar() -> PathBuf {
    static JAR: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let build = cache().join("boot");
        let project = root().join("tests/java/boot");
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "package", "-f"]).arg(project.join("pom.xml"));
        maven.arg(format!("-Dweighbridge.build={}", build.display()));
        let output = run(&mut maven);
        assert!(output.success(), "{output}");
        build.join("boot-1.jar")
    };
    JAR.get_or_init(build).clone()
}

fn look(pid: &str, dump: PathBuf) -> Snapshot {
    let jcmd = weighbridge_jdk::to_build_with().tool("jcmd");
    let ask = |what: &[&str]| {
        let output = run(Command::new(&jcmd).arg(pid).args(what));
        assert!(output.success(), "{output}");
        output.stdout
    };
    let mut seen = None;
    for _ in 0..ATTEMPTS {
        let _ = std::fs::remove_file(&dump);
        let before = ask(&["GC.class_histogram"]);
        ask(&["GC.heap_dump", dump.to_str().expect("a path in UTF-8")]);
        let after = ask(&["GC.class_histogram"]);
        let same = before == after;
        seen = Some((before, after));
        if same {
            break;
        }
    }
    let (before, after) = seen.expect("an attempt");
    let (histogram, after) = (histogram(&before), self::histogram(&after));
    let names = histogram.keys().chain(after.keys());
    let changed = names.filter(|class| histogram.get(*class) != after.get(*class)).cloned().collect();
    Snapshot { dump, histogram, changed }
}

/// Programs wait until their input ends.
fn end(mut child: Child) {
    drop(child.stdin.take());
    child.wait().expect("the program ends");
}

/// The lines of GC.class_histogram: number, instances, bytes, class, module.
pub fn histogram(text: &str) -> Classes {
    let mut classes = Classes::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [number, instances, bytes, class, ..] = words[..]
            && number.ends_with(':')
            && let (Ok(instances), Ok(bytes)) = (instances.parse::<u64>(), bytes.parse::<u64>())
        {
            let row = classes.entry(dotted(class)).or_default();
            *row = (row.0 + instances, row.1 + bytes);
        }
    }
    classes
}

fn dotted(class: &str) -> String {
    let element = class.trim_start_matches('[');
    let dimensions = class.len() - element.len();
    let name = match element {
        _ if dimensions == 0 => element,
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        _ => &element[1..element.len() - 1],
    };
    name.to_owned() + &"[]".repeat(dimensions)
}
