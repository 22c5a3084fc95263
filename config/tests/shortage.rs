//! Reads `[shortage]`, and refuses what makes no sense.

use weighbridge_config::{Config, ShortageConfig};

const FULL: &str = r#"
version = 1
[shortage]
dry_run = false
checkpoints = ["com.acme.report.**.*"]
retry = ["com.acme.Report.render"]
[shortage.when]
old_generation = "85%"
allocation = "500m"
container = "95%"
exhausted = false
[shortage.candidates]
by = "proprietary"
measure = "exact"
analyser = "/opt/weighbridge/weighbridge"
least = "20m"
frame = "variable"
[shortage.permit]
threads = ["batch-*", "import"]
scopes = ["job=*", "request=GET /orders?a=b"]
methods = ["com.acme.Report.render", "com.acme.**.handle*"]
[shortage.cancel]
interrupt = false
force = true
fixed = ["java.**"]
wait = "1500ms"
per_minute = 10
[shortage.admit]
methods = ["com.acme.web.Servlet.service"]
wait = "60s"
"#;

fn shortage(text: &str) -> ShortageConfig {
    Config::parse(&format!("version = 1\n{text}")).unwrap().shortage.expect("[shortage]")
}

/// The settings of `[shortage]` without the prefix.
fn settings(text: &str) -> Vec<(String, String)> {
    let config = Config::parse(text).unwrap();
    let own = config.runtime_settings().iter().filter(|(key, _)| key.starts_with("shortage"));
    own.map(|(key, value)| (key["shortage".len()..].to_owned(), value.clone())).collect()
}

#[test]
fn every_key_of_a_shortage_becomes_a_setting() {
    let expected = [
        ("", "act"),
        ("_old_generation", "85"),
        ("_allocation", "524288000"),
        ("_container", "95"),
        ("_exhausted", "false"),
        ("_by", "proprietary"),
        ("_measure", "exact"),
        ("_analyser", "/opt/weighbridge/weighbridge"),
        ("_least", "20971520"),
        ("_frame", "variable"),
        ("_threads", "batch-*;import"),
        ("_scopes", "job=*;request=GET /orders?a=b"),
        ("_methods", "com.acme.Report.render;com.acme.**.handle*"),
        ("_interrupt", "false"),
        ("_force", "true"),
        ("_fixed", "java.**"),
        ("_wait", "1500ms"),
        ("_per_minute", "10"),
        ("_retry", "com.acme.Report.render"),
        ("_admit", "com.acme.web.Servlet.service"),
        ("_admit_wait", "1m"),
    ];
    let expected: Vec<_> = expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    assert_eq!(settings(FULL), expected);
}

#[test]
fn without_the_table_there_is_no_shortage() {
    let config = Config::parse("version = 1").unwrap();
    assert!(config.shortage.is_none());
    assert_eq!(settings("version = 1"), []);
}

#[test]
fn an_empty_table_observes_and_leaves_all_defaults_but_the_fixed_frames_to_the_runtime() {
    let fixed = ("_fixed".to_owned(), "java.**;javax.**;jdk.**;sun.**;com.sun.**".to_owned());
    assert_eq!(settings("version = 1\n[shortage]"), [(String::new(), "observe".to_owned()), fixed]);
    let shortage = shortage("[shortage]");
    assert!(shortage.dry_run && shortage.exhausted && !shortage.force && shortage.analyser.is_none());
    assert!(shortage.fixed.matches(b"java/util/HashMap") && !shortage.fixed.matches(b"com/acme/Report"));
    assert!(shortage.has_no_methods() && !shortage.may_match(b"com/acme/Report"));
}

#[test]
fn the_methods_of_a_shortage_are_found_by_class_and_name() {
    let shortage = Config::parse(FULL).unwrap().shortage.unwrap();
    assert!(!shortage.dry_run && shortage.force && !shortage.exhausted);
    assert_eq!(shortage.analyser.as_deref(), Some("/opt/weighbridge/weighbridge"));
    assert_eq!(shortage.permit.first_match(b"com/acme/Report", b"render"), Some(0));
    assert_eq!(shortage.permit.first_match(b"com/acme/a/B", b"handleAll"), Some(1));
    assert_eq!(shortage.permit.texts(), ["com.acme.Report.render", "com.acme.**.handle*"]);
    assert_eq!(shortage.retry.first_match(b"com/acme/Report", b"render"), Some(0));
    assert_eq!(shortage.admit.first_match(b"com/acme/web/Servlet", b"service"), Some(0));
    assert_eq!(shortage.checkpoints.first_match(b"com/acme/report/a/Page", b"anything"), Some(0));
    assert!(shortage.may_match(b"com/acme/report/Page") && !shortage.may_match(b"org/Page"));
}

#[test]
fn values_have_other_spellings() {
    assert!(!shortage("[shortage]\ndry-run = false").dry_run);
    let spelled = |text: &str| settings(&format!("version = 1\n[shortage]\n{text}"))[1].clone();
    let one = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(spelled("when.old_generation = \"off\""), one("_old_generation", "off"));
    assert_eq!(spelled("when.allocation = \"off\""), one("_allocation", "off"));
    assert_eq!(spelled("when.container = \"off\""), one("_container", "off"));
    assert_eq!(spelled("candidates.least = \"2%\""), one("_least", "2%"));
    assert_eq!(spelled("candidates.by = \"oldest\""), one("_by", "oldest"));
    assert_eq!(spelled("cancel.fixed = []"), one("_fixed", "none"));
    let refused_at_once = settings("version = 1\n[shortage.admit]\nwait = \"0s\"");
    assert_eq!(refused_at_once.last(), Some(&one("_admit_wait", "0s")));
}

#[test]
fn a_wrong_shortage_is_refused_at_its_line_and_column() {
    let wrong = [
        "dryrun = true",
        "dry_run = true\ndry-run = true",
        "dry_run = \"yes\"",
        "checkpoints = [\"Report\"]",
        "retry = [\"com/acme/Report.render\"]",
        "retry = [\"com.acme.Report.<init>\"]",
        "retry = [\"com.acme.Report.<clinit>\"]",
        "permit.methods = [\"com.acme.**\"]",
        "admit.methods = [\"com.acme.Report.a b\"]",
        "admit.methods = [\"com.acme..render\"]",
        "admit.methods = [\".render\"]",
        "when.old_generation = \"90\"",
        "when.old_generation = \"100%\"",
        "when.old_generation = \"0%\"",
        "when.old_generation = 90",
        "when.container = \"-5%\"",
        "when.allocation = \"fast\"",
        "when.old_generatoin = \"90%\"",
        "candidates.by = \"largest\"",
        "candidates.by = \"releasable\"",
        "candidates.by = \"proprietary\"\ncandidates.measure = \"cheap\"",
        "candidates.measure = \"exact\"",
        "candidates.measure = \"exact\"\ncandidates.analyser = \"bin/weighbridge\"",
        "candidates.analyser = \"\"",
        "candidates.least = \"some\"",
        "candidates.least = \"100%\"",
        "candidates.frame = \"all\"",
        "permit.threads = [\"a;b\"]",
        "permit.scopes = [\"job\"]",
        "permit.scopes = [\"=import\"]",
        "permit.scopes = [\"job=a;b\"]",
        "cancel.fixed = [\"java/**\"]",
        "cancel.wait = \"0s\"",
        "cancel.per_minute = 0",
        "cancel.per_minute = 601",
        "admit.wait = \"never\"",
    ];
    let refused = |text: &&str| {
        let error = Config::parse(&format!("version = 1\n[shortage]\n{text}")).expect_err(text);
        format!("{text}\n  => {error}\n")
    };
    let messages: Vec<String> = wrong.iter().map(refused).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_list_of_methods_has_at_most_a_thousand_patterns() {
    let of = |count: usize| {
        let methods: Vec<String> = (0..count).map(|i| format!("\"a.B.m{i}\"")).collect();
        Config::parse(&format!("version = 1\n[shortage]\nretry = [{}]", methods.join(", ")))
    };
    assert!(of(1000).is_ok());
    let refused = of(1001).unwrap_err().to_string();
    assert!(refused.ends_with("`retry` has at most 1000 patterns"), "{refused}");
}
