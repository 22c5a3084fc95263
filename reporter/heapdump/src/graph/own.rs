//! What the runtime in the dumped program holds of the program's objects, and the program itself does not.
//!
//! The runtime measures the program it lives in. While its walk runs, its tables hold every object that the walk has met;
//! without this module all of them would be owned by the walk. The rule:
//! - Some fields of the runtime hold objects, classes or threads of the program ([`TABLES`]). They are not followed. An
//!   HPROF file has no declared types of fields, so they are listed. A rule by the class of the value would not do: a list
//!   of the program that only a table holds looks like a list of the runtime's.
//! - A local variable of a frame that runs for the runtime is no root, unless it refers to an object of the runtime.
//!   [`FRAMES`] has the packages whose frames these are. The frames that they call run for them, too: a walk has the
//!   object that it looks at in a local variable of `IdentityHashMap.put`. That ends at a frame of the program, because
//!   the runtime also calls the program back.
//!
//! All other references stay: the runtime's own objects are reachable and have their size in `runtime_bytes`. Only the
//! arrays and maps of those fields are missing there. Classes are known by name only, because the runtime may be in a
//! loader of its own or on the class path.

use std::collections::HashMap;

use crate::class::{Class, ClassIndex, Classes};
use crate::hprof::Dump;

/// The start of the names of the runtime's classes.
pub const RUNTIME: &str = "io.weighbridge.runtime.";

/// Fields that hold what is the program's, static ones too, by class below [`RUNTIME`].
///
/// `ComponentNode` is not here: the program makes nodes by the runtime's API, and they refer to its objects weakly.
const TABLES: [(&str, &[&str]); 12] = [
    ("walk.Encounters", &["objects"]),
    ("walk.GranuleTable", &["crowded"]),
    ("walk.ObjectTable", &["objects"]),
    ("walk.OwnWeight", &["kinds", "met", "unread"]),
    ("walk.Shape", &["type", "fields"]),
    ("registry.Population", &["objects"]),
    // Caches of classes and of threads, which otherwise belong to their loaders and to themselves.
    ("probe.NearestClass", &["THEIR_OWN"]),
    ("probe.NearestClass$Answer", &["type"]),
    ("probe.Inside", &["THREADS"]),
    ("probe.Stripe", &["thread"]),
    ("probe.Stripes", &["THREADS"]),
    ("shortage.Work", &["thread"]),
];

/// Packages whose frames look at the program's objects. Not `probe`: what its frames hold, a constructor of the program is
/// about to return.
const FRAMES: [&str; 5] = ["walk.", "registry.", "record.", "control.", "shortage."];

/// The start of the names of the JDK's classes that the runtime calls.
const JDK: [&str; 4] = ["java.", "jdk.", "sun.", "com.sun."];

/// The fields of a class that hold what is the program's.
pub(super) fn tables(class: &Class) -> &'static [&'static str] {
    let named = class.name.strip_prefix(RUNTIME);
    let table = named.and_then(|name| TABLES.iter().find(|(table, _)| *table == name));
    table.map_or(&[], |(_, fields)| fields)
}

/// The frames that run for the runtime.
pub(crate) struct OwnFrames {
    /// By number of a class: whether it is the runtime's, or an array of such.
    own: Vec<bool>,
    /// By number of a stack trace: whether each of its frames runs for the runtime.
    traces: HashMap<u32, Vec<bool>>,
}

impl OwnFrames {
    /// Looks at some stack traces. Costs next to nothing where the dump has no class of the runtime.
    pub(crate) fn from_traces(dump: &Dump, classes: &Classes, traces: impl Iterator<Item = u32>) -> Self {
        let own: Vec<bool> = classes.iter().map(|(_, class)| of_elements(class).starts_with(RUNTIME)).collect();
        if !own.contains(&true) {
            return OwnFrames { own, traces: HashMap::new() };
        }
        let name = |address: Option<u64>| {
            address.and_then(|address| classes.find_by_address(address)).map_or("", |class| &classes.get(class).name)
        };
        let frames = |trace| run_for_runtime(dump.classes_of_trace(trace).map(name));
        OwnFrames { own, traces: traces.map(|trace| (trace, frames(trace))).collect() }
    }

    /// Whether a local variable of a frame, by its index in a stack trace, is no root if it refers to an object of a class.
    pub(super) fn hides(&self, trace: u32, frame: u32, class: ClassIndex) -> bool {
        let runs = self.traces.get(&trace).and_then(|frames| frames.get(frame as usize));
        runs.is_some_and(|runs| *runs) && !self.own[class.as_usize()]
    }
}

/// The name of a class; of an array, that of its elements.
fn of_elements(class: &Class) -> &str {
    class.name.trim_end_matches("[]")
}

/// For each frame of a stack trace whether it runs for the runtime, given the name of its class. The top is first.
fn run_for_runtime<'a>(classes: impl DoubleEndedIterator<Item = &'a str>) -> Vec<bool> {
    let mut runs = false;
    let mut frames: Vec<bool> = classes
        .rev()
        .map(|class| {
            runs = match class.strip_prefix(RUNTIME) {
                Some(name) => runs || FRAMES.iter().any(|package| name.starts_with(package)),
                None => runs && JDK.iter().any(|start| class.starts_with(start)),
            };
            runs
        })
        .collect();
    frames.reverse();
    frames
}

#[cfg(test)]
mod tests {
    use super::{FRAMES, TABLES, run_for_runtime};

    fn frames(classes: &[&str]) -> Vec<bool> {
        run_for_runtime(classes.iter().copied())
    }

    #[test]
    fn what_the_runtime_calls_runs_for_it_until_it_calls_the_program() {
        let walk =
            ["java.util.IdentityHashMap", "io.weighbridge.runtime.jvm.RawFields", "io.weighbridge.runtime.walk.Walk"];
        assert_eq!(frames(&[&walk[..], &["java.lang.Thread"]].concat()), [true, true, true, false]);
        let source = ["java.util.HashMap", "com.acme.Source", "java.util.List", "io.weighbridge.runtime.record.Nodes"];
        assert_eq!(frames(&source), [false, false, true, true]);
        let probe = ["io.weighbridge.runtime.probe.LiveProbe", "com.acme.Session"];
        assert_eq!(frames(&probe), [false, false], "the program's object, on its way to the program");
        assert_eq!(frames(&["java.util.HashMap", "", "io.weighbridge.runtime.walk.Walk"]), [false, false, true]);
        assert_eq!(frames(&["io.weighbridge.runtime.walking.Walk"]), [false]);
    }

    #[test]
    fn the_runtime_has_these_fields_and_packages() {
        let runtime = weighbridge_tests::root().join("runtime-java/runtime/src/main/java/io/weighbridge/runtime");
        for (class, fields) in TABLES {
            let path = class.split('$').next().expect("a class").replace('.', "/") + ".java";
            let source = std::fs::read_to_string(runtime.join(&path)).expect("its source");
            let declares = |line: &str, field: &str| {
                let declared = line.split(['=', ';']).next().unwrap_or_default();
                line.ends_with(';') && declared.contains(' ') && declared.trim_end().ends_with(&format!(" {field}"))
            };
            let missing = fields.iter().find(|field| !source.lines().any(|line| declares(line, field)));
            assert_eq!(missing, None, "{path}");
        }
        let missing = FRAMES.iter().find(|package| !runtime.join(package.trim_end_matches('.')).is_dir());
        assert_eq!(missing, None);
    }
}
