//! Which lines are reached.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use weighbridge_tests::jdks;

use crate::program::{Built, Probed, marked, number, rows, trace};

#[test]
fn coverage_has_the_lines_that_were_reached_and_other_tools_read_it() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.begin(&["coverage"], &["--name", "c"]);
        probed.tell("lines 1");
        let file = |name: &str| -> PathBuf { built.folder.path().join(format!("{}-{name}", jdk.major)) };
        let (lcov, xml) = (file("lcov.info"), file("jacoco.xml"));
        let path = |file: &PathBuf| file.to_str().expect("UTF-8").to_owned();
        let output = probed.trace("stop", &["c", "-o", "json", "--lcov", &path(&lcov), "--jacoco", &path(&xml)]);
        assert!(output.success(), "{output}");
        let run = output.json();
        let classes = rows(trace(&run, "coverage"), "classes");
        let lines = classes.iter().find(|class| class["class"] == "com.acme.probed.Lines").expect("the class");
        let (mut reached, mut missed) = (BTreeSet::new(), BTreeSet::new());
        for line in rows(lines, "methods").iter().flat_map(|method| rows(method, "lines")) {
            let set = if number(&line[2]) > 0 { &mut reached } else { &mut missed };
            set.insert(number(&line[0]));
        }
        assert_eq!((&reached, &missed), (&marked("// +"), &marked("// -")), "Java {}", jdk.major);
        let entered = rows(lines, "methods").iter().filter(|method| method["entered"] == true);
        let names: BTreeSet<&str> = entered.filter_map(|method| method["method"].as_str()).collect();
        let expected = ["<clinit>", "<init>", "all", "branch", "caught", "loop", "nothing", "thrown"];
        assert_eq!(names, BTreeSet::from(expected), "Java {}", jdk.major);

        let lcov = fs::read_to_string(&lcov).expect("a tracefile");
        let own = lcov.split("end_of_record\n").find(|record| record.contains("SF:com/acme/probed/Lines.java\n"));
        let own = own.expect("a record");
        let data = own.lines().filter_map(|line| line.strip_prefix("DA:")?.split_once(','));
        let hit: BTreeSet<u64> =
            data.filter(|(_, hits)| *hits == "1").map(|(line, _)| line.parse().expect("a line")).collect();
        assert_eq!(hit, reached);
        assert!(own.contains("FNH:8\n") && own.contains("FNF:9\n"), "{own}");
        let xml = fs::read_to_string(&xml).expect("a report");
        let source =
            xml.split("<sourcefile name=\"Lines.java\">").nth(1).expect("its source").split("</sourcefile>").next();
        let covered = source.expect("its lines").matches("ci=\"0\"").count();
        assert_eq!(covered, missed.len(), "{xml}");
        probed.detach();
    }
}
