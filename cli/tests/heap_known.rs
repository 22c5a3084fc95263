//! Each verb on dumps of a program in which everything is known, from every JVM.

use std::path::{Path, PathBuf};

use serde_json::Value;
use weighbridge_tests::{Jdk, Weighbridge, compile, java, jdks, run};

const CONFIG: &str = "version = 1\n[components]\n\
    caches = { instances = \"com.acme.known.Main$Cache\", name_field = \"name\" }\n\
    sessions = [\"com.acme.known.Main$Session\"]\n\
    soft = { paths = [\"com.acme.known.Main.SOFT.referent\"] }\n";

struct Dumps {
    weighbridge: Weighbridge,
    folder: tempfile::TempDir,
    classes: PathBuf,
    config: PathBuf,
}

impl Dumps {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let classes = compile("known", &[], folder.path());
        let config = folder.path().join("weighbridge.toml");
        std::fs::write(&config, CONFIG).expect("the configuration");
        Dumps { weighbridge: Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")), folder, classes, config }
    }

    fn dump(&self, jdk: &Jdk, sessions: u64) -> PathBuf {
        let dump = self.folder.path().join(format!("{}-{sessions}.hprof", jdk.major));
        let mut command = java(jdk);
        // Headers of 12 bytes and compressed references on every JVM, so that sizes are known.
        let program = command.arg("-cp").arg(&self.classes).arg("com.acme.known.Main");
        let output = run(program.arg(&dump).arg(sessions.to_string()));
        assert!(output.success(), "{output}");
        dump
    }

    fn heap(&self, verb: &str, dump: &Path, arguments: &[&str]) -> Value {
        let mut command = self.weighbridge.command();
        let output = run(command.args(["heap", verb]).arg(dump).args(arguments).args(["-o", "json"]));
        assert!(output.success(), "{output}");
        output.json()
    }

    fn config(&self) -> &str {
        self.config.to_str().expect("a path in UTF-8")
    }
}

/// An array with so many bytes of elements.
fn array(bytes: u64) -> u64 {
    (16 + bytes).next_multiple_of(8)
}

fn find<'a>(list: &'a Value, key: &str, value: &str) -> &'a Value {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().find(|row| row[key] == value).unwrap_or_else(|| panic!("no {key} {value} in {list:#?}"))
}

fn number(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap_or_else(|| panic!("no {key} in {row:#}"))
}

/// A row of a tree with so many bytes of its own.
fn of_size(rows: &Value, shallow_bytes: u64) -> Option<&Value> {
    rows.as_array()?.iter().find_map(|row| match row["shallow_bytes"] == shallow_bytes {
        true => Some(row),
        false => of_size(&row["children"], shallow_bytes),
    })
}

#[test]
fn components_hold_what_the_program_gave_them_and_share_what_it_shares() {
    let dumps = Dumps::new();
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let dump = dumps.dump(jdk, 10);
        let report = dumps.heap("components", &dump, &["--config", dumps.config()]);
        let row = |name: &str| find(&report["components"], "component", name);
        // The array of arrays, the cache and its name, beside the entries.
        for (name, entries, length) in [("caches[users]", 100, 1_000), ("caches[items]", 50, 2_000)] {
            let entries = entries * array(length) + array(4 * entries);
            for key in ["semantic_bytes", "true_bytes"] {
                let bytes = number(row(name), key);
                assert!((entries..entries + 100).contains(&bytes), "{context}, {name}: {key} {bytes}, not {entries}");
            }
            assert_eq!(number(row(name), "instances"), 1, "{context}");
        }
        // The array of both, and their Class object.
        let shared = number(row("caches"), "shared_bytes");
        assert!((array(100_000) + 1..array(100_000) + 300).contains(&shared), "{context}: {shared}");
        assert_eq!(number(row("sessions"), "instances"), 11, "{context}: ten, and their Class object");
        let group = dumps.heap("dominators", &dump, &["--by", "component", "--config", dumps.config(), "--depth", "9"]);
        assert_eq!(group["by"], "component");
        let users = dominated(&group["nodes"], "caches[users]").unwrap_or_else(|| panic!("{context}: {group:#}"));
        assert!(users >= 100 * array(1_000), "{context}: {users}");
    }
}

/// What a group retains, wherever it is.
fn dominated(rows: &Value, name: &str) -> Option<u64> {
    rows.as_array()?.iter().find_map(|row| match row["class"] == name {
        true => row["retained_bytes"].as_u64(),
        false => dominated(&row["children"], name),
    })
}

#[test]
fn a_path_leads_to_every_instance_and_an_object_shows_its_values() {
    let dumps = Dumps::new();
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let dump = dumps.dump(jdk, 10);
        let report = dumps.heap("path", &dump, &["com.acme.known.Main$Session"]);
        assert_eq!((number(&report, "objects"), number(&report, "reachable_objects")), (10, 10), "{context}");
        assert_eq!(number(&report, "ways"), 1, "{context}: {report:#}");
        let steps = report["paths"].as_array().expect("steps");
        let shown: Vec<(&str, &str)> = steps
            .iter()
            .map(|step| (step["name"].as_str().unwrap_or_default(), step["via"].as_str().unwrap_or_default()))
            .collect();
        let held = ["java.util.ArrayList", "java.lang.Object[]", "com.acme.known.Main$Session"];
        let last = &shown[shown.len() - 3..];
        assert_eq!(last.iter().map(|(name, _)| *name).collect::<Vec<_>>(), held, "{context}: {shown:?}");
        assert_eq!(last[1].1, ".elementData", "{context}");
        let list = &shown[shown.len() - 4..][..2];
        assert_eq!(list[0].0, "class com.acme.known.Main", "{context}: {shown:?}");
        assert_eq!(list[1].1, ".SESSIONS (static)", "{context}: {shown:?}");
        let session = steps[steps.len() - 1]["example"].as_str().expect("an address");
        let object = dumps.heap("object", &dump, &[session]);
        assert_eq!(object["class"], "com.acme.known.Main$Session", "{context}");
        assert_eq!(object["loader"], "app", "{context}");
        let user = find(&object["referents"], "link", ".user");
        assert_eq!(user["value"], "the same text in every session", "{context}");
        // The session and its text; with the array of 30 bytes of the text.
        let text = number(user, "retained_bytes");
        assert_eq!(text, 24 + array(30), "{context}");
        assert_eq!(number(&object, "retained_bytes"), number(&object, "shallow_bytes") + text, "{context}");
        assert_eq!(object["referrers"][0]["class"], "java.lang.Object[]", "{context}");
        let array = object["referrers"][0]["object"].as_str().expect("an address");
        assert!(object["dominator"].as_str().is_some_and(|dominator| dominator.ends_with(array)), "{context}");
    }
}

#[test]
fn waste_is_what_the_program_wastes() {
    let dumps = Dumps::new();
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let report = dumps.heap("waste", &dumps.dump(jdk, 10), &["--top", "100000"]);
        let texts = find(&report["strings"]["groups"], "text", "the same text in every session");
        // The constant of the source is one more.
        let copies = number(texts, "copies");
        assert!((10..=11).contains(&copies), "{context}: {copies}");
        assert_eq!(number(texts, "saved_bytes"), (copies - 1) * (24 + array(30)), "{context}");
        let lists = find(&report["collections"], "class", "java.util.ArrayList");
        assert!(number(lists, "sparse") >= 20, "{context}: {lists:#}");
        assert!(number(lists, "sparse_bytes") >= 20 * 4 * 90, "{context}: {lists:#}");
        let integers = find(&report["boxed"], "class", "java.lang.Integer");
        assert_eq!((&integers["commonest"], number(integers, "commonest_instances")), (&"123456".into(), 200));
        let longs = find(&report["trailing"], "class", "long[]");
        assert!(number(longs, "arrays") >= 30 && number(longs, "zero_bytes") >= 30 * 8_000, "{context}: {longs:#}");
        let chain = find(&report["chains"], "map_class", "java.util.HashMap");
        assert_eq!((number(chain, "length"), chain["tree"].as_bool()), (12, Some(true)), "{context}: {chain:#}");
    }
}

#[test]
fn two_dumps_differ_by_what_the_program_added() {
    let dumps = Dumps::new();
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let (before, after) = (dumps.dump(jdk, 10), dumps.dump(jdk, 17));
        let after = after.to_str().expect("a path in UTF-8");
        let report = dumps.heap("diff", &before, &[after, "--config", dumps.config()]);
        let sessions = find(&report["classes"], "name", "com.acme.known.Main$Session");
        let instances = ["instances_before", "instances_after"].map(|key| number(sessions, key));
        assert_eq!((instances, &sessions["change"]), ([10, 17], &"grew".into()), "{context}");
        let sessions = find(&report["components"], "name", "sessions");
        let grown = number(sessions, "bytes_after") - number(sessions, "bytes_before");
        assert_eq!(grown, 7 * (16 + 24 + array(30)), "{context}: {sessions:#}");
        // The rest of the heap is that of another process: the same classes, mostly as many.
        let same = report["components"].as_array().expect("rows").iter().any(|row| row["name"] == "caches");
        assert!(!same, "{context}: the caches did not change: {report:#}");
    }
}

#[test]
fn what_a_soft_reference_alone_holds_is_labelled_and_gone_if_such_references_are_not_followed() {
    let dumps = Dumps::new();
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let dump = dumps.dump(jdk, 10);
        let whole = dumps.heap("dominators", &dump, &["--depth", "12", "--top", "40"]);
        let soft = of_size(&whole["nodes"], array(300_000)).unwrap_or_else(|| panic!("{context}: not shown"));
        assert_eq!(soft["held_softly"], true, "{context}");
        assert!(number(&whole, "softly_held_bytes") >= array(300_000), "{context}");
        let address = |row: &Value| row["object"].as_str().expect("an address").to_owned();
        let object = |row: &Value, soft: &str| dumps.heap("object", &dump, &[&address(row), "--soft", soft]);
        assert_eq!(object(soft, "strong")["held_softly"], true, "{context}");
        assert_eq!(object(soft, "weak")["reachable"], false, "{context}");
        let shared = of_size(&whole["nodes"], array(100_000)).unwrap_or_else(|| panic!("{context}: not shown"));
        assert_eq!(shared["held_softly"], false, "{context}");
        assert_eq!(object(shared, "strong")["held_softly"], false, "{context}");
        for mode in ["weak", "strong"] {
            let path = |row: &Value| dumps.heap("path", &dump, &[&address(row), "--soft", mode]);
            let held = path(soft);
            assert_eq!(number(&held, "softly_held_objects"), 1, "{context}, {mode}: {held:#}");
            assert_eq!(held["softly_held"][0], soft["object"], "{context}, {mode}");
            assert_eq!(number(&held, "reachable_objects"), u64::from(mode == "strong"), "{context}, {mode}");
            let last = held["paths"].as_array().expect("a list").last();
            assert!(last.is_none_or(|last| last["held_softly"] == true), "{context}, {mode}: {held:#}");
            let shared = path(shared);
            assert_eq!(number(&shared, "softly_held_objects"), 0, "{context}, {mode}: {shared:#}");
            assert_eq!(
                shared["paths"].as_array().and_then(|rows| rows.last()?.get("held_softly")),
                Some(&false.into())
            );
        }
        let components = dumps.heap("components", &dump, &["--config", dumps.config()]);
        for (name, instances, bytes) in [("soft", 1, array(300_000)), ("sessions", 0, 0)] {
            let row = find(&components["components"], "component", name);
            let found = ["softly_held_instances", "softly_held_bytes"].map(|key| number(row, key));
            assert_eq!(found, [instances, bytes], "{context}, {name}");
        }
        let weak = dumps.heap("dominators", &dump, &["--depth", "12", "--top", "40", "--soft", "weak"]);
        assert!(of_size(&weak["nodes"], array(300_000)).is_none(), "{context}");
        assert_eq!(number(&weak, "softly_held_bytes"), 0, "{context}");
    }
}

#[test]
fn sql_lists_and_groups_have_the_figures_of_the_other_verbs() {
    let dumps = Dumps::new();
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let dump = dumps.dump(jdk, 10);
        let rows = |verb: &str, arguments: &[&str]| {
            let report = dumps.heap(verb, &dump, &[arguments, &["--no-redact"]].concat());
            report["rows"].as_array().unwrap_or_else(|| panic!("{context}: no rows: {report:#}")).clone()
        };
        let sql = |statement: &str| rows("sql", &[statement]);
        // The histogram has a row for each loader.
        let mut classes: std::collections::BTreeMap<String, (u64, u64)> = std::collections::BTreeMap::new();
        for row in dumps.heap("histogram", &dump, &[])["classes"].as_array().expect("classes") {
            let sums = classes.entry(row["class"].as_str().expect("a name").to_owned()).or_default();
            *sums = (sums.0 + number(row, "instances"), sums.1 + number(row, "shallow_bytes"));
        }
        let expected: Vec<Value> =
            classes.into_iter().map(|(class, (objects, bytes))| serde_json::json!([class, objects, bytes])).collect();
        assert_eq!(sql("select class, count(*), sum(shallow) from objects group by class"), expected, "{context}");
        let tree = dumps.heap("dominators", &dump, &["--depth", "3", "--top", "50"]);
        let mut compared = 0;
        let mut open: Vec<&Value> = tree["nodes"].as_array().expect("nodes").iter().collect();
        while let Some(node) = open.pop() {
            if let (Some(address), 0..40) = (node["object"].as_str(), compared) {
                compared += 1;
                let found = sql(&format!("select shallow, retained from dominators where address = '{address}'"));
                let expected = serde_json::json!([[node["shallow_bytes"], node["retained_bytes"]]]);
                assert_eq!(Value::from(found), expected, "{context}: {address}");
            }
            open.extend(node["children"].as_array().into_iter().flatten());
        }
        assert_eq!(compared, 40, "{context}");
        let caches = rows(
            "list",
            &["com.acme.known.Main$Cache", "--fields", "name,entries.length", "--where", "entries.length > 50"],
        );
        assert_eq!(caches.len(), 1, "{context}");
        assert_eq!((&caches[0][4], &caches[0][5]), (&"users".into(), &100.into()), "{context}");
        let by_user = rows("group", &["com.acme.known.Main$Session", "--by", "user"]);
        assert_eq!((by_user.len(), &by_user[0][0]), (1, &"the same text in every session".into()), "{context}");
        assert_eq!(by_user[0][1], 10, "{context}");
        let texts = sql("select count(*), max(length) from strings where text = 'the same text in every session'");
        assert!(texts[0][0].as_u64() >= Some(10) && texts[0][1] == 30, "{context}: {texts:?}");
        // Every class has the bytes of its instances, and a field of a Class object is a static one.
        let soft = sql("select class_of(field(address, 'SOFT')) from classes where class = 'com.acme.known.Main'");
        assert_eq!(soft[0][0], "java.lang.ref.SoftReference", "{context}");
        let held = "select r.field from refs r join objects o on o.address = r.source where o.class like '%Main$Cache' \
                    and class_of(r.target) = 'java.lang.String'";
        assert_eq!(Value::from(sql(held)), serde_json::json!([["name"], ["name"]]), "{context}");
    }
}

/// Dumps of `tests/java/planted`: the problem, the kind of suspect that must name it, and words of its sentences and path.
const PLANTED: [(&str, &str, &[&str]); 8] = [
    (
        "map",
        "accumulation",
        &["the static field SEEN of com.acme.planted.Prices", "60,000 com.acme.planted.Prices$Quote"],
    ),
    (
        "local",
        "thread_local",
        &[
            "the static field SCRATCH of com.acme.planted.Formats",
            "12 threads",
            "12 values of com.acme.planted.Formats$Scratch",
        ],
    ),
    (
        "texts",
        "duplicates",
        &["the Federal Republic of Germany", "50,10", "the field country of com.acme.planted.Orders$Order"],
    ),
    (
        "loaders",
        "loaders",
        &["5 class loaders", "com.acme.planted.Plugin", "the static field LISTENERS of com.acme.planted.Plugins"],
    ),
    (
        "session",
        "accumulation",
        &["the field results of com.acme.planted.Sessions$Session", "120,000 com.acme.planted.Sessions$Result"],
    ),
    (
        "finalizers",
        "finalizers",
        &["com.acme.planted.Handles$Handle", "the Finalizer thread is in com.acme.planted.Handles$Handle.finalize"],
    ),
    ("grown", "collections", &["java.util.ArrayList", "the static field BATCH of com.acme.planted.Batches"]),
    (
        "reports",
        "group",
        &[
            "6 objects of java.util.ArrayList",
            "each is held by a thread of its own",
            "com.acme.planted.Reports.hold",
            "thread \\\"report-5\\\"",
        ],
    ),
];

#[test]
fn suspects_name_each_planted_problem_and_its_holder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("planted", &[], folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for jdk in jdks() {
        for (problem, kind, words) in PLANTED {
            let context = format!("{problem} on Java {}", jdk.version);
            let dump = folder.path().join("planted.hprof");
            let mut command = java(jdk);
            command.args(["-Xmx256m", "-XX:+UseSerialGC", "-cp"]).arg(&classes).arg("com.acme.planted.Main");
            let said = run(command.arg(problem).arg(&dump));
            assert!(said.success(), "{context}: {said}");
            let report = run(weighbridge.command().args(["heap", "suspects", "-o", "json"]).arg(&dump)).json();
            let suspects = report["suspects"].as_array().expect("a list");
            let suspect = suspects.iter().find(|suspect| suspect["kind"] == kind);
            let suspect = suspect.unwrap_or_else(|| panic!("{context}: no {kind}: {report:#}"));
            let text = format!("{} {}", suspect["title"], suspect["explanation"]);
            words.iter().for_each(|word| assert!(text.contains(word), "{context}: no {word} in {text}"));
            assert!(suspect["share_percent"].as_f64() > Some(40.0), "{context}: {suspect:#}");
            // Nothing is said of the innocent pages; at most the problem is seen from two sides.
            assert!(suspects.len() <= 2 && !report.to_string().contains("Shop"), "{context}: {report:#}");
            let next: Vec<&str> =
                suspect["next"].as_array().expect("commands").iter().filter_map(Value::as_str).collect();
            assert!(next.iter().any(|command| command.starts_with("weighbridge heap ")), "{context}: {next:?}");
            for command in next {
                let mut words = command.split(' ').skip(1).map(|word| word.trim_matches('\''));
                let asked = run(weighbridge.command().args(words.by_ref()));
                assert!(asked.success(), "{context}: {command}: {asked}");
            }
            std::fs::remove_file(&dump).expect("the dump");
        }
    }
}

/// The secrets of `tests/java/planted`, in every encoding that a dump could have them in.
fn secrets() -> Vec<(&'static str, Vec<u8>)> {
    let text = "correct horse battery staple";
    let number = 0x5EC2_E701_23AB_CDEF_u64;
    vec![
        ("the text in Latin-1 and UTF-8", text.as_bytes().to_vec()),
        ("the text in UTF-16, big-endian", text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ("the text in UTF-16, little-endian", text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("the number", number.to_be_bytes().to_vec()),
        ("the number, little-endian", number.to_le_bytes().to_vec()),
        ("letters in fields", "wxyz".encode_utf16().flat_map(u16::to_be_bytes).collect()),
    ]
}

/// A report without the lines that name the file.
fn report(weighbridge: &Weighbridge, verb: &str, dump: &Path, arguments: &[&str]) -> Value {
    let mut report =
        run(weighbridge.command().args(["heap", verb]).arg(dump).args(arguments).args(["-o", "json"])).json();
    let facts = report["dump"].as_object_mut().expect("facts");
    ["file", "dump_bytes"].iter().for_each(|key| drop(facts.remove(*key)));
    report
}

#[test]
fn a_redacted_dump_has_no_value_of_the_original_and_the_same_histogram_and_dominators() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("planted", &[], folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let path = |name: &str| folder.path().join(format!("{}-{name}", jdk.major));
        let (dump, copy, packed) = (path("app.hprof"), path("copy.hprof"), path("copy.hprof.gz"));
        let mut command = java(jdk);
        command.args(["-Xmx256m", "-XX:+UseSerialGC", "-cp"]).arg(&classes).arg("com.acme.planted.Main");
        let said = run(command.arg("secrets").arg(&dump));
        assert!(said.success(), "{context}: {said}");
        let original = std::fs::read(&dump).expect("the dump");
        for (from, to) in [(&dump, &packed), (&packed, &copy)] {
            let done = run(weighbridge.command().args(["heap", "redact"]).arg(from).arg("-o").arg(to));
            assert!(done.success() && done.stdout.contains(" objects, "), "{context}: {done}");
        }
        let copied = std::fs::read(&copy).expect("the copy");
        for (name, secret) in secrets() {
            let within = |bytes: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
            // The program plants nothing in the JVM's byte order but the texts that are not compressed.
            assert!(within(&original) || name.contains("number, little-endian"), "{context}: {name} is not planted");
            assert!(!within(&copied), "{context}: {name} is in the copy");
        }
        for (verb, arguments) in [("histogram", &["--unreachable"][..]), ("dominators", &["--depth", "4", "--drops"])] {
            let mut both = [&dump, &copy].map(|dump| report(&weighbridge, verb, dump, arguments));
            // Names of threads are values.
            let threads = |text: String| {
                let mut rest = text.split("thread \\\"");
                let first = rest.next().unwrap_or_default().to_owned();
                rest.fold(first, |all, part| all + part.split_once("\\\"").map_or(part, |(_, after)| after))
            };
            let texts = both.each_mut().map(|report| threads(report.to_string()));
            assert!(texts[0].len() > 10_000, "{context}: {verb}: {}", texts[0]);
            assert!(texts[0] == texts[1], "{context}: {verb} of the copy differs");
        }
        let refused = run(weighbridge.command().args(["heap", "redact"]).arg(&dump).arg("-o").arg(&copy));
        assert_eq!(refused.code, Some(2), "{context}: {refused}");
    }
}
