//! The Maven plugin beside others that set the arguments of test JVMs: JaCoCo, the POM, the command line.

use std::collections::BTreeMap;
use std::fs;

use weighbridge_tests::maven::Sample;

const BINARY: &str = env!("CARGO_BIN_EXE_weighbridge");

/// In the sample's parent POM: where plugins of all modules begin.
const PLUGINS: &str = "</pluginManagement>\n    <plugins>";

/// JaCoCo as its manual binds it, for unit and integration tests. Its version is not that of the plugin's JaCoCo.
const JACOCO: &str = "
      <plugin>
        <groupId>org.jacoco</groupId><artifactId>jacoco-maven-plugin</artifactId><version>0.8.12</version>
        <executions>
          <execution>
            <goals>
              <goal>prepare-agent</goal><goal>report</goal><goal>prepare-agent-integration</goal><goal>report-integration</goal>
            </goals>
          </execution>
        </executions>
      </plugin>";

#[test]
fn a_build_with_jacoco_has_the_coverage_that_it_has_without_weighbridge() {
    let sample = Sample::new(BINARY);
    sample.edit("pom.xml", PLUGINS, &format!("{PLUGINS}{JACOCO}"));
    let coverage = |options: &[&str]| {
        let output = sample.maven(&[&["clean", "verify"], options].concat());
        assert!(output.success(), "{output}");
        let folders = ["api/target/site/jacoco", "app/target/site/jacoco", "app/target/site/jacoco-it"];
        folders.map(|folder| rows(&fs::read_to_string(sample.path(folder).join("jacoco.csv")).expect("coverage")))
    };
    let without = coverage(&["-Dweighbridge.skip"]);
    assert!(without.iter().all(|module| module.values().any(|covered| *covered > 0)), "{without:?}");
    assert_eq!(coverage(&[]), without);
    let allocated = sample.report("app")["classes"].as_array().map_or(0, Vec::len);
    assert_eq!(allocated, 4, "the classes are weighed all the same");
}

#[test]
fn data_of_jacoco_that_cannot_be_kept_breaks_the_build() {
    let sample = Sample::new(BINARY);
    sample.edit("pom.xml", PLUGINS, &format!("{PLUGINS}{JACOCO}"));
    let output = sample.maven(&["verify", "--projects", "api", "-Djacoco.output=tcpserver"]);
    assert!(!output.success() && output.stdout.contains("coverage of rewritten classes would be lost"), "{output}");
    sample.edit("pom.xml", "<goal>report</goal><goal>prepare", "<goal>prepare");
    let in_test =
        "<executions><execution><id>read</id><phase>test</phase><goals><goal>report</goal></goals></execution>";
    sample.edit(
        "pom.xml",
        "<version>0.8.12</version>\n        <executions>",
        &format!("<version>0.8.12</version>{in_test}"),
    );
    let output = sample.maven(&["test", "--projects", "api"]);
    let said = "JaCoCo's report in the phase `test` stands before the goal `restore`";
    assert!(!output.success() && output.stdout.contains(said), "{output}");
}

#[test]
fn a_pom_may_name_the_property_where_nothing_is_weighed() {
    let sample = Sample::new(BINARY);
    for plugin in ["surefire", "failsafe"] {
        let managed = format!("<artifactId>maven-{plugin}-plugin</artifactId><version>3.6.1</version>");
        let named = "<configuration><argLine>@{argLine} -Xmx512m</argLine></configuration>";
        sample.edit("pom.xml", &managed, &format!("{managed}{named}"));
    }
    let output = sample.maven(&["verify", "-Dweighbridge.skip"]);
    assert!(output.success(), "{output}");
    // Without the goals around them, integration tests run behind `restore`.
    sample.edit("app/pom.xml", "<goal>instrument</goal>", "<goal>restore</goal>");
    let output = sample.maven(&["clean", "verify"]);
    assert!(output.success(), "{output}");
    assert_eq!(sample.written("app/target/weighbridge/recordings").len(), 1, "that of the unit tests");
}

#[test]
fn tests_that_ran_without_the_plugins_arguments_break_the_report() {
    let sample = Sample::new(BINARY);
    let broken = |options: &[&str]| {
        let output = sample.maven(&[&["clean", "verify", "--projects", "api"], options].concat());
        let said = "the tests of maven-surefire-plugin ran with an `argLine` without @{argLine}";
        assert!(!output.success() && output.stdout.contains(said), "{output}");
    };
    broken(&["-DargLine=-Xmx512m"]);
    let managed = "<artifactId>maven-surefire-plugin</artifactId><version>3.6.1</version>";
    let overriding = "<configuration><argLine>-Xmx512m</argLine></configuration>";
    sample.edit("pom.xml", managed, &format!("{managed}{overriding}"));
    broken(&[]);
    let output = sample.maven(&["clean", "verify", "--projects", "api", "-DskipTests"]);
    assert!(output.success(), "nothing ran: {output}");
}

/// Covered instructions, branches, lines and methods of each class, added up, by class.
fn rows(csv: &str) -> BTreeMap<String, u64> {
    let classes = csv.lines().skip(1).map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        let covered = [4, 6, 8, 12].map(|column| cells[column].parse::<u64>().expect("a number"));
        (format!("{}.{}", cells[1], cells[2]), covered.iter().sum())
    });
    classes.collect()
}
