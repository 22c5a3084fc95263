//! A program of `tests/java/frameworks-NAME` with libraries, its dumps, and what its components hold.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use weighbridge_tests::{Jdk, Weighbridge, compile, java, libraries, run};

/// A compiled program and the folder of its dumps.
pub(crate) struct Program {
    pub(crate) folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    main: &'static str,
    class_path: Vec<PathBuf>,
}

/// What `heap components` says.
pub(crate) struct Report {
    json: Value,
    context: String,
}

impl Program {
    /// Compiles a program with the artifacts that it needs.
    pub(crate) fn new(name: &str, main: &'static str, artifacts: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = folder.path().join("runtime.jar");
        fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
        let mut class_path = libraries(artifacts);
        class_path.push(runtime);
        class_path.push(compile("frameworks-dumps", &class_path, folder.path()));
        class_path.push(compile(&format!("frameworks-{name}"), &class_path, folder.path()));
        Program { folder, weighbridge: Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")), main, class_path }
    }

    /// Runs it, and gives its dumps: as it is, and with what it named by hand.
    pub(crate) fn dumps(&self, jdk: &Jdk, arguments: &[&str]) -> [PathBuf; 2] {
        let dumps = ["plain", "by-hand"].map(|name| self.folder.path().join(format!("{name}.hprof")));
        let mut command = java(jdk);
        command.arg("-Dweighbridge.output=none").arg("-cp").arg(std::env::join_paths(&self.class_path).expect("paths"));
        let output = run(command.arg(self.main).args(&dumps).args(arguments));
        assert!(output.success(), "Java {}: {output}", jdk.version);
        dumps
    }

    /// The components of a dump.
    pub(crate) fn components(&self, dump: &PathBuf, arguments: &[&str]) -> Report {
        let mut command = self.weighbridge.command();
        let output = run(command.args(["heap", "components"]).arg(dump).args(arguments).args(["-o", "json"]));
        assert!(output.success() && output.stderr.is_empty(), "{output}");
        Report { json: output.json(), context: format!("{} {}", self.main, dump.display()) }
    }

    /// The components of the program's heap as the shipped rules find them, without a configuration.
    pub(crate) fn found(&self, jdk: &Jdk, arguments: &[&str]) -> Report {
        let [plain, _] = self.dumps(jdk, arguments);
        self.components(&plain, &[])
    }
}

impl Report {
    /// The frameworks whose rules were used.
    pub(crate) fn frameworks(&self) -> Vec<&str> {
        self.json["dump"]["frameworks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Semantic bytes by component.
    pub(crate) fn semantic(&self) -> BTreeMap<&str, u64> {
        let rows = self.json["components"].as_array().expect("components");
        rows.iter()
            .map(|row| {
                (row["component"].as_str().expect("a name"), row["semantic_bytes"].as_u64().expect("semantic bytes"))
            })
            .collect()
    }

    /// A component holds the bytes that the program gave it, and less than `more` beside.
    pub(crate) fn holds(&self, component: &str, bytes: u64, more: u64) {
        let all = self.semantic();
        let held = *all.get(component).unwrap_or_else(|| panic!("{}: no {component} in {all:#?}", self.context));
        assert!((bytes..bytes + more).contains(&held), "{}: {component} holds {held}, not {bytes}", self.context);
    }

    /// The components directly below one, in brackets.
    pub(crate) fn nodes(&self, component: &str) -> Vec<String> {
        let nodes = self.semantic();
        let names = nodes.keys().filter_map(|name| name.strip_prefix(component)?.strip_prefix('[')?.strip_suffix(']'));
        names.filter(|name| !name.contains("].")).map(str::to_owned).collect()
    }
}
