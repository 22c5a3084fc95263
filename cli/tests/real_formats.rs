//! Every format of recordings of real runs, the leak sample's and H2's, opened by its real consumer.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weighbridge_tests::consumers::{duckdb, npm, openmetrics, pprof, validate_junit};
use weighbridge_tests::{Weighbridge, compile, jars, java, jdks_from, run};

/// Call trees, and intervals as asked for.
const OPTIONS: [&str; 2] = ["-Dweighbridge.sites=10", "-Dweighbridge.cpu_percent=50"];
const H2_CONFIG: &str = "version = 1\n[instrument]\ninclude = [\"org.h2.**\"]\n[measure]\nat = [\"request\", \"exit\"]\n\
    [components]\nstorage = [\"org.h2.mvstore.**\"]\nvalues = [\"org.h2.value.**\"]\n";

struct Recorded {
    folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    recording: PathBuf,
    report: Value,
}

impl Recorded {
    fn new(record: impl FnOnce(&Weighbridge, &Path, &Path)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        let recording = folder.path().join("run.wbr");
        record(&weighbridge, folder.path(), &recording);
        let report = weighbridge.report(&recording);
        Recorded { folder, weighbridge, recording, report }
    }

    fn leak() -> Self {
        Self::new(|weighbridge, folder, recording| {
            weighbridge.instrument_leak(folder);
            let mut command = java(jdks_from(17)[0]);
            command.args(["-Dleak.tick_ms=1", "-Dleak.ticks=600", "-Dleak.measure=60"]).args(OPTIONS);
            command.arg(format!("-Dweighbridge.destfile={}", recording.display()));
            let output = run(command.arg("-jar").arg(folder.join("weighed/leak.jar")));
            assert!(output.success(), "{output}");
        })
    }

    fn h2() -> Self {
        Self::new(|weighbridge, folder, recording| {
            let libraries = jars(&["h2"]);
            let quiet = compile("quiet", &[], folder);
            let needed: Vec<PathBuf> = libraries.iter().cloned().chain([quiet.clone()]).collect();
            let classes = compile("h2", &needed, folder);
            let config = folder.join("weighbridge.toml");
            fs::write(&config, H2_CONFIG).expect("the configuration");
            let inputs: Vec<&Path> = libraries.iter().map(PathBuf::as_path).collect();
            let weighed = folder.join("weighed");
            weighbridge.instrument(&inputs, &config, &weighed);
            let swapped = libraries.iter().map(|jar| weighed.join(jar.file_name().expect("a jar")));
            let class_path = std::env::join_paths([classes, quiet].into_iter().chain(swapped)).expect("a class path");
            let mut command = java(jdks_from(17)[0]);
            let agent = weighed.join("weighbridge-runtime.jar");
            command.args(OPTIONS);
            command.arg(format!("-javaagent:{}=destfile={}", agent.display(), recording.display()));
            let histogram = folder.join("histogram");
            let output = run(command.arg("-cp").arg(class_path).arg("Database").arg(histogram));
            assert!(output.success(), "{output}");
        })
    }

    /// Writes a report in a format; gives the file.
    fn write(&self, format: &str) -> PathBuf {
        let file = self.folder.path().join(format!("report.{format}"));
        let mut command = self.weighbridge.command();
        // All series: a rest that is not known in every row has no sum.
        command.arg("report").arg(&self.recording).args(["--top", "0", "-o", format, "-f"]);
        let output = run(command.arg(&file));
        assert!(output.success() && output.stderr.is_empty(), "{format}: {output}");
        file
    }

    /// A column of the report's classes, of the rows that have it.
    fn sum(&self, figure: &str) -> u64 {
        self.report["classes"].as_array().expect("classes").iter().filter_map(|row| row[figure].as_u64()).sum()
    }

    fn every_consumer_reads_it(&self) {
        let live = self.sum("live");
        assert!(live > 100, "{:#}", self.report["summary"]);

        let top =
            pprof(&self.write("pprof"), &["-top", "-nodecount=0", "-nodefraction=0", "-sample_index=inuse_objects"]);
        assert!(top.contains(&format!(" of {live}")), "{live} is not the total of:\n{top}");

        let folded = fs::read_to_string(self.write("folded")).expect("stacks");
        let mut svg = Vec::new();
        inferno::flamegraph::from_lines(&mut inferno::flamegraph::Options::default(), folded.lines(), &mut svg)
            .expect("a flame graph");
        assert!(svg.len() > 1_000, "{folded}");

        let families = openmetrics(&self.write("openmetrics"));
        let families = families.as_array().expect("families");
        let family = families.iter().find(|family| family[0] == "weighbridge_object_live").expect("live objects");
        let samples = family[3].as_array().expect("samples").iter();
        assert_eq!(samples.map(|sample| sample[2].as_f64().expect("a value")).sum::<f64>(), live as f64);

        let mut classes = csv::Reader::from_path(self.write("csv")).expect("a table");
        assert_eq!(classes.records().count(), self.report["classes"].as_array().map_or(0, Vec::len));

        let tables = self.folder.path().join("tables");
        let output = run(self.weighbridge.command().arg("export").arg(&self.recording).arg("--parquet").arg(&tables));
        assert!(output.success(), "{output}");
        let answer = duckdb(
            &tables,
            "select cast(sum(live) as bigint) from 'DIR/classes/*/*.parquet' \
             where seq = (select max(seq) from 'DIR/classes/*/*.parquet')",
        );
        assert_eq!(answer[0][0], live);

        let budgets = self.folder.path().join("budgets.toml");
        let component = self.report["components"][0]["component"].as_str().expect("a component");
        let budget = format!(
            "version = 1\n[instrument]\ninclude = [\"**\"]\n\
             [[budget]]\ncomponent = \"{component}\"\nfigure = \"live\"\nmax = 1\n\
             [[budget]]\ncomponent = \"{component}\"\nfigure = \"deep_bytes\"\nmax = \"1024 GiB\"\n"
        );
        fs::write(&budgets, budget).expect("budgets");
        let junit = self.folder.path().join("junit.xml");
        let mut command = self.weighbridge.command();
        command.arg("check").arg(&self.recording).arg("--config").arg(&budgets).args(["-o", "junit", "-f"]);
        let output = run(command.arg(&junit));
        assert_eq!(output.code, Some(1), "more than one object lives: {output}");
        validate_junit(&junit);

        let page = self.write("html");
        let opened = run(npm("exec").args(["--", "node", "tests/opens.js"]).arg(page));
        assert!(opened.success(), "{opened}");
    }
}

#[test]
fn every_format_of_the_leak_sample_and_of_h2_is_read_by_the_tools_that_it_is_for() {
    Recorded::leak().every_consumer_reads_it();
    Recorded::h2().every_consumer_reads_it();
}
